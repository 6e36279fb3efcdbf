// The device channel: who holds a session, what it is asked to do, and what it sends.
import type { CancelRequest, ClaimReply, ClaimRequest, DeviceView, ReportRequest } from '@limen/contract';
import { ConflictError } from '../../platform/base/errors.ts';
import type { SessionId } from '../../platform/base/ids.ts';
import type { SessionState } from '../lifecycle/rules.ts';
import type { Sessions } from '../lifecycle/sessions.ts';
import { digestOfEnvelope, type Fault, lightAhead, outOfPlan, refuseAnswer, takeAnswer } from './answer.ts';
import type { ChannelState } from './channel-state.ts';
import { drawPlan } from './draw-plan.ts';
import type { Handoffs } from './handoff.ts';
import { refusal } from './refusals.ts';
import type { Signer } from './signature.ts';
import {
  advanceCounter,
  behaviorOfState,
  bindDevice,
  closeChannel,
  digestOf,
  extendLog,
  isLightAhead,
  judgeClaim,
  keepLog,
} from './state.ts';
import { type ChannelLookup, type DeviceTurn, type DeviceTurns, requireNewCounter, requireOpen } from './turns.ts';
import { viewOf } from './view.ts';

export class DeviceChannel {
  readonly #turns: DeviceTurns;
  readonly #sessions: Pick<Sessions, 'move'>;
  readonly #handoffs: Handoffs;
  readonly #modelManifest: () => string | null;

  constructor(
    turns: DeviceTurns,
    handoffs: Handoffs,
    { sessions, modelManifest }: { sessions: Pick<Sessions, 'move'>; modelManifest: () => string | null },
  ) {
    this.#turns = turns;
    this.#sessions = sessions;
    this.#handoffs = handoffs;
    this.#modelManifest = modelManifest;
  }

  async view(sessionId: SessionId, signer: Signer | undefined): Promise<DeviceView> {
    const found = await this.#turns.findToRead(sessionId, signer);
    return viewOf(found, signer?.key, this.#turns.clock.now());
  }

  claim(sessionId: SessionId, signer: Signer, { code, number, start }: ClaimRequest): Promise<ClaimReply> {
    return this.#turns.decide(sessionId, async (found) => {
      requireOpen(found);
      const { session, record } = found;
      if (!record) return this.#claimFirst(found, signer, start === true);
      if (!record.state.plan) throw new ConflictError(); // it ended between the two reads
      requireNewCounter(record, signer);
      const verdict = judgeClaim(record.state, signer.key, code && digestOf(code), this.#turns.clock.now());
      if (verdict === 'takes over') {
        const taken = await this.#handoffs.take({ ...found, record }, signer, number);
        return this.#replyToClaim(found, session.state, taken, signer);
      }
      // Opening the link twice is harmless. A third device is treated as an attack.
      if (verdict === 'third device') await this.#turns.refuseStranger(found, refusal(verdict));
      else if (verdict !== 'holds') throw refusal(verdict);
      const state = advanceCounter(record.state, signer);
      await this.#turns.save({ session, record }, state);
      return this.#replyToClaim(found, session.state, state, signer);
    });
  }

  report(sessionId: SessionId, signer: Signer, { from, entries }: ReportRequest): Promise<DeviceView> {
    return this.#turns.decide(sessionId, async (found) => {
      const turn = await this.#turns.requireTurn(found, signer);
      const { session, state, plan } = turn;
      const extended = extendLog(plan, state.log, from, entries);
      if ('misfit' in extended) {
        const sentence = 'The reported steps are not those that the plan asks for.';
        return this.#refuseReport(turn, outOfPlan(plan, extended.misfit, sentence));
      }
      if ('conflict' in extended) throw refusal('logConflict');
      const now = this.#turns.clock.now();
      if (isLightAhead(state, extended.log, now)) return this.#refuseReport(turn, lightAhead(turn));
      const kept = keepLog(state, extended.log, now);
      await this.#turns.save(turn, kept, async (trx) => {
        if (session.state === 'opened' && !(await this.#sessions.move(session.id, 'capturing', trx)))
          throw new ConflictError();
      });
      this.#turns.onChange(session.id);
      return this.#viewAfter(found, 'capturing', kept, signer);
    });
  }

  async #refuseReport(turn: DeviceTurn, fault: Fault): Promise<never> {
    const refusal = await refuseAnswer(this.#turns.store, turn, fault);
    this.#turns.onChange(turn.session.id);
    throw refusal;
  }

  /** `client` is the address it came from, if that is known. */
  answer(sessionId: SessionId, signer: Signer, envelope: Uint8Array, client?: string): Promise<DeviceView> {
    const { store, clock, onChange } = this.#turns;
    return this.#turns.decide(sessionId, async (found) => {
      const { accepted } = (await this.#turns.requireActive(found, signer.key)).state;
      if (accepted !== null) {
        if (accepted === digestOfEnvelope(envelope)) return viewOf(found, signer.key, clock.now());
        throw refusal('answeredAlready');
      }
      const turn = await this.#turns.requireTurn(found, signer);
      const arrival = { at: clock.now(), client };
      const answered = takeAnswer(store, turn, envelope, arrival).finally(() => onChange(sessionId));
      const { session, state } = await answered;
      return viewOf({ session, flow: this.#turns.flowOf(session), record: { state } }, signer.key, clock.now());
    });
  }

  cancel(sessionId: SessionId, signer: Signer, { code }: CancelRequest): Promise<DeviceView> {
    return this.#turns.decide(sessionId, async (found) => {
      const { session, flow, record, state } = await this.#turns.requireTurn(found, signer);
      const keep = this.#turns.store.toUpdate(session.id, record, closeChannel(state, null));
      if (!(await flow.cancel(code, behaviorOfState(state), keep))) throw new ConflictError();
      this.#turns.onChange(session.id);
      return this.#turns.view(sessionId, signer.key);
    });
  }

  async #claimFirst(found: ChannelLookup, signer: Signer, starts: boolean): Promise<ClaimReply> {
    const { session } = found;
    if (session.state !== 'created') throw new ConflictError();
    const { store, clock } = this.#turns;
    const plan = await drawPlan({ ...found, modelManifest: this.#modelManifest(), before: null, now: clock.now() });
    const state = bindDevice(signer, plan, starts ? [['started', 0, 0]] : []);
    const now = starts ? 'capturing' : 'opened';
    await this.#turns.keep(store.toInsert(session.id, state), async (trx) => {
      if (!(await this.#sessions.move(session.id, now, trx))) throw new ConflictError();
    });
    this.#turns.onChange(session.id);
    const reply = await this.#replyToClaim(found, now, state, signer);
    return starts ? { ...reply, started: true } : reply;
  }

  async #replyToClaim(
    found: ChannelLookup,
    now: SessionState,
    state: ChannelState,
    signer: Signer,
  ): Promise<ClaimReply> {
    const { store, clock } = this.#turns;
    // A device that offers the session itself has sealed the box that is there for another.
    const carried = state.holdsBox && !state.handoff ? await store.findBox(found.session.id, clock.now()) : undefined;
    const view = this.#viewAfter(found, now, state, signer);
    const followed = state.devices.length > 1 && { followed: true as const };
    return { plan: state.plan?.text ?? '', view, log: [...state.log], ...followed, ...(carried && { carried }) };
  }

  /** Returns the view of what was just written, without reading it again. */
  #viewAfter({ session, flow }: ChannelLookup, now: SessionState, state: ChannelState, { key }: Signer): DeviceView {
    return viewOf({ session: { ...session, state: now }, flow, record: { state } }, key, this.#turns.clock.now());
  }
}
