// Whether the end of a session leaves something to a reviewer, and what they are told of it.
import type { PersonId } from '../../platform/ids.ts';
import { outcomeName } from '../sessions/marks.ts';
import type { EndState } from '../sessions/rules.ts';
import { type AnySession, isOfKind } from '../sessions/session.ts';
import type { SessionFacts } from './case.ts';

export interface EndOfSession {
  state: EndState;
  outcome: NonNullable<AnySession['outcome']>;
  personId?: PersonId | undefined;
}

/** Undefined where there is nothing to decide: what was given up or has expired came to no outcome that somebody could judge. */
export function factsOf(session: AnySession, { state, outcome }: EndOfSession): SessionFacts | undefined {
  const { recommendation, score, level, flags } = outcome.riskEvaluation;
  if (recommendation !== 'REVIEW' || state !== 'completed') return undefined;
  const { contents } = session;
  const facts = { outcome: outcomeName(outcome), score, level, flags: [...flags] };
  if (!isOfKind(session, 'verification')) return { operation: 'age', ...facts, callback: contents.callback };
  const { type, transactionId, callback } = session.contents;
  return { operation: type, ...facts, transactionId, callback };
}
