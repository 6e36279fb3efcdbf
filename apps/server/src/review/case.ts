// What a case is: something that the service left to a person to decide, and what is kept for that.
import type { HitDecision, ReviewDecision, RiskEvaluation } from '@limen/contract';
import type { OperatorId } from '../platform/base/ids.ts';
import type { Schema } from '../platform/database/schema.ts';
import type { Callback } from '../webhooks/callback.ts';
import type { Evidence } from './evidence.ts';

export type CaseRow = Schema['review_cases'];
export type NoteRow = Schema['review_notes'];
export type CaseKind = CaseRow['kind'];
export type CaseState = CaseRow['state'];
export type Verdict = ReviewDecision | HitDecision['decision'];

export const CASE_KINDS = ['session', 'hit'] as const satisfies readonly CaseKind[];
export const CASE_STATES = ['open', 'proposed', 'decided'] as const satisfies readonly CaseState[];

/** Which decisions fit which kind of case. */
export const VERDICTS = {
  session: ['ALLOW', 'BLOCK'],
  hit: ['confirmed', 'not_this_subject'],
} as const satisfies Record<CaseKind, readonly Verdict[]>;

export const EVERY_VERDICT = [...VERDICTS.session, ...VERDICTS.hit] as const;

/** Facts of a session that outlive it: why it is here, how it went and whom to notify. No age. */
export interface SessionFacts {
  /** ENROLL, SIGN-IN or VERIFY; of an age session, `age`. */
  operation: string;
  outcome: string;
  score: number;
  level: string;
  flags: readonly string[];
  signals: RiskEvaluation['signals'];
  errors: readonly { code: number; message: string }[];
  requirements: readonly string[];
  createdAt: number;
  endedAt: number;
  transactionId?: string | undefined;
  callback?: Callback | undefined;
}

/** Of a hit: what the list says, which is public. */
export interface HitFacts {
  caption: string;
  list: string;
  score: number;
}

/** Who did something, as the record shall name them when they are gone. */
export interface Actor {
  id: OperatorId;
  name: string;
}

export interface Opinion {
  verdict: Verdict;
  reason: string;
  by: string;
  at: number;
}

export interface CaseContent {
  session?: SessionFacts;
  /** Copied when the session is deleted; until then it is read from its own tables. */
  evidence?: Evidence;
  /** As it was when the case was opened, or opened again; the hit itself is read where it stands. */
  hit?: HitFacts;
  /** Waits for a second pair of eyes. */
  proposed?: Opinion & { operatorId: OperatorId };
  decided?: Opinion;
}

export const NOTE_ACTS = [
  'opened',
  'reopened',
  'assigned',
  'released',
  'comment',
  'proposed',
  'objected',
  'decided',
] as const;
export type NoteAct = (typeof NOTE_ACTS)[number];

export interface NoteContent {
  act: NoteAct;
  /** Nobody where the service itself did it. */
  by?: string;
  text?: string;
  verdict?: Verdict;
}
