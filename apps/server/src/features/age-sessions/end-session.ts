// The one way in which an age session ends, whoever ends it: a device, a timer or the test mode.
import type { AgeSessionResult, Indicators } from '@limen/contract';
import type { Keep } from '../../core/device-channel/device-flow.ts';
import type { EndCourse } from '../../core/device-channel/end-without-device.ts';
import { evaluateRisk } from '../../core/risk/evaluate-risk.ts';
import type { RiskFlag } from '../../core/risk/risk-table.ts';
import { endRow } from '../../core/sessions/end-row.ts';
import type { EndState } from '../../core/sessions/rules.ts';
import type { Session, Sessions } from '../../core/sessions/sessions.ts';
import type { Webhooks } from '../../core/webhooks/webhooks.ts';
import type { Database } from '../../platform/database/database.ts';
import { DEFAULT_HANDOFF } from './contents.ts';
import { type AgeSessionOutcome, composeResult, contentsOf } from './result.ts';
import { type AgeAnswer, type AgeDecision, decideAge, isOldEnough } from './rules.ts';

export interface AgeEnding extends EndCourse {
  answer: AgeAnswer;
  /** Null without browser data. */
  indicators: Indicators | null;
  /** What the test mode raises beside. */
  madeUpFlags?: readonly RiskFlag[];
}

/**
 * Undefined when the session had ended already, was deleted or is not `unopened`: then nothing was written and nothing
 * is sent. `keep` writes what belongs to the end in the same transaction; when it throws, the session has not ended.
 */
export type EndAgeSession = (session: Session, ending: AgeEnding, keep?: Keep) => Promise<AgeSessionResult | undefined>;

const END_STATES: Readonly<Record<AgeDecision['flowStatus'], EndState>> = {
  COMPLETED: 'completed',
  CANCELLED: 'cancelled',
  EXPIRED: 'expired',
};

interface EndSessionOptions {
  database: Database;
  sessions: Sessions;
  webhooks: Pick<Webhooks, 'enqueue'>;
}

export function createEndSession({ database, sessions, webhooks }: EndSessionOptions): EndAgeSession {
  return async (session, { answer, indicators, behavior, madeUpFlags = [], ...course }, keep) => {
    const { settings, callback, handoff = DEFAULT_HANDOFF } = contentsOf(session);
    const decision = decideAge(settings, answer);
    const { sessionStatus, flowStatus, result, errors, findings } = decision;
    const riskEvaluation = evaluateRisk({
      ...{ indicators, behavior, findings, flowStatus },
      documentSigns: answer.document?.signs ?? [],
      madeUp: madeUpFlags,
      hasErrors: errors.length > 0,
      passed: isOldEnough(decision),
      mayCrossDevices: handoff === 'allow',
      tellsBehavior: true,
    });
    const outcome: AgeSessionOutcome = {
      ...{ sessionStatus, flowStatus, errors, riskEvaluation, result },
      ...(indicators && { indicators }),
    };
    const body = composeResult(session, outcome);

    return database.transact(async (trx) => {
      const ended = await endRow(trx, sessions, session.id, { ...course, state: END_STATES[flowStatus], outcome });
      if (!ended) return undefined;
      if (callback) {
        const { owner, apiKeyId, id: sessionId } = session;
        const about = { owner, apiKeyId, sessionId, ...callback, purgeAt: ended.purgeAt };
        await webhooks.enqueue(trx, { ...about, event: 'age_session.ended', body });
      }
      await keep?.(trx);
      return body;
    });
  };
}
