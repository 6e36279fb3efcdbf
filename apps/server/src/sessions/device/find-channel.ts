// Finds a session and what its devices agreed on; a session that has expired is ended along the way.
import type { DevicePlan } from '@limen/plan';
import type { Clock } from '../../platform/base/clock.ts';
import type { SessionId } from '../../platform/base/ids.ts';
import { isKnownKind } from '../lifecycle/kinds/kinds.ts';
import { isOpen } from '../lifecycle/rules.ts';
import type { AnySession } from '../lifecycle/session.ts';
import type { Sessions } from '../lifecycle/sessions.ts';
import type { ChannelState, HeldPlan } from './channel-state.ts';
import { type DeviceFlows, flowOf, type SessionFlow } from './flow.ts';
import { noSuchSession, sessionEnded } from './refusals.ts';
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
    // Nobody has claimed it, so there is nothing to read: whoever does meanwhile is noticed when something is written.
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
