// Takes calls that only one kind of session knows: from its active device, once, and kept under the plan they came for.
// Also takes the calls that are offered to the device after the end.
import { carriedSteps, type DevicePlan, type PlanStep, runningStep, type WalletRefusal } from '@limen/plan';
import { AppError, ConflictError } from '../../platform/base/errors.ts';
import type { SessionId } from '../../platform/base/ids.ts';
import type { Transaction } from '../../platform/database/database.ts';
import type { SessionKind } from '../lifecycle/kinds.ts';
import { isOfKind, type Session } from '../lifecycle/session.ts';
import type { BehaviorFacts } from '../risk/measure-behavior.ts';
import type { OfferState } from './channel-state.ts';
import { openSealed } from './envelope.ts';
import type { Keep } from './flow.ts';
import { refusal } from './refusals.ts';
import type { Signer } from './signature.ts';
import { advanceCounter, behaviorOfState, closeChannel, firstDeviceOf } from './state.ts';
import type { ChannelRecord } from './store.ts';
import { type ChannelLookup, type DeviceTurn, type DeviceTurns, requireNewCounter } from './turns.ts';

export interface TakenCall<Kind extends SessionKind = SessionKind> {
  session: Session<Kind>;
  plan: DevicePlan;
  /** As the device got it. */
  planText: string;
  /** The key with which it holds the session. */
  deviceKey: string;
  /** Whether this device began the session. */
  isFirstDevice: boolean;
  /** The steps that the device before has done, by what was reported. */
  carried: readonly PlanStep['step'][];
  /** The step that has begun and is not finished, by what was reported. */
  running: PlanStep | undefined;
  /** What was sealed to the plan's key under this label; undefined when it was not. */
  open(envelope: Uint8Array, label: string): Buffer | undefined;
  /**
   * Writes what the call found, unless the session has ended or was handed on since. Whoever writes for this session
   * does it through here, so that `write` may read first: when somebody else was at it, all of it is done once more.
   */
  keep<T>(write: (trx: Transaction) => Promise<T>): Promise<T>;
  /** Ends the session by what the call found, under the same conditions; `finish` says false when it had ended already. */
  end(finish: (behavior: BehaviorFacts, keep: Keep) => Promise<boolean>): Promise<void>;
}

/** What a device held when something was begun for it that somebody else finishes. */
export interface DeviceHold {
  deviceKey: string;
  /** Of the plan that it followed. */
  nonce: string;
}

export interface CallHandler<Kind extends SessionKind, Reserved, Reply> {
  kind: Kind;
  /** In the transaction that uses the call's counter up; may come again when another call was first. */
  reserve(trx: Transaction, call: TakenCall<Kind>): Promise<Reserved>;
  /** Once, however long it takes. */
  work(call: TakenCall<Kind>, reserved: Reserved): Promise<Reply>;
}

