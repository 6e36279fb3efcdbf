// A host's decision for every combination that the service reports, and for unknown ones.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decide } from './decide.ts';

const DECIDED_AT = '2026-03-01T12:00:00.000Z';
const ALLOWED = { decision: 'ALLOW', decidedAt: DECIDED_AT };
const REFUSED = { decision: 'BLOCK', decidedAt: DECIDED_AT };

const age = (sessionStatus: string, recommendation?: string, more: object = { flowStatus: 'COMPLETED' }) => ({
  sessionStatus,
  status: sessionStatus,
  thresholds: { ageThreshold: 18 },
  ...(recommendation !== undefined && { riskEvaluation: { recommendation } }),
  ...more,
});
const verification = (status: string, recommendation?: string, more: object = {}) => ({
  sessionId: 'x',
  status,
  ...(recommendation !== undefined && { riskEvaluation: { recommendation } }),
  ...more,
});

describe('an age session', () => {
  it.each([
    ['AGE_ABOVE_THRESHOLD', 'ALLOW', 'admit', 'allowed'],
    ['AGE_AT_THRESHOLD', 'ALLOW', 'admit', 'allowed'],
    ['AGE_ABOVE_THRESHOLD', 'REVIEW', 'wait', 'in_review'],
    ['AGE_AT_THRESHOLD', 'REVIEW', 'wait', 'in_review'],
    ['AGE_BELOW_THRESHOLD', 'REVIEW', 'wait', 'in_review'],
    ['AGE_ABOVE_THRESHOLD', 'BLOCK', 'refuse', 'blocked'],
    ['AGE_AT_THRESHOLD', 'BLOCK', 'refuse', 'blocked'],
    ['AGE_BELOW_THRESHOLD', 'BLOCK', 'refuse', 'blocked'],
    ['AGE_UNKNOWN', 'BLOCK', 'refuse', 'blocked'],
    // Never reported by the service.
    ['AGE_BELOW_THRESHOLD', 'ALLOW', 'refuse', 'not_understood'],
    ['AGE_UNKNOWN', 'ALLOW', 'refuse', 'not_understood'],
    ['AGE_ABOVE_THRESHOLD', 'LATER', 'refuse', 'not_understood'],
    ['AGE_ABOVE_THRESHOLD', undefined, 'refuse', 'not_understood'],
  ])('completed with %s and %s is decided as %s, because %s', (status, recommendation, action, reason) => {
    expect(decide(age(status, recommendation))).toEqual({ action, reason });
  });

  it('waits until the session ends', () => {
    expect(decide(age('AGE_UNKNOWN', undefined, {}))).toEqual({ action: 'wait', reason: 'not_ended' });
    expect(decide(age('AGE_ABOVE_THRESHOLD', 'ALLOW', {}))).toEqual({ action: 'wait', reason: 'not_ended' });
  });

  it.each(['CANCELLED', 'EXPIRED'])('does not wait for a review if the session is %s', (flowStatus) => {
    const end = (recommendation: string) => decide(age('AGE_UNKNOWN', recommendation, { flowStatus }));
    expect(end('REVIEW')).toEqual({ action: 'refuse', reason: 'not_completed' });
    expect(end('BLOCK')).toEqual({ action: 'refuse', reason: 'blocked' });
  });

  it('uses the review of a session in review', () => {
    const reviewed = (review: unknown) =>
      decide(age('AGE_BELOW_THRESHOLD', 'REVIEW', { flowStatus: 'COMPLETED', review }));
    expect(reviewed(ALLOWED)).toEqual({ action: 'admit', reason: 'review_allowed' });
    expect(reviewed(REFUSED)).toEqual({ action: 'refuse', reason: 'review_blocked' });
    expect(reviewed({ decision: 'LATER' })).toEqual({ action: 'refuse', reason: 'not_understood' });
    expect(reviewed(null)).toEqual({ action: 'wait', reason: 'in_review' });
  });

  it('does not admit if a review contradicts BLOCK', () => {
    const review = { flowStatus: 'COMPLETED', review: ALLOWED };
    expect(decide(age('AGE_ABOVE_THRESHOLD', 'BLOCK', review))).toEqual({ action: 'refuse', reason: 'blocked' });
  });
});

describe('a verification session', () => {
  it.each([
    ['SUCCESS', 'ALLOW', 'admit', 'allowed'],
    ['SUCCESS', 'REVIEW', 'wait', 'in_review'],
    ['SUCCESS', 'BLOCK', 'refuse', 'blocked'],
    ['SUCCESS', undefined, 'refuse', 'not_understood'],
    ['PENDING', undefined, 'wait', 'not_ended'],
    ['FAILED', 'REVIEW', 'refuse', 'failed'],
    ['FAILED', 'BLOCK', 'refuse', 'blocked'],
    ['CANCELLED', 'REVIEW', 'refuse', 'not_completed'],
    ['EXPIRED', 'REVIEW', 'refuse', 'not_completed'],
    ['SOMETHING', 'ALLOW', 'refuse', 'not_understood'],
  ])('that is %s with %s is decided as %s, because %s', (status, recommendation, action, reason) => {
    expect(decide(verification(status, recommendation))).toEqual({ action, reason });
  });

  it('refuses on the webhook of a failed sign-in, which has no risk', () => {
    expect(decide({ status: 'error', message: 'x', errorCodes: [153], sessionId: 'x' })).toEqual({
      action: 'refuse',
      reason: 'failed',
    });
  });

  it('uses the review of a session in review, but not of a failed one', () => {
    expect(decide(verification('SUCCESS', 'REVIEW', { review: ALLOWED })).action).toBe('admit');
    expect(decide(verification('SUCCESS', 'REVIEW', { review: REFUSED })).reason).toBe('review_blocked');
    expect(decide(verification('FAILED', 'REVIEW', { review: ALLOWED })).reason).toBe('failed');
  });
});

describe('other webhooks', () => {
  it('uses the review that arrives later', () => {
    const told = (review: unknown) => decide({ event: 'review.decided', sessionId: 'x', review });
    expect(told(ALLOWED)).toEqual({ action: 'admit', reason: 'review_allowed' });
    expect(told(REFUSED)).toEqual({ action: 'refuse', reason: 'review_blocked' });
    expect(told(undefined)).toEqual({ action: 'refuse', reason: 'not_understood' });
  });

  it('never admit otherwise', () => {
    const outcome = age('AGE_ABOVE_THRESHOLD', 'ALLOW');
    expect(decide(outcome).action).toBe('admit');
    for (const unknown of [
      { ...outcome, event: 'screening.hit.new' },
      { event: 'other', review: ALLOWED },
      [outcome],
    ]) {
      expect(decide(unknown)).toEqual({ action: 'refuse', reason: 'not_understood' });
    }
    fc.assert(fc.property(fc.anything(), (value) => decide(value).action !== 'admit'));
  });
});
