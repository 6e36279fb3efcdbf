// Types of a review case: a question for a reviewer, and the data that is kept for it.
import type { HitDecision, ReviewDecision, RiskEvaluation } from '@limen/contract';
import type { LogEntry } from '@limen/plan';
import type { OperatorId } from '../platform/base/ids.ts';
import type { Schema } from '../platform/database/schema.ts';
import type { Callback } from '../webhooks/callback.ts';
import type { DeliveryTry } from '../webhooks/sendable.ts';
import type { DeliveryRecord } from '../webhooks/store.ts';

export type CaseRow = Schema['review_cases'];
export type NoteRow = Schema['review_notes'];
export type CaseKind = CaseRow['kind'];
export type CaseState = CaseRow['state'];
export type Verdict = ReviewDecision | HitDecision['decision'];

export const CASE_KINDS = ['session', 'hit'] as const satisfies readonly CaseKind[];
export const CASE_STATES = ['open', 'proposed', 'decided'] as const satisfies readonly CaseState[];

export const VERDICTS = {
  session: ['ALLOW', 'BLOCK'],
  hit: ['confirmed', 'not_this_subject'],
} as const satisfies Record<CaseKind, readonly Verdict[]>;

export const EVERY_VERDICT = [...VERDICTS.session, ...VERDICTS.hit] as const;

/** Facts of a session that outlive it. They hold no age. */
export interface SessionFacts {
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

export interface HitFacts {
  caption: string;
  list: string;
  score: number;
}

/** Author of an act. The record keeps the name after the operator is removed. */
export interface CaseActor {
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
  evidence?: CaseEvidence;
  hit?: HitFacts;
  /** Opinion that a second reviewer has to confirm */
  proposed?: Opinion & { operatorId: OperatorId };
  decided?: Opinion;
}

const NOTE_ACTS = ['opened', 'reopened', 'assigned', 'released', 'comment', 'proposed', 'objected', 'decided'] as const;
export type NoteAct = (typeof NOTE_ACTS)[number];

export interface NoteContent {
  act: NoteAct;
  /** Author of the note; undefined if the service itself acted */
  by?: string;
  text?: string;
  verdict?: Verdict;
}

export interface DeviceCourse {
  openedAt: number;
  handoffs: number;
  log: readonly LogEntry[];
}

export interface DeliveryCourse extends Pick<DeliveryRecord, 'id' | 'target' | 'state' | 'created_at' | 'ended_at'> {
  tries: readonly DeliveryTry[];
}

export interface CaseEvidence {
  course: DeviceCourse | null;
  deliveries: readonly DeliveryCourse[];
}

export interface TimelineEntry {
  what:
    | 'created'
    | 'opened'
    | 'started'
    | 'finished'
    | 'retried'
    | 'handed over'
    | 'ended'
    | 'webhook'
    | 'tried'
    | 'delivered'
    | 'dead';
  /** Milliseconds since 1970; null if only the device's clock knows it. */
  at: number | null;
  detail: string;
  /** HTTP status of an attempt at a webhook, or the code of its failure */
  outcome?: number | string;
}

export interface FlagExplanation {
  code: string;
  /** Source of the flag: the browser's own data, or the course of the session. */
  signal: 'browser' | 'behavioral';
  /** Points that the flag adds to the score; null for a flag that this version does not know. */
  weight: number | null;
  /** The best recommendation that the flag allows, if it sets a limit. */
  atBest: 'REVIEW' | 'BLOCK' | null;
  meaning: string;
  /** Innocent reasons for the flag; empty if none is known. */
  innocent: string;
}
