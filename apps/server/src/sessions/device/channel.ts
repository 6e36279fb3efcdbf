// The device channel: who holds a session, what it is asked to do, and what it sends.
import type {
  CancelRequest,
  ClaimReply,
  ClaimRequest,
  DeviceView,
  HandoffDeclineRequest,
  HandoffLookRequest,
  HandoffRequest,
  ReportRequest,
  ReturnCodeRequest,
} from '@limen/contract';
import { readPlan, type WalletRefusal } from '@limen/plan';
import type { Clock } from '../../platform/base/clock.ts';
import { type AppError, ConflictError } from '../../platform/base/errors.ts';
import type { SessionId } from '../../platform/base/ids.ts';
import type { Database, Transaction } from '../../platform/database/database.ts';
import type { SessionKind } from '../lifecycle/kinds.ts';
import type { SessionState } from '../lifecycle/rules.ts';
import type { Sessions } from '../lifecycle/sessions.ts';
import { digestOfEnvelope, lightAhead, outOfPlan, refuseAnswer, takeAnswer } from './answer.ts';
import type { ChannelState } from './channel-state.ts';
import { drawPlan } from './draw-plan.ts';
import { createFinder, type Found, requireOpen, type Turn, untilNotOvertaken, viewOf } from './find-channel.ts';
import { type DeviceFlows, flowOf } from './flow.ts';
import { createHandoffCalls, digestOf } from './handoff.ts';
import {
  answeredAlready,
  claimRefused,
  deviceMismatch,
  logConflict,
  noSuchSession,
  notClaimed,
  staleCounter,
} from './refusals.ts';
import type { Signer } from './signature.ts';
import {
  advanceCounter,
  behaviorOfState,
  bindDevice,
  type ClaimVerdict,
  closeChannel,
  countRefusal,
  deviceOf,
  extendLog,
  isLightAhead,
  judgeClaim,
  keepLog,
  roleOf,
} from './state.ts';
import type { ChannelStore } from './store.ts';
import {
  type CallHandler,
  createOfferCalls,
  type DeviceHold,
  endHeld,
  keepHeld,
  refuseHeld,
  type TakenCall,
  takeCall,
} from './take-call.ts';

export interface DeviceChannelOptions {
  database: Database;
  store: ChannelStore;
  sessions: Sessions;
  flows: DeviceFlows;
  clock: Clock;
  launchUrl: (sessionId: SessionId) => URL;
  /** SHA-256 of the model manifest as it is served, in hex; null while the models are not there. */
  modelManifest: () => string | null;
  /** Told of every change of a session that was made here. */
  onChange(sessionId: SessionId): void;
}

