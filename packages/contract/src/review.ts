// An operator’s decision on a session that ended with REVIEW, and its webhook.
import { type Static, Type } from 'typebox';
import { oneOf } from './one-of.ts';
import { ref } from './ref.ts';

export const REVIEW_DECISIONS = ['ALLOW', 'BLOCK'] as const;
export type ReviewDecision = (typeof REVIEW_DECISIONS)[number];

const EXAMPLE = { decision: 'ALLOW', decidedAt: '2026-03-01T12:00:00.000Z' };

export const Review = Type.Object(
  {
    decision: oneOf(REVIEW_DECISIONS, 'Decision, in the terms of `recommendation`.'),
    decidedAt: Type.String({ format: 'date-time', description: 'When the reviewer decided.' }),
  },
  {
    $id: 'Review',
    description:
      'Extension. A reviewer’s decision on a session whose recommendation is `REVIEW`. `riskEvaluation` does not change.',
    examples: [EXAMPLE],
  },
);
export type Review = Static<typeof Review>;

export const ReviewDecidedEvent = Type.Object(
  {
    event: Type.Literal('review.decided'),
    sessionId: Type.String({ format: 'uuid' }),
    transactionId: Type.Optional(Type.String({ description: 'Value given at creation, if any.' })),
    review: ref(Review),
  },
  {
    $id: 'ReviewDecidedEvent',
    examples: [
      {
        event: 'review.decided',
        sessionId: '5f0c8a52-6a3e-4c55-9d0e-0b6f3f9f2f57',
        transactionId: 'order-7',
        review: EXAMPLE,
      },
    ],
  },
);
export type ReviewDecidedEvent = Static<typeof ReviewDecidedEvent>;
