// What lies sealed in the rows of watched subjects, and what each seal is bound to.
import type {
  ChangedSubject,
  HitDecision,
  OtherEntry,
  ScreeningAlert,
  ScreeningSubject,
  WatchedHit,
} from '@limen/contract';
import { SCORE_THRESHOLD_DEFAULT } from '@limen/contract';
import type { Owner } from '../../platform/api-keys/owner.ts';
import type { Schema } from '../../platform/database/schema.ts';
import type { Sealer } from '../../platform/sealing/sealer.ts';
import type { Callback } from '../../webhooks/callback.ts';
import { tables } from '../tables.ts';

export type SubjectRow = Schema['watched_subjects'];
export type HitRow = Schema['watched_hits'];
export type AlertRow = Schema['screening_alerts'];

export interface SubjectContent {
  reference: string;
  subject: Omit<ScreeningSubject, 'id'>;
  dataset: string;
  scoreThreshold: number;
  callback?: Callback;
}

/** As an import gives it: what it does not say stays as it is, and is the default of a subject that is new. */
export type GivenContent = Pick<SubjectContent, 'reference' | 'subject'> & Partial<SubjectContent>;

export function completeContent(given: GivenContent, before?: SubjectContent): SubjectContent {
  const { reference, subject, callback = before?.callback } = given;
  const dataset = given.dataset ?? before?.dataset ?? 'default';
  const scoreThreshold = given.scoreThreshold ?? before?.scoreThreshold ?? SCORE_THRESHOLD_DEFAULT;
  return { reference, subject, dataset, scoreThreshold, ...(callback && { callback }) };
}

/** What was found, against which version of which list, and by which engine. */
export interface HitFinding extends Pick<WatchedHit, 'list' | 'listVersion' | 'entryHash' | 'engineVersion' | 'match'> {
  /** Of what was known of the subject then. */
  subjectHash: string;
  /** Dataset that the subject was watched against. */
  dataset: string;
  /** Where another list has somebody else under the id. */
  stranger?: true;
  /** Of what `list` alone says; `entryHash` is of what all lists say. Absent where no other list has the entity. */
  ownHash?: string;
  /** Entries of other lists that have the same entity. */
  others: Required<OtherEntry>[];
}

export interface HitContent extends HitFinding {
  /** With the score that it was decided at. */
  decided?: { decision: HitDecision; score: number };
}

/** What the columns do not say. */
export type AlertContent = Omit<ScreeningAlert, 'id' | 'kind' | 'subjectId' | 'at'>;

export interface DecisionContent {
  hitId: string;
  entityId: string;
  entryHash: string;
  decision: HitDecision;
}

/** A decision that somebody took back. */
export interface WithdrawalContent extends DecisionContent {
  reason: string;
  author: string;
}

/** What a customer changed of a subject. */
export type SubjectChangeContent = Pick<ChangedSubject, 'changes'>;

export interface OpenedSubject {
  row: SubjectRow;
  content: SubjectContent;
}

export interface WatchedEntry extends OpenedSubject {
  hitCount: number;
}

export interface StoredHit extends HitContent {
  row: HitRow;
}

export type AlertRecord =
  | { row: AlertRow & { kind: 'new' | 'changed' | 'removed' | 'refreshed' }; content: AlertContent }
  | { row: AlertRow & { kind: 'decision' }; content: DecisionContent }
  | { row: AlertRow & { kind: 'withdrawal' }; content: WithdrawalContent }
  | { row: AlertRow & { kind: 'subject_changed' }; content: SubjectChangeContent };

type Opener = Pick<Sealer, 'openJson'>;

/** Throws if the row was edited in the database. */
export function openSubject(sealer: Opener, row: SubjectRow): SubjectContent {
  return sealer.openJson(row.sealed, tables.watched_subjects.places.sealed(row)) as SubjectContent;
}

/** Throws if the row was edited in the database. */
export function openHit(sealer: Opener, subject: SubjectRow, row: HitRow): StoredHit {
  return { ...(sealer.openJson(row.sealed, tables.watched_hits.places.sealed(row, subject)) as HitContent), row };
}

/** Throws if the row was edited in the database. */
export function openRecord(sealer: Opener, row: AlertRow): AlertRecord {
  return { row, content: sealer.openJson(row.sealed, tables.screening_alerts.places.sealed(row)) } as AlertRecord;
}

/** Digest that a subject is found by: its owner and the customer's own name for it. */
export function digestReference(sealer: Pick<Sealer, 'digest'>, { customer, world }: Owner, reference: string): Buffer {
  return sealer.digest('watched_subjects/reference', JSON.stringify([customer, world, reference]));
}

export type { OtherEntry };
