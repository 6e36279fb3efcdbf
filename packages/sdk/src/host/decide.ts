// Turns a session's result or webhook into the host's decision.

/** Action for the person or the order that waits for the check. */
export type HostAction = 'admit' | 'refuse' | 'wait';

export type HostDecision =
  | { action: 'admit'; reason: 'allowed' | 'review_allowed' }
  | {
      action: 'refuse';
      /**
       * `not_completed`: the person cancelled, ran out of time or could not be checked. A host may
       * offer another attempt. `not_understood`: this version does not know the outcome. It never
       * admits.
       */
      reason: 'blocked' | 'review_blocked' | 'failed' | 'not_completed' | 'not_understood';
    }
  | { action: 'wait'; reason: 'not_ended' | 'in_review' };

const ALLOWED: HostDecision = { action: 'admit', reason: 'allowed' };
const BLOCKED: HostDecision = { action: 'refuse', reason: 'blocked' };
const FAILED: HostDecision = { action: 'refuse', reason: 'failed' };
const NOT_COMPLETED: HostDecision = { action: 'refuse', reason: 'not_completed' };
const NOT_UNDERSTOOD: HostDecision = { action: 'refuse', reason: 'not_understood' };
const NOT_ENDED: HostDecision = { action: 'wait', reason: 'not_ended' };
const IN_REVIEW: HostDecision = { action: 'wait', reason: 'in_review' };

/**
 * Returns the host's decision after a webhook or a result of either kind of session, based on the
 * recommendation and on the review of a REVIEW. Refuses outcomes of an unknown form.
 *
 * A webhook can arrive twice, or after a later one. Apply a decision only to orders that still
 * wait.
 */
export function decide(outcome: unknown): HostDecision {
  if (!isObject(outcome)) return NOT_UNDERSTOOD;
  if (outcome['event'] === 'review.decided') return decideReview(outcome['review']);
  // A webhook about something else, such as a hit on a sanctions list.
  if ('event' in outcome) return NOT_UNDERSTOOD;
  return 'sessionStatus' in outcome ? decideAge(outcome) : decideVerification(outcome);
}

function decideAge(result: Fields): HostDecision {
  switch (result['flowStatus']) {
    case undefined:
      return NOT_ENDED;
    case 'COMPLETED':
      return decideCompleted(result, isOldEnough(result));
    case 'CANCELLED':
    case 'EXPIRED':
      return decideUnfinished(result, NOT_COMPLETED);
    default:
      return NOT_UNDERSTOOD;
  }
}

function decideVerification(outcome: Fields): HostDecision {
  switch (outcome['status']) {
    case 'PENDING':
      return NOT_ENDED;
    case 'SUCCESS':
      return decideCompleted(outcome, true);
    case 'CANCELLED':
    case 'EXPIRED':
      return decideUnfinished(outcome, NOT_COMPLETED);
    case 'FAILED':
    case 'error': // the webhook of a failed SIGN-IN or VERIFY
      return decideUnfinished(outcome, FAILED);
    default:
      return NOT_UNDERSTOOD;
  }
}

/**
 * `isReached`: whether the session reached the outcome that ALLOW requires. The service never
 * recommends ALLOW without it.
 */
function decideCompleted(outcome: Fields, isReached: boolean): HostDecision {
  switch (recommendationOf(outcome)) {
    case 'ALLOW':
      return isReached ? ALLOWED : NOT_UNDERSTOOD;
    case 'BLOCK':
      return BLOCKED;
    case 'REVIEW':
      return isObject(outcome['review']) ? decideReview(outcome['review']) : IN_REVIEW;
    default:
      return NOT_UNDERSTOOD;
  }
}

/** No review can admit here, because the session found nothing, or no one. */
function decideUnfinished(outcome: Fields, otherwise: HostDecision): HostDecision {
  return recommendationOf(outcome) === 'BLOCK' ? BLOCKED : otherwise;
}

function decideReview(review: unknown): HostDecision {
  const decision = isObject(review) ? review['decision'] : undefined;
  if (decision === 'ALLOW') return { action: 'admit', reason: 'review_allowed' };
  return { action: 'refuse', reason: decision === 'BLOCK' ? 'review_blocked' : 'not_understood' };
}

function isOldEnough({ sessionStatus }: Fields): boolean {
  return sessionStatus === 'AGE_AT_THRESHOLD' || sessionStatus === 'AGE_ABOVE_THRESHOLD';
}

function recommendationOf({ riskEvaluation }: Fields): unknown {
  return isObject(riskEvaluation) ? riskEvaluation['recommendation'] : undefined;
}

type Fields = Readonly<Record<string, unknown>>;

function isObject(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
