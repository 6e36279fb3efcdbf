// Removes what hangs on a session whose row is deleted: its channel, its webhooks, its stored replies.

import type { SessionId } from '../../platform/base/ids.ts';
import type { Transaction } from '../../platform/database/database.ts';
import type { Idempotency } from '../../platform/idempotency/idempotency.ts';
import type { Evidence } from '../../review/case.ts';
import type { ReviewCases } from '../../review/cases.ts';

type ForgetSession = (trx: Transaction, sessionId: SessionId) => Promise<void>;
type ForgetSessions = (trx: Transaction, sessionIds: readonly SessionId[]) => Promise<void>;

interface ForgetSessionOptions {
  deviceChannels: { forget(trx: Transaction, ...sessionIds: SessionId[]): Promise<void> };
  idempotency: Pick<Idempotency, 'forget'>;
}

interface ForgetRedactedOptions extends ForgetSessionOptions {
  webhooks: { deleteSession: ForgetSession };
  cases: { deleteOf: ForgetSession };
}

interface ForgetPurgedOptions extends ForgetSessionOptions {
  /** The log of its webhooks outlives a session's retention, without bodies. */
  webhooks: { forgetSessions: ForgetSessions };
  /** A case outlives the retention of its session, with what it needs of it. */
  cases: Pick<ReviewCases, 'sessionsWithCase' | 'keepEvidence'>;
  readEvidence(sessionId: SessionId, trx: Transaction): Promise<Evidence>;
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
export function createForgetPurged(options: ForgetPurgedOptions): ForgetSessions {
  const { deviceChannels, webhooks, idempotency, cases, readEvidence } = options;
  return async (trx, sessionIds) => {
    // First, so that the evidence has the end of a webhook that is given up here.
    await webhooks.forgetSessions(trx, sessionIds);
    for (const sessionId of await cases.sessionsWithCase(trx, sessionIds)) {
      await cases.keepEvidence(trx, sessionId, await readEvidence(sessionId, trx));
    }
    await deviceChannels.forget(trx, ...sessionIds);
    await idempotency.forget(trx, ...sessionIds.map(resourceOf));
  };
}
