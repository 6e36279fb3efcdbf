// Closes a session's channel for an end that no device brings about: by time, or in test mode.
import type { SessionId } from '../../platform/base/ids.ts';
import type { BehaviorFacts } from '../risk/measure-behavior.ts';
import type { Keep } from './flow.ts';
import { behaviorOfState, closeChannel } from './state.ts';
import type { ChannelStore } from './store.ts';

export interface ChannelClosing {
  /** What the session's devices did so far. */
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
