// Adds to a result what a reviewer decided.
import type { Review, RiskEvaluation } from '@limen/contract';
import type { SessionId } from '../platform/base/ids.ts';
import type { ReviewCases } from './cases.ts';

/** Only what ended with REVIEW can have been decided; nothing else is asked for. */
export async function withReview<Result extends { riskEvaluation?: RiskEvaluation; review?: Review }>(
  cases: Pick<ReviewCases, 'reviewOf'>,
  sessionId: SessionId,
  result: Result,
): Promise<Result> {
  if (result.riskEvaluation?.recommendation !== 'REVIEW') return result;
  const review = await cases.reviewOf(sessionId);
  return review ? { ...result, review } : result;
}