export function createDeviceChannel(options: DeviceChannelOptions) {
  const { database, store, sessions, flows, clock, modelManifest, onChange } = options;
  const find = createFinder({ store, sessions, flows, clock });
  const handoffs = createHandoffCalls(options);

  const channel = {
    /** Throws 404 for a session that is not there; changes nothing. */
    async requireSession(sessionId: SessionId) {
      if (!(await sessions.find(sessionId))) throw noSuchSession();
    },

    async view(sessionId: SessionId, signer: Signer | undefined) {
      const found = await find(sessionId);
      if (signer && found.record) requireNotBelow(found.record.state, signer);
      return viewOf(found, signer?.key, clock.now());
    },

    /** For a device whose signature was looked at before: what a stream shows. */
    viewFor: async (sessionId: SessionId, key: string) => viewOf(await find(sessionId), key, clock.now()),

    /** Refuses a signer that is no device of the session. */
    requireDevice: (sessionId: SessionId, signer: Signer) =>
      decide(sessionId, async (found) => {
        if (found.record && deviceOf(found.record.state, signer.key)) requireNotBelow(found.record.state, signer);
        else await refuseStranger(found, found.record ? deviceMismatch('none') : notClaimed());
      }),

    claim: (sessionId: SessionId, { code, number, start }: ClaimRequest, signer: Signer) =>
      decide(sessionId, async (found) => {
        requireOpen(found);
        const { session, record } = found;
        if (!record) return claimFirst(found, signer, start === true);
        if (!record.state.plan) throw new ConflictError(); // it ended between the two reads
        if (deviceOf(record.state, signer.key)) requireAbove(record.state, signer);
        const verdict = judgeClaim(record.state, signer.key, code && digestOf(code), clock.now());
        if (verdict === 'takes over') {
          return claimReply(found, session.state, await handoffs.take(found, record, signer, number), signer);
        }
        if (verdict !== 'holds') return refuseClaim(found, verdict);
        const state = advanceCounter(record.state, signer);
        await database.transact(store.toUpdate(session.id, record, state));
        return claimReply(found, session.state, state, signer);
      }),

    report: (sessionId: SessionId, { from, entries }: ReportRequest, signer: Signer) =>
      decide(sessionId, async (found) => {
        const turn = await requireTurn(found, signer);
        const { session, record, state, plan } = turn;
        const extended = extendLog(plan, state.log, from, entries);
        if ('misfit' in extended) {
          const fault = outOfPlan(plan, extended.misfit, 'The reported steps are not those that the plan asks for.');
          const refusal = await refuseAnswer(store, turn, fault);
          onChange(session.id);
          throw refusal;
        }
        if ('conflict' in extended) throw logConflict();
        const now = clock.now();
        if (isLightAhead(state, extended.log, now)) {
          const refusal = await refuseAnswer(store, turn, lightAhead(turn));
          onChange(session.id);
          throw refusal;
        }
        const kept = keepLog(state, extended.log, now);
        const keep = store.toUpdate(session.id, record, kept);
        await database.transact(async (trx) => {
          if (session.state === 'opened' && !(await sessions.move(session.id, 'capturing', trx)))
            throw new ConflictError();
          await keep(trx);
        });
        onChange(session.id);
        return viewAfter(found, 'capturing', kept, signer);
      }),

    /** `client` is the address it came from, if that is known. */
    answer: (sessionId: SessionId, envelope: Uint8Array, signer: Signer, client?: string) =>
      decide(sessionId, async (found) => {
        await requireActive(found, signer);
        const accepted = found.record?.state.accepted ?? null;
        if (accepted !== null) {
          if (accepted === digestOfEnvelope(envelope)) return viewOf(found, signer.key, clock.now());
          throw answeredAlready();
        }
        const turn = await requireTurn(found, signer);
        const arrival = { at: clock.now(), client };
        const answered = takeAnswer(store, turn, envelope, arrival).finally(() => onChange(sessionId));
        const { session, state } = await answered;
        return viewOf({ session, flow: flowOf(flows, session), record: { state } }, signer.key, clock.now());
      }),

    cancel: (sessionId: SessionId, { code }: CancelRequest, signer: Signer) =>
      decide(sessionId, async (found) => {
        const { session, flow, record, state } = await requireTurn(found, signer);
        const keep = store.toUpdate(session.id, record, closeChannel(state, null));
        if (!(await flow.cancel(code, behaviorOfState(state), keep))) throw new ConflictError();
        onChange(session.id);
        return channel.viewFor(sessionId, signer.key);
      }),

    handoff: (sessionId: SessionId, request: HandoffRequest, signer: Signer) =>
      decide(sessionId, async (found) => handoffs.offer(await requireTurn(found, signer), request, signer.key)),

    /** What is told of a handoff before it is taken; changes nothing. */
    async look(sessionId: SessionId, { code }: HandoffLookRequest, signer: Signer) {
      const found = await find(sessionId);
      if (found.record && deviceOf(found.record.state, signer.key)) requireNotBelow(found.record.state, signer);
      return handoffs.look(found, code, signer);
    },

    /** The person at the next device does not want to: the code is void, and the device that made it is told. */
    decline: (sessionId: SessionId, { code }: HandoffDeclineRequest, signer: Signer) =>
      decide(sessionId, async (found) => {
        if (found.record && deviceOf(found.record.state, signer.key)) requireAbove(found.record.state, signer);
        await handoffs.decline(found, code, signer);
        return channel.viewFor(sessionId, signer.key);
      }),

    /** The code that the other device shows, typed on the one that began. */
    giveBack: (sessionId: SessionId, { code }: ReturnCodeRequest, signer: Signer) =>
      decide(sessionId, async (found) => {
        if (found.record && deviceOf(found.record.state, signer.key)) requireAbove(found.record.state, signer);
        await handoffs.giveBack(found, code, signer);
        return channel.viewFor(sessionId, signer.key);
      }),

    /** A call that only one kind of session knows. */
    take: <Kind extends SessionKind, Reserved, Reply>(
      sessionId: SessionId,
      signer: Signer,
      handler: CallHandler<Kind, Reserved, Reply>,
    ) => takeCall({ database, store, decide, requireActive, requireTurn, onChange }, sessionId, signer, handler),

    /** Ends a session by what its device asked of somebody else, while the device holds it as it did then. */
    endHeld: (sessionId: SessionId, hold: DeviceHold, finish: Parameters<TakenCall['end']>[0]) =>
      endHeld({ store, decide, requireActive, onChange }, sessionId, hold, finish),

    /** Writes what comes of that, while the device holds the session as it did then; `write` may be called again. */
    keepHeld: <T>(sessionId: SessionId, hold: DeviceHold, write: (trx: Transaction) => Promise<T>) =>
      keepHeld({ database, store, decide, requireActive }, sessionId, hold, write),

    /**
     * Tells the device that what it asked of a wallet was refused, while it holds the session as it did then. `forget` deletes what
     * was asked, in the same transaction; it says false where the device has asked for something else since, and is told nothing.
     */
    refuseHeld: (
      sessionId: SessionId,
      hold: DeviceHold,
      refusal: WalletRefusal,
      forget: (trx: Transaction) => Promise<boolean>,
    ) => refuseHeld({ database, store, decide, requireActive, onChange }, sessionId, hold, refusal, forget),

    /** Answers what the device that finished was offered after the end. */
    offers: createOfferCalls({ database, store, clock, decide, requireActive, requireAbove, onChange }),
  };
  return channel;

  /** Every change is decided on what was read and written only if that still holds; else all of it once more. */
  function decide<T>(sessionId: SessionId, work: (found: Found) => Promise<T>): Promise<T> {
    return untilNotOvertaken(database, async () => work(await find(sessionId)));
  }

  async function claimFirst(found: Found, signer: Signer, starts: boolean): Promise<ClaimReply> {
    const { session } = found;
    if (session.state !== 'created') throw new ConflictError();
    const plan = await drawPlan({ ...found, modelManifest: modelManifest(), before: null, now: clock.now() });
    const state = bindDevice(signer, plan, starts ? [['started', 0, 0]] : []);
    const now = starts ? 'capturing' : 'opened';
    const keep = store.toInsert(session.id, state);
    await database.transact(async (trx) => {
      if (!(await sessions.move(session.id, now, trx))) throw new ConflictError();
      await keep(trx);
    });
    onChange(session.id);
    const reply = await claimReply(found, now, state, signer);
    return starts ? { ...reply, started: true } : reply;
  }

  async function claimReply(found: Found, now: SessionState, state: ChannelState, signer: Signer): Promise<ClaimReply> {
    // A device that offers the session itself has sealed the box that is there for another.
    const carried = state.holdsBox && !state.handoff ? await store.findBox(found.session.id, clock.now()) : undefined;
    const view = viewAfter(found, now, state, signer);
    const followed = state.devices.length > 1 && { followed: true as const };
    return { plan: state.plan?.text ?? '', view, log: [...state.log], ...followed, ...(carried && { carried }) };
  }

  /** What was just written, without reading it again. */
  function viewAfter({ session, flow }: Found, now: SessionState, state: ChannelState, { key }: Signer): DeviceView {
    return viewOf({ session: { ...session, state: now }, flow, record: { state } }, key, clock.now());
  }

  /** Whoever opens a link twice is no attacker; a third device is. */
  async function refuseClaim(found: Found, verdict: Exclude<ClaimVerdict, 'holds' | 'takes over'>): Promise<never> {
    const refusal = claimRefused(verdict);
    if (verdict !== 'third device') throw refusal;
    return refuseStranger(found, refusal);
  }

  async function refuseStranger({ session, record }: Found, refusal: AppError): Promise<never> {
    const counted = record && session.outcome === undefined && countRefusal(record.state, 'otherDeviceAttempts');
    if (counted) await database.transact(store.toUpdate(session.id, record, counted));
    throw refusal;
  }

  async function requireActive(found: Found, { key }: Pick<Signer, 'key'>): Promise<void> {
    if (!found.record) throw notClaimed();
    const role = roleOf(found.record.state, key);
    if (role === 'none') await refuseStranger(found, deviceMismatch(role));
    // Not counted: its page may still have had reports under way when the session was handed on.
    if (role === 'follower') throw deviceMismatch(role);
  }

  /** The active device of an open session with a counter that was not used; remembered in the state that comes back. */
  async function requireTurn(found: Found, signer: Signer): Promise<Turn> {
    await requireActive(found, signer);
    requireOpen(found);
    const { record } = found;
    if (!record?.state.plan) throw new ConflictError(); // it ended between the two reads
    requireAbove(record.state, signer);
    const held = record.state.plan;
    return { ...found, record, held, plan: readPlan(held.text), state: advanceCounter(record.state, signer) };
  }
}

export type DeviceChannel = ReturnType<typeof createDeviceChannel>;

function requireAbove(state: ChannelState, { key, counter }: Signer): void {
  const last = deviceOf(state, key)?.counter ?? 0;
  if (counter <= last) throw staleCounter(last);
}

/** Reading changes nothing, so the last counter may be read with again. */
function requireNotBelow(state: ChannelState, { key, counter }: Signer): void {
  const last = deviceOf(state, key)?.counter ?? 0;
  if (counter < last) throw staleCounter(last);
}
