// Removes what hangs on a session whose row is deleted: its channel, the bodies of its webhooks, its stored replies.
import type { Transaction } from '../../platform/database/database.ts';
import type { Idempotency } from '../../platform/idempotency/idempotency.ts';
import type { SessionStore } from './store.ts';

type ForgetSession = (trx: Transaction, sessionId: string) => Promise<void>;

interface ForgetSessionOptions {
  deviceChannels: { forget: ForgetSession };
  webhooks: { forgetSession: ForgetSession };
  idempotency: Pick<Idempotency, 'forget'>;
}

/** Names a session to the idempotency keys, so that its stored reply goes with it. */
export function resourceOf(sessionId: string): string {
  return `sessions/${sessionId}`;
}

export function createForgetSession({ deviceChannels, webhooks, idempotency }: ForgetSessionOptions): ForgetSession {
  return async (trx, sessionId) => {
    await deviceChannels.forget(trx, sessionId);
    await webhooks.forgetSession(trx, sessionId);
    await idempotency.forget(trx, resourceOf(sessionId));
  };
}

/** Part of the transaction that deletes a person: the sessions that were about them go too, with their webhooks' bodies. */
export function createForgetSessionsOf(
  options: ForgetSessionOptions & { store: Pick<SessionStore, 'deleteOfPerson'> },
): (trx: Transaction, personId: string) => Promise<void> {
  const forget = createForgetSession(options);
  return async (trx, personId) => {
    for (const sessionId of await options.store.deleteOfPerson(trx, personId)) await forget(trx, sessionId);
  };
}
