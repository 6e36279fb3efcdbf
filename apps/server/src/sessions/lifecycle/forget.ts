// Deletes everything that belongs to a session: at once if it was redacted or its person deleted, in part after its retention period.
import type { SessionId } from '../../platform/base/ids.ts';
import type { Transaction } from '../../platform/database/database.ts';
import type { Idempotency } from '../../platform/idempotency/idempotency.ts';
import type { CaseEvidence } from '../../review/case.ts';
import type { ReviewCases } from '../../review/cases.ts';
import type { Webhooks } from '../../webhooks/outbox.ts';

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

interface KeptLongEnough {
  deviceChannels: { forget(trx: Transaction, ...sessionIds: SessionId[]): Promise<void> };
  webhooks: Pick<Webhooks, 'forgetSessions'>;
  idempotency: Pick<Idempotency, 'forget'>;
  cases: Pick<ReviewCases, 'sessionsWithCase' | 'keepEvidence'>;
  readEvidence(sessionId: SessionId, trx: Transaction): Promise<CaseEvidence>;
}

/** Keeps the log of webhooks, without their bodies, and a case with the evidence that it needs. */
export async function forgetPurged(trx: Transaction, ids: SessionId[], parts: KeptLongEnough): Promise<void> {
  // First, so that the evidence has the end of those given up here.
  await parts.webhooks.forgetSessions(trx, ids);
  for (const id of await parts.cases.sessionsWithCase(trx, ids)) {
    await parts.cases.keepEvidence(trx, id, await parts.readEvidence(id, trx));
  }
  await parts.deviceChannels.forget(trx, ...ids);
  await parts.idempotency.forget(trx, ...ids.map(resourceOf));
}
