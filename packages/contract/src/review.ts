// What an operator of the service decided on a session that ended with REVIEW, and the webhook that tells it.
import { type Static, Type } from 'typebox';
import { oneOf } from './one-of.ts';
import { ref } from './ref.ts';

export const REVIEW_DECISIONS = ['ALLOW', 'BLOCK'] as const;
export type ReviewDecision = (typeof REVIEW_DECISIONS)[number];

const EXAMPLE = { decision: 'ALLOW', decidedAt: '2026-03-01T12:00:00.000Z' };

export const Review = Type.Object(
  {
    decision: oneOf(REVIEW_DECISIONS, 'What to do, in the words of `recommendation`.'),
    decidedAt: Type.String({ format: 'date-time', description: 'When it was decided.' }),
  },
  {
    $id: 'Review',
    description:
      'What a reviewer decided on a session whose recommendation is `REVIEW`. `riskEvaluation` stays as it was. An extension.',
    examples: [EXAMPLE],
  },
);
export type Review = Static<typeof Review>;

export const ReviewDecidedEvent = Type.Object(
  {
    event: Type.Literal('review.decided'),
    sessionId: Type.String({ format: 'uuid' }),
    transactionId: Type.Optional(Type.String({ description: 'As given at creation, if it was.' })),
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
