// The one way in which an age session ends, whoever ends it: a device, a timer or the test mode.
import type { AgeSessionResult, Indicators } from '@limen/contract';
import { evaluateRisk, type RiskFacts } from '../../core/risk/evaluate-risk.ts';
import type { EndState } from '../../core/sessions/rules.ts';
import type { Session, Sessions } from '../../core/sessions/sessions.ts';
import type { Webhooks } from '../../core/webhooks/webhooks.ts';
import type { Database } from '../../platform/database/database.ts';
import { type AgeSessionOutcome, composeResult, contentsOf } from './result.ts';
import { type AgeAnswer, type AgeDecision, decideAge } from './rules.ts';

export interface AgeEnding {
  answer: AgeAnswer;
  /** Null without browser data. */
  indicators: Indicators | null;
  behavior: RiskFacts['behavior'];
}

/** Undefined when the session had ended already or was deleted: then nothing was written and nothing is sent. */
export type EndAgeSession = (session: Session, ending: AgeEnding) => Promise<AgeSessionResult | undefined>;

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
  return async (session, { answer, indicators, behavior }) => {
    const { settings, callback } = contentsOf(session);
    const { sessionStatus, flowStatus, result, errors } = decideAge(settings, answer);
    const riskEvaluation = evaluateRisk({ indicators, behavior, flowStatus, hasErrors: errors.length > 0 });
    const outcome: AgeSessionOutcome = {
      sessionStatus,
      flowStatus,
      errors,
      riskEvaluation,
      ...(result && { result }),
      ...(indicators && { indicators }),
    };
    const body = composeResult(session, outcome);

    return database.transact(async (trx) => {
      const ended = await sessions.end(trx, session.id, END_STATES[flowStatus], outcome);
      if (!ended) return undefined;
      if (callback) {
        const { customer, apiKeyId, id: sessionId } = session;
        await webhooks.enqueue(trx, { customer, apiKeyId, sessionId, ...callback, body, purgeAt: ended.purgeAt });
      }
      return body;
    });
  };
}
