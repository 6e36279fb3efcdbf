// The device channel: which device holds a session, what the session asks of it, and what it sends.
import type { CancelRequest, ClaimReply, ClaimRequest, DeviceView, ReportRequest } from '@limen/contract';
import { ConflictError } from '../../platform/base/errors.ts';
import type { SessionId } from '../../platform/base/ids.ts';
import type { SessionState } from '../lifecycle/rules.ts';
import { type AnswerFault, lightAhead, outOfPlan, refuseAnswer, takeAnswer } from './answer.ts';
import type { ChannelState } from './channel-state.ts';
import { drawPlan } from './draw-plan.ts';
import { selectFlow } from './flow.ts';
import type { Handoffs } from './handoff.ts';
import { refusal } from './refusals.ts';
import type { Signer } from './signature.ts';
import {
  advanceCounter,
  behaviorOfState,
  bindDevice,
  closeChannel,
  digestContent,
  extendLog,
  isLightAhead,
  judgeClaim,
  keepLog,
} from './state.ts';
import { type ChannelLookup, type DeviceTurn, type DeviceTurns, requireNewCounter, requireOpen } from './turns.ts';
import { presentView } from './view.ts';

export class DeviceChannel {
  readonly #turns: DeviceTurns;
  readonly #handoffs: Handoffs;

  constructor(turns: DeviceTurns, handoffs: Handoffs) {
    this.#turns = turns;
    this.#handoffs = handoffs;
  }

  async view(sessionId: SessionId, signer: Signer | undefined): Promise<DeviceView> {
    const found = await this.#turns.findToRead(sessionId, signer);
    return presentView(found, signer?.key, this.#turns.now());
  }

  claim(sessionId: SessionId, signer: Signer, { code, number, start }: ClaimRequest): Promise<ClaimReply> {
    return this.#turns.decide(sessionId, async (found) => {
      requireOpen(found);
      const { session, record } = found;
      if (!record) return this.#claimFirst(found, signer, start === true);
      if (!record.state.plan) throw new ConflictError(); // it ended between the two reads
      requireNewCounter(record, signer);
      const verdict = judgeClaim(record.state, signer.key, code && digestContent(code), this.#turns.now());
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
    const { sessions, onChange } = this.#turns.parts;
    return this.#turns.decide(sessionId, async (found) => {
      const turn = await this.#turns.requireTurn(found, signer);
      const { session, state, plan } = turn;
      const extended = extendLog(plan, state.log, from, entries);
      if ('conflict' in extended) throw refusal('logConflict');
      if ('misfit' in extended) {
        const sentence = 'The reported steps are not those that the plan asks for.';
        return this.#refuseReport(turn, outOfPlan(plan, extended.misfit, sentence));
      }
      const now = this.#turns.now();
      if (isLightAhead(state, extended.log, now)) return this.#refuseReport(turn, lightAhead(plan));
      const kept = keepLog(state, extended.log, now);
      await this.#turns.save(turn, kept, async (trx) => {
        if (session.state === 'opened' && !(await sessions.move(session.id, 'capturing', trx)))
          throw new ConflictError();
      });
      onChange(session.id);
      return this.#viewAfter(found, 'capturing', kept, signer);
    });
  }

  async #refuseReport(turn: DeviceTurn, fault: AnswerFault): Promise<never> {
    const { store, onChange } = this.#turns.parts;
    const refusal = await refuseAnswer(store, turn, fault);
    onChange(turn.session.id);
    throw refusal;
  }

  answer(sessionId: SessionId, signer: Signer, envelope: Uint8Array, client?: string): Promise<DeviceView> {
    const { store, flows, onChange } = this.#turns.parts;
    return this.#turns.decide(sessionId, async (found) => {
      const { accepted } = (await this.#turns.requireActive(found, signer.key)).state;
      if (accepted !== null) {
        if (accepted === digestContent(envelope)) return presentView(found, signer.key, this.#turns.now());
        throw refusal('answeredAlready');
      }
      const turn = await this.#turns.requireTurn(found, signer);
      const arrival = { at: this.#turns.now(), client };
      const answered = takeAnswer(store, turn, envelope, arrival).finally(() => onChange(sessionId));
      const { session, state } = await answered;
      return presentView(
        { session, flow: selectFlow(flows, session), record: { state } },
        signer.key,
        this.#turns.now(),
      );
    });
  }

  cancel(sessionId: SessionId, signer: Signer, { code }: CancelRequest): Promise<DeviceView> {
    const { store, onChange } = this.#turns.parts;
    return this.#turns.decide(sessionId, async (found) => {
      const { session, flow, record, state } = await this.#turns.requireTurn(found, signer);
      const keep = store.toUpdate(session.id, record, closeChannel(state, null));
      if (!(await flow.cancel(code, behaviorOfState(state), keep))) throw new ConflictError();
      onChange(session.id);
      return this.#turns.view(sessionId, signer.key);
    });
  }

  async #claimFirst(found: ChannelLookup, signer: Signer, starts: boolean): Promise<ClaimReply> {
    const { session, flow } = found;
    if (session.state !== 'created') throw new ConflictError();
    const { store, sessions, modelManifest, onChange } = this.#turns.parts;
    const plan = await drawPlan({
      session,
      flow,
      modelManifest: modelManifest(),
      before: null,
      now: this.#turns.now(),
    });
    const state = bindDevice(signer, plan, starts ? [['started', 0, 0]] : []);
    const now = starts ? 'capturing' : 'opened';
    await this.#turns.write(store.toInsert(session.id, state), async (trx) => {
      if (!(await sessions.move(session.id, now, trx))) throw new ConflictError();
    });
    onChange(session.id);
    const reply = await this.#replyToClaim(found, now, state, signer);
    return starts ? { ...reply, started: true } : reply;
  }

  async #replyToClaim(found: ChannelLookup, now: SessionState, state: ChannelState, signer: Signer) {
    const { store } = this.#turns.parts;
    // A device that offers the session has sealed the box itself, for another device.
    const isForThisDevice = state.holdsBox && !state.handoff;
    const carried = isForThisDevice ? await store.findBox(found.session.id, this.#turns.now()) : undefined;
    return {
      plan: state.plan?.text ?? '',
      view: this.#viewAfter(found, now, state, signer),
      log: [...state.log],
      ...(state.devices.length > 1 && { followed: true as const }),
      ...(carried && { carried }),
    };
  }

  /** Returns the view of a state that was just written, without reading it again. */
  #viewAfter({ session, flow }: ChannelLookup, now: SessionState, state: ChannelState, { key }: Signer): DeviceView {
    return presentView({ session: { ...session, state: now }, flow, record: { state } }, key, this.#turns.now());
  }
}
