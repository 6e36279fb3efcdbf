// Decides whether the end of a session opens a case, and gathers the facts for the reviewer.
import type { SessionFacts } from '../../review/case.ts';
import { outcomeName } from './marks.ts';
import type { EndState } from './rules.ts';
import { type AnySession, isOfKind } from './session.ts';

/** Returns undefined if nothing needs review. A sign-in that failed without flags let no one in. */
export function collectReviewFacts(
  session: AnySession,
  { state, outcome, endedAt }: { state: EndState; outcome: NonNullable<AnySession['outcome']>; endedAt: number },
): SessionFacts | undefined {
  const { recommendation, score, level, flags, signals } = outcome.riskEvaluation;
  if (recommendation !== 'REVIEW' || state !== 'completed') return undefined;
  const name = outcomeName(outcome);
  if (name === 'FAILED' && flags.length === 0) return undefined;
  const { contents } = session;
  const facts = {
    ...{ outcome: name, score, level, flags: [...flags], signals },
    errors: outcome.errors.map(({ code, message }) => ({ code, message })),
    requirements: listRequirements(session),
    createdAt: session.createdAt,
    endedAt,
  };
  if (!isOfKind(session, 'verification')) return { operation: 'age', ...facts, callback: contents.callback };
  const { type, transactionId, callback } = session.contents;
  return { operation: type, ...facts, transactionId, callback };
}

export function listRequirements(session: AnySession): string[] {
  return [...(isOfKind(session, 'age') ? session.contents.settings.requirements : session.contents.requirements)];
}
