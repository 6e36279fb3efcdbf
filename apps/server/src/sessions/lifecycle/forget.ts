// Deletes what hangs on a session that was redacted, or whose person was deleted: its channel, webhooks, stored replies and case.
import type { SessionId } from '../../platform/base/ids.ts';
import type { Transaction } from '../../platform/database/database.ts';
import type { Idempotency } from '../../platform/idempotency/idempotency.ts';

type ForgetSession = (trx: Transaction, sessionId: SessionId) => Promise<void>;

interface HangingOnSession {
  deviceChannels: { forget: ForgetSession };
  webhooks: { deleteSession: ForgetSession };
  idempotency: Pick<Idempotency, 'forget'>;
  cases: { deleteOf: ForgetSession };
}

/** Names a session to the idempotency keys, so that its stored reply goes with it. */
export function resourceOf(sessionId: SessionId): string {
  return `sessions/${sessionId}`;
}

export async function forgetRedacted(trx: Transaction, sessionId: SessionId, parts: HangingOnSession): Promise<void> {
  await parts.deviceChannels.forget(trx, sessionId);
  await parts.webhooks.deleteSession(trx, sessionId);
  await parts.idempotency.forget(trx, resourceOf(sessionId));
  await parts.cases.deleteOf(trx, sessionId);
}