/** Calls that only one kind of session knows. */
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
      const taken = this.#describe<Kind>(session, turn, signer.key);
      // Whatever it asks now, what was refused before is over.
      const state = { ...turn.state, linkRefusal: null };
      return { call: taken, reserved: await this.#turns.save(turn, state, (trx) => reserve(trx, taken)) };
    });
    return work(call, reserved);
  }

  #describe<Kind extends SessionKind>(
    session: Session<Kind>,
    { held, plan, state }: DeviceTurn,
    deviceKey: string,
  ): TakenCall<Kind> {
    const { id: sessionId } = session;
    const planText = held.text;
    const keys = { publicKey: plan.publicKey, privateKey: held.privateKey };
    const hold = { deviceKey, nonce: plan.nonce };
    const running = runningStep(plan, state.log);
    return {
      session,
      plan,
      planText,
      deviceKey,
      isFirstDevice: firstDeviceOf(state) === deviceKey,
      carried: carriedSteps(plan, state.log).flatMap((position) => plan.steps[position]?.step ?? []),
      running: running === undefined ? undefined : plan.steps[running],
      open: (envelope, label) => openSealed(label, { envelope, keys, sessionId, planText }),
      keep: (write) => this.keepHeld(sessionId, hold, write),
      end: (finish) => this.endHeld(sessionId, hold, finish),
    };
  }

  /** Writes for a device that still holds the session as it did then: neither ended nor handed on since. May write again. */
  keepHeld<T>(sessionId: SessionId, hold: DeviceHold, write: (trx: Transaction) => Promise<T>): Promise<T> {
    return this.#turns.decide(sessionId, async (found) => {
      const record = await this.#requireHeld(found, hold);
      return this.#turns.save({ ...found, record }, record.state, write);
    });
  }

  /** Ends a session under the same conditions. */
  async endHeld(sessionId: SessionId, hold: DeviceHold, finish: Parameters<TakenCall['end']>[0]): Promise<void> {
    await this.#turns.decide(sessionId, async (found) => {
      const record = await this.#requireHeld(found, hold);
      const close = this.#turns.store.toUpdate(sessionId, record, closeChannel(record.state, null));
      if (!(await finish(behaviorOfState(record.state), close))) throw new ConflictError();
    });
    this.#turns.onChange(sessionId);
  }

  /**
   * Shows the device, under the same conditions, that its last request to a wallet was refused. `forget` deletes that request in
   * the same transaction. If it returns false, the device has asked again since, and sees nothing.
   */
  async refuseHeld(
    sessionId: SessionId,
    hold: DeviceHold,
    linkRefusal: WalletRefusal,
    forget: (trx: Transaction) => Promise<boolean>,
  ): Promise<void> {
    await this.#turns.decide(sessionId, async (found) => {
      const record = await this.#requireHeld(found, hold);
      await this.#turns.saveIf({ ...found, record }, { ...record.state, linkRefusal }, forget);
    });
    this.#turns.onChange(sessionId);
  }

  async #requireHeld(found: ChannelLookup, { deviceKey, nonce }: DeviceHold): Promise<ChannelRecord> {
    const { record, plan } = await this.#turns.requireHolder(found, deviceKey);
    // Handed on and back again: it is another plan that this device follows now.
    if (plan.nonce !== nonce) throw refusal('follower');
    return record;
  }
}

/** Answers to what the device that finished was offered after the end. */
export class OfferCalls {
  readonly #turns: DeviceTurns;

  constructor(turns: DeviceTurns) {
    this.#turns = turns;
  }

  /** Begins another attempt, in place of an earlier one. */
  async begin(sessionId: SessionId, signer: Signer, maxAttempts: number) {
    const { session, after } = await this.#change(sessionId, signer, ({ attempts }) => {
      if (attempts >= maxAttempts) throw noOffer();
      return { attempts: attempts + 1, open: attempts + 1, taken: false };
    });
    return { session, attempt: after.attempts };
  }

  /** Uses up the open attempt and returns it; null if none is open. */
  async answer(sessionId: SessionId, signer: Signer) {
    const { session, before } = await this.#change(sessionId, signer, (offer) => ({ ...offer, open: null }));
    return { session, attempt: before.open };
  }

  /** Marks the offer as taken. Returns false, and writes nothing, if `write` returns false. */
  take(sessionId: SessionId, signer: Signer, write: (trx: Transaction) => Promise<boolean>): Promise<boolean> {
    return this.#turns.decide(sessionId, async (found) => {
      const { session, record } = await this.#requireOffered(found, signer);
      const offer = { ...record.state.offer, open: null, taken: true };
      const isWritten = await this.#turns.saveIf({ session, record }, { ...record.state, offer }, write);
      if (isWritten) this.#turns.onChange(sessionId);
      return isWritten;
    });
  }

  /** Uses up the call's counter. */
  #change(sessionId: SessionId, signer: Signer, next: (offer: OfferState) => OfferState) {
    return this.#turns.decide(sessionId, async (found) => {
      const { session, record } = await this.#requireOffered(found, signer);
      requireNewCounter(record, signer);
      const before = record.state.offer;
      const after = next(before);
      await this.#turns.save({ session, record }, { ...advanceCounter(record.state, signer), offer: after });
      return { session, before, after };
    });
  }

  async #requireOffered(found: ChannelLookup, signer: Signer) {
    const { session, flow } = found;
    if (!isOfKind(session, 'age')) throw refusal('noSuchSession');
    const record = await this.#turns.requireActive(found, signer.key);
    const offer = flow.endOf()?.ageKeyOffer;
    if (!offer || record.state.offer.taken || this.#turns.clock.now() >= offer.until) throw noOffer();
    return { session, record };
  }
}

function noOffer(): AppError {
  return new AppError('forbidden', 'This session offers nothing more; the view says what comes next.');
}
