// Finds a session and the state of its devices, and shows it. A session that has expired is ended along the way.

import type { DeviceView } from '@limen/contract';
import { type DevicePlan, progressOf } from '@limen/plan';
import type { Clock } from '../../platform/base/clock.ts';
import { ConflictError } from '../../platform/base/errors.ts';
import type { SessionId } from '../../platform/base/ids.ts';
import type { Database } from '../../platform/database/database.ts';
import { isKnownKind } from '../lifecycle/kinds.ts';
import { isOpen } from '../lifecycle/rules.ts';
import type { AnySession, Session } from '../lifecycle/session.ts';
import type { Sessions } from '../lifecycle/sessions.ts';
import type { BehaviorFacts } from '../risk/measure-behavior.ts';
import type { ChannelState, HeldPlan } from './channel-state.ts';
import { type DeviceFlows, flowOf, type Keep, type SessionFlow } from './flow.ts';
import { noSuchSession, overtakenTooOften, sessionEnded } from './refusals.ts';
import { behaviorOfState, closeChannel, firstDeviceOf, roleOf, sendBack } from './state.ts';
import type { ChannelRecord, ChannelStore } from './store.ts';

export interface Found {
  session: AnySession;
  flow: SessionFlow;
  /** Undefined until a device has claimed the session. */
  record: ChannelRecord | undefined;
}

/** A session whose active device may change it, with the state as this call leaves it so far. */
export interface Turn extends Found {
  record: ChannelRecord;
  state: ChannelState;
  held: HeldPlan;
  plan: DevicePlan;
}

interface FinderOptions {
  store: ChannelStore;
  sessions: Sessions;
  flows: DeviceFlows;
  clock: Clock;
}

export function createFinder({
  store,
  sessions,
  flows,
  clock,
}: FinderOptions): (sessionId: SessionId) => Promise<Found> {
  return async (sessionId) => {
    let { session, flow } = await findSession(sessionId);
    if (isOpen(session.state) && session.expiresAt <= clock.now()) {
      await flow.expire();
      ({ session, flow } = await findSession(sessionId));
    }
    // No device has claimed the session, so there is nothing to read. A concurrent claim is
    // detected when something is written.
    if (session.state === 'created') return { session, flow, record: undefined };
    // The session first: what is read after its end shows how it ended.
    const record = await store.find(sessionId);
    // Claiming opens a session and writes its row at once: without one it was deleted between the two reads.
    if (!record && isOpen(session.state)) throw noSuchSession();
    return { session, flow, record };
  };

  async function findSession(sessionId: SessionId) {
    const session = await sessions.find(sessionId);
    if (!session || !isKnownKind(session.kind)) throw noSuchSession();
    return { session, flow: flowOf(flows, session) };
  }
}

export function requireOpen({ session }: Found): void {
  if (!isOpen(session.state)) throw sessionEnded(session.state);
}

export interface ChannelClosing {
  /** Behavior of the session's devices so far. */
  behavior: BehaviorFacts;
  /** Drops plan and private key with the end; throws `ConflictError` when a device has changed something since. */
  keep: Keep;
}

/** Null when no device ever opened the session. */
export async function prepareClosing(store: ChannelStore, sessionId: SessionId): Promise<ChannelClosing | null> {
  const record = await store.find(sessionId);
  if (!record) return null;
  const keep = store.toUpdate(sessionId, record, closeChannel(record.state, null));
  return { behavior: behaviorOfState(record.state), keep };
}

/** Calls of one session that get in each other's way are few: a device sends one after the other. */
const MAX_TRIES = 8;

/** `work` reads, decides and writes; it throws `ConflictError` when what it read is no longer true. */
export async function untilNotOvertaken<T>(database: Database, work: () => Promise<T>): Promise<T> {
  for (let tries = 0; tries < MAX_TRIES; tries += 1) {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof ConflictError)) throw error;
      await untilWritten(database);
    }
  }
  throw overtakenTooOften();
}

/**
 * On SQLite writers share a commit, so that the change that was first may not be readable yet; an empty transaction ends
 * no sooner than it is. On PostgreSQL a write waits for the one that was first, so that it is readable already, and this
 * only costs a round trip.
 */
function untilWritten(database: Database): Promise<void> {
  return database.transact(async () => {});
}

interface Seen extends Pick<Found, 'flow'> {
  session: Pick<Session, 'id' | 'state' | 'expiresAt'>;
  record: Pick<ChannelRecord, 'state'> | undefined;
}

/** `key` is of the device that asks; undefined when it did not sign. */
export function viewOf({ session, flow, record }: Seen, key: string | undefined, now: number): DeviceView {
  const settings = flow.describe();
  const { locale, enableDesktop, redirectUrl, debugLevel, asks, handoff } = settings;
  const role = record && key !== undefined ? roleOf(record.state, key) : 'none';
  const progress = record && role !== 'none' ? progressOf(record.state.log) : undefined;
  const end = flow.endOf();
  // A stranger with the link learns only how the session ended. If no device ever claimed it, a
  // late visitor must still be redirected.
  const tellsAll = role !== 'none' || !record;
  const sendsOn = tellsAll && redirectUrl !== undefined;
  const { ageKeyOffer: offer } = end ?? {};
  const isOffered = offer && role === 'active' && !record?.state.offer.taken && now < offer.until;
  const byCode = settings.returnsByCode ? record?.state : undefined;
  return {
    sessionId: session.id,
    state: session.state,
    expiresAt: new Date(session.expiresAt).toISOString(),
    serverTime: new Date(now).toISOString(),
    locale,
    enableDesktop,
    ...(debugLevel && { debugLevel }),
    asks,
    role,
    ...(progress && { progress }),
    handoff: handoff === 'refuse' ? 'refused' : 'offered',
    ...(role === 'active' && record?.state.wrongNumber && { wrongNumber: true }),
    ...(role === 'active' && record?.state.declined && { handoffDeclined: true }),
    ...(role === 'active' && record?.state.linkRefusal && { walletLinkRefused: record.state.linkRefusal }),
    ...(end && {
      end: {
        flowStatus: end.flowStatus,
        errors: tellsAll ? [...end.errors] : [],
        ...(sendsOn && (byCode ? sendBack(byCode, key === firstDeviceOf(byCode), redirectUrl) : { redirectUrl })),
        ...(isOffered && { ageKeyOffer: { ageOver: offer.ageOver } }),
      },
    }),
  };
}
