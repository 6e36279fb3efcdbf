// Takes calls that only one kind of session knows: from its active device, once, and kept under the plan they came for.
import { type DevicePlan, findRunningStep, listCarriedSteps, type PlanStep, type WalletRefusal } from '@limen/plan';
import { ConflictError } from '../../platform/base/errors.ts';
import type { SessionId } from '../../platform/base/ids.ts';
import type { Transaction } from '../../platform/database/database.ts';
import type { SessionKind } from '../lifecycle/kinds.ts';
import { isOfKind, type Session } from '../lifecycle/session.ts';
import type { BehaviorFacts } from '../risk/measure-behavior.ts';
import { openSealed } from './envelope.ts';
import type { ChannelWrite } from './flow.ts';
import { refusal } from './refusals.ts';
import type { Signer } from './signature.ts';
import { behaviorOfState, closeChannel, findFirstDevice } from './state.ts';
import type { DeviceTurn, DeviceTurns } from './turns.ts';

/** Returns false if the session had ended already. */
type FinishSession = (behavior: BehaviorFacts, keep: ChannelWrite) => Promise<boolean>;

export interface AcceptedCall<Kind extends SessionKind = SessionKind> {
  session: Session<Kind>;
  plan: DevicePlan;
  planText: string;
  deviceKey: string;
  isFirstDevice: boolean;
  /** Steps that the previous device did, according to the reported log. */
  carried: readonly PlanStep['step'][];
  /** Step that has begun and is not finished, according to the reported log. */
  running: PlanStep | undefined;
  /** Opens an envelope that was sealed to the plan's key under this label. Returns undefined for any other. */
  open(envelope: Uint8Array, label: string): Buffer | undefined;
  /** Writes unless the session has ended or was handed on since. `write` runs again after a conflict. */
  keep<T>(write: (trx: Transaction) => Promise<T>): Promise<T>;
  /** Ends the session under the same conditions. */
  end(finish: FinishSession): Promise<void>;
}

/** Device and plan that something was begun for. A wallet may finish it later. */
export interface DeviceHold {
  deviceKey: string;
  nonce: string;
}

interface CallHandler<Kind extends SessionKind, Reserved, Reply> {
  kind: Kind;
  /** Runs in the transaction that uses up the call's counter. Runs again after a conflict. */
  reserve(trx: Transaction, call: AcceptedCall<Kind>): Promise<Reserved>;
  work(call: AcceptedCall<Kind>, reserved: Reserved): Promise<Reply>;
}

export class DeviceCalls {
  readonly #turns: DeviceTurns;

  constructor(turns: DeviceTurns) {
    this.#turns = turns;
  }

  async take<Kind extends SessionKind, Reserved, Reply>(
    sessionId: SessionId,
    signer: Signer,
    { kind, reserve, work }: CallHandler<Kind, Reserved, Reply>,
  ): Promise<Reply> {
    const { call, reserved } = await this.#turns.decide(sessionId, async (found) => {
      const { session } = found;
      if (!isOfKind(session, kind)) throw refusal('noSuchSession');
      const turn = await this.#turns.requireTurn(found, signer);
      const call = this.#describe<Kind>(session, turn, signer.key);
      // Any new call ends the notice of an earlier refusal.
      const state = { ...turn.state, linkRefusal: null };
      return { call, reserved: await this.#turns.save(turn, state, (trx) => reserve(trx, call)) };
    });
    return work(call, reserved);
  }

  #describe<Kind extends SessionKind>(
    session: Session<Kind>,
    { held, plan, state }: DeviceTurn,
    deviceKey: string,
  ): AcceptedCall<Kind> {
    const { id: sessionId } = session;
    const planText = held.text;
    const keys = { publicKey: plan.publicKey, privateKey: held.privateKey };
    const hold = { deviceKey, nonce: plan.nonce };
    const running = findRunningStep(plan, state.log);
    return {
      session,
      plan,
      planText,
      deviceKey,
      isFirstDevice: findFirstDevice(state) === deviceKey,
      carried: listCarriedSteps(plan, state.log).flatMap((position) => plan.steps[position]?.step ?? []),
      running: running === undefined ? undefined : plan.steps[running],
      open: (envelope, label) => openSealed(label, { envelope, keys, sessionId, planText }),
      keep: (write) => this.keepHeld(sessionId, hold, write),
      end: (finish) => this.endHeld(sessionId, hold, finish),
    };
  }

  /** Writes for a device that still holds the session under the same plan. `write` runs again after a conflict. */
  keepHeld<T>(sessionId: SessionId, hold: DeviceHold, write: (trx: Transaction) => Promise<T>): Promise<T> {
    return this.#decideHeld(sessionId, hold, (turn) => this.#turns.save(turn, turn.record.state, write));
  }

  /** Ends a session under the same conditions. */
  async endHeld(sessionId: SessionId, hold: DeviceHold, finish: FinishSession): Promise<void> {
    const { store, onChange } = this.#turns.parts;
    await this.#decideHeld(sessionId, hold, async ({ record }) => {
      const close = store.toUpdate(sessionId, record, closeChannel(record.state, null));
      if (!(await finish(behaviorOfState(record.state), close))) throw new ConflictError();
    });
    onChange(sessionId);
  }

  /**
   * Shows the device that its last request to a wallet was refused. `forget` deletes that request. If it returns false, the
   * device has asked again since, and sees nothing.
   */
  async refuseHeld(
    sessionId: SessionId,
    hold: DeviceHold,
    linkRefusal: WalletRefusal,
    forget: (trx: Transaction) => Promise<boolean>,
  ): Promise<void> {
    await this.#decideHeld(sessionId, hold, (turn) =>
      this.#turns.saveIf(turn, { ...turn.record.state, linkRefusal }, forget),
    );
    this.#turns.parts.onChange(sessionId);
  }

  #decideHeld<T>(
    sessionId: SessionId,
    { deviceKey, nonce }: DeviceHold,
    work: (turn: Pick<DeviceTurn, 'session' | 'record'>) => Promise<T>,
  ): Promise<T> {
    return this.#turns.decide(sessionId, async (found) => {
      const { record, plan } = await this.#turns.requireHolder(found, deviceKey);
      // A device that got the session back follows another plan.
      if (plan.nonce !== nonce) throw refusal('follower');
      return work({ ...found, record });
    });
  }
}
