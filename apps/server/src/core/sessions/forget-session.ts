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
  /** What waits for a decision outlives the session's retention, and nothing else. */
  cases: { deleteOf: ForgetSession };
}

/** Names a session to the idempotency keys, so that its stored reply goes with it. */
export function resourceOf(sessionId: SessionId): string {
  return `sessions/${sessionId}`;
}

export interface SessionForgetting {
  /** Past its retention. */
  purged: ForgetSession;
  /** Redacted, or its person was deleted. */
  redacted: ForgetSession;
}

export function createForgetSession(options: ForgetSessionOptions): SessionForgetting {
  const { deviceChannels, webhooks, idempotency, cases } = options;
  const forgetWith =
    (forgetWebhooks: ForgetSession): ForgetSession =>
    async (trx, sessionId) => {
      await deviceChannels.forget(trx, sessionId);
      await forgetWebhooks(trx, sessionId);
      await idempotency.forget(trx, resourceOf(sessionId));
    };
  const forgetAll = forgetWith(webhooks.deleteSession);
  return {
    purged: forgetWith(webhooks.forgetSession),
    async redacted(trx, sessionId) {
      await forgetAll(trx, sessionId);
      await cases.deleteOf(trx, sessionId);
    },
  };
}

/** Part of the transaction that deletes a person: the sessions that were about them go too, with their webhooks. */
export function createForgetSessionsOf(
  options: ForgetSessionOptions & {
    store: Pick<SessionStore, 'deleteOfPerson'>;
    /** Some are about sessions whose own time is over. */
    cases: { deleteOfPerson(trx: Transaction, personId: PersonId): Promise<void> };
  },
): (trx: Transaction, personId: PersonId) => Promise<void> {
  const { redacted } = createForgetSession(options);
  return async (trx, personId) => {
    for (const sessionId of await options.store.deleteOfPerson(trx, personId)) await redacted(trx, sessionId);
    await options.cases.deleteOfPerson(trx, personId);
  };
}
