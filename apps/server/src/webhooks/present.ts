// Presents a delivery to its owner.
import type { WebhookDelivery } from '@limen/contract';
import type { DeliveryRecord } from './store.ts';

const timeOf = (milliseconds: number) => new Date(milliseconds).toISOString();

export function presentDelivery(row: DeliveryRecord): WebhookDelivery {
  return {
    id: row.id,
    sessionId: row.session_id,
    url: row.target,
    state: row.state,
    attempts: row.attempts,
    createdAt: timeOf(row.created_at),
    ...(row.last_attempt_at !== null && { lastAttemptAt: timeOf(row.last_attempt_at) }),
    ...(row.last_status !== null && { lastStatus: row.last_status }),
    ...(row.last_error !== null && { lastError: row.last_error }),
    ...(row.next_attempt_at !== null && { nextAttemptAt: timeOf(row.next_attempt_at) }),
    ...(row.ended_at !== null && { endedAt: timeOf(row.ended_at) }),
    bodyKeptUntil: timeOf(row.purge_at),
    canResend: row.hasBody,
  };
}
