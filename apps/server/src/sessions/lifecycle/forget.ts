// Deletes what belongs to a session: all of it after a redaction, a part after the retention period.
import type { SessionId } from '../../platform/base/ids.ts';
import type { Transaction } from '../../platform/database/database.ts';
import type { Idempotency } from '../../platform/idempotency/idempotency.ts';
import type { CaseEvidence } from '../../review/case.ts';
import type { ReviewCases } from '../../review/cases.ts';
import type { Webhooks } from '../../webhooks/outbox.ts';

export interface LifecycleNeighbors {
  webhooks: Pick<Webhooks, 'forgetSessions' | 'deleteSession'>;
  deviceChannels: { forget(trx: Transaction, ...sessionIds: SessionId[]): Promise<void> };
  cases: Pick<ReviewCases, 'openForSession' | 'sessionsWithCase' | 'keepEvidence' | 'findKept' | 'deleteOf'>;
  readEvidence(sessionId: SessionId, trx: Transaction): Promise<CaseEvidence>;
  /** Unfinished changes to a person, discarded when the session is deleted. `lockFor` takes locks before the session's own. */
  unfinished: readonly {
    lockFor?(trx: Transaction, sessionId: SessionId): Promise<void>;
    discard(trx: Transaction, ...sessionIds: SessionId[]): Promise<void>;
  }[];
}

type ForgetSession = (trx: Transaction, sessionId: SessionId) => Promise<void>;

/** Names a session for the idempotency keys, so that its stored reply is deleted with it. */
export function sessionResource(sessionId: SessionId): string {
  return `sessions/${sessionId}`;
}

export async function forgetRedacted(
  trx: Transaction,
  sessionId: SessionId,
  parts: {
    deviceChannels: { forget: ForgetSession };
    webhooks: { deleteSession: ForgetSession };
    idempotency: Pick<Idempotency, 'forget'>;
    cases: { deleteOf: ForgetSession };
  },
): Promise<void> {
  await parts.deviceChannels.forget(trx, sessionId);
  await parts.webhooks.deleteSession(trx, sessionId);
  await parts.idempotency.forget(trx, sessionResource(sessionId));
  await parts.cases.deleteOf(trx, sessionId);
}

/** Keeps the webhook log without bodies, and cases with their evidence. */
export async function forgetPurged(
  trx: Transaction,
  ids: SessionId[],
  parts: Omit<LifecycleNeighbors, 'unfinished'> & { idempotency: Pick<Idempotency, 'forget'> },
): Promise<void> {
  // First, so that the evidence contains the end of deliveries that are given up here.
  await parts.webhooks.forgetSessions(trx, ids);
  for (const id of await parts.cases.sessionsWithCase(trx, ids)) {
    await parts.cases.keepEvidence(trx, id, await parts.readEvidence(id, trx));
  }
  await parts.deviceChannels.forget(trx, ...ids);
  await parts.idempotency.forget(trx, ...ids.map(sessionResource));
}
