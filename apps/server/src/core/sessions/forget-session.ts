// Removes what hangs on a session whose row is deleted: its channel, its webhooks, its stored replies.
import type { Transaction } from '../../platform/database/database.ts';
import type { Idempotency } from '../../platform/idempotency/idempotency.ts';
import type { PersonId, SessionId } from '../../platform/ids.ts';
import type { SessionStore } from './store.ts';

export type ForgetSession = (trx: Transaction, sessionId: SessionId) => Promise<void>;

interface ForgetSessionOptions {
  deviceChannels: { forget: ForgetSession };
  /** At the end of its retention the log of its webhooks stays, without bodies; where somebody wants it gone, nothing does. */
  webhooks: { forgetSession: ForgetSession; deleteSession: ForgetSession };
  idempotency: Pick<Idempotency, 'forget'>;
}

interface ForgetRedactedOptions extends ForgetSessionOptions {
  cases: { deleteOf: ForgetSession };
}

interface ForgetPurgedOptions extends ForgetSessionOptions {
  /** A case outlives the retention of its session, with what it needs of it. */
  cases: {
    sessionsWithCase(trx: Transaction, sessionIds: readonly SessionId[]): Promise<ReadonlySet<SessionId>>;
    keepEvidence: ForgetSession;
  };
}

/** Names a session to the idempotency keys, so that its stored reply goes with it. */
export function resourceOf(sessionId: SessionId): string {
  return `sessions/${sessionId}`;
}

/** For a session that was redacted, or whose person was deleted. */
export function createForgetRedacted(options: ForgetRedactedOptions): ForgetSession {
  const { deviceChannels, webhooks, idempotency, cases } = options;
  return async (trx, sessionId) => {
    await deviceChannels.forget(trx, sessionId);
    await webhooks.deleteSession(trx, sessionId);
    await idempotency.forget(trx, resourceOf(sessionId));
    await cases.deleteOf(trx, sessionId);
  };
}

/** For sessions that are past their retention. */
export function createForgetPurged(options: ForgetPurgedOptions) {
  const { deviceChannels, webhooks, idempotency, cases } = options;
  return async (trx: Transaction, sessionIds: readonly SessionId[]): Promise<void> => {
    const reviewed = await cases.sessionsWithCase(trx, sessionIds);
    for (const sessionId of sessionIds) {
      // First, so that the evidence has the end of a webhook that is given up here.
      await webhooks.forgetSession(trx, sessionId);
      if (reviewed.has(sessionId)) await cases.keepEvidence(trx, sessionId);
      await deviceChannels.forget(trx, sessionId);
      await idempotency.forget(trx, resourceOf(sessionId));
    }
  };
}

/** Part of the transaction that deletes a person: the sessions that were about them go too, with their webhooks. */
export function createForgetSessionsOf(
  options: ForgetRedactedOptions & {
    store: Pick<SessionStore, 'deleteOfPerson'>;
    /** Some are about sessions whose own time is over. */
    cases: { deleteOfPerson(trx: Transaction, personId: PersonId): Promise<SessionId[]> };
  },
): (trx: Transaction, personId: PersonId) => Promise<void> {
  const redacted = createForgetRedacted(options);
  return async (trx, personId) => {
    for (const sessionId of await options.store.deleteOfPerson(trx, personId)) await redacted(trx, sessionId);
    for (const sessionId of await options.cases.deleteOfPerson(trx, personId)) await redacted(trx, sessionId);
  };
}
