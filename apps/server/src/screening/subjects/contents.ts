// Sealed contents of the rows of watched subjects, hits and alerts.
import type { ChangedSubject, HitDecision, OtherEntry, ScreeningAlert, ScreeningSubject } from '@limen/contract';
import { SCORE_THRESHOLD_DEFAULT, type WatchedHit } from '@limen/contract';
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

/** Content of an import. Fields that are not given keep their values. */
export type SubjectInput = Pick<SubjectContent, 'reference' | 'subject'> & Partial<SubjectContent>;

export function completeContent(input: SubjectInput, before?: SubjectContent): SubjectContent {
  const { reference, subject, callback = before?.callback } = input;
  const dataset = input.dataset ?? before?.dataset ?? 'default';
  const scoreThreshold = input.scoreThreshold ?? before?.scoreThreshold ?? SCORE_THRESHOLD_DEFAULT;
  return { reference, subject, dataset, scoreThreshold, ...(callback && { callback }) };
}

export interface HitFinding extends Pick<WatchedHit, 'list' | 'listVersion' | 'entryHash' | 'engineVersion' | 'match'> {
  subjectHash: string;
  dataset: string;
  /** Another list has someone else under the same id. */
  stranger?: true;
  /** Hash of the entry of `list` alone, if other lists have the entity too: `entryHash` then covers all lists. */
  ownHash?: string;
  others: Required<OtherEntry>[];
}

export interface HitContent extends HitFinding {
  /** Decision in force, with the score at the time of the decision. */
  decided?: { decision: HitDecision; score: number };
}

export type AlertContent = Omit<ScreeningAlert, 'id' | 'kind' | 'subjectId' | 'at'>;

type DecisionContent = { hitId: string; entityId: string; entryHash: string; decision: HitDecision };

export type OpenedSubject = { row: SubjectRow; content: SubjectContent };
export type WatchedEntry = OpenedSubject & { hitCount: number };
export type StoredHit = HitContent & { row: HitRow };

export type AlertRecord =
  | { row: AlertRow & { kind: 'new' | 'changed' | 'removed' | 'refreshed' }; content: AlertContent }
  | { row: AlertRow & { kind: 'decision' }; content: DecisionContent }
  | { row: AlertRow & { kind: 'withdrawal' }; content: DecisionContent & { reason: string; author: string } }
  | { row: AlertRow & { kind: 'subject_changed' }; content: Pick<ChangedSubject, 'changes'> };

/** Opening throws if the row was edited in the database. */
type Opener = Pick<Sealer, 'openJson'>;

export function openSubject(sealer: Opener, row: SubjectRow): SubjectContent {
  return sealer.openJson(row.sealed, tables.watched_subjects.places.sealed(row)) as SubjectContent;
}

export function openHit(sealer: Opener, subject: SubjectRow, row: HitRow): StoredHit {
  return { ...(sealer.openJson(row.sealed, tables.watched_hits.places.sealed(row, subject)) as HitContent), row };
}

export function openRecord(sealer: Opener, row: AlertRow): AlertRecord {
  return { row, content: sealer.openJson(row.sealed, tables.screening_alerts.places.sealed(row)) } as AlertRecord;
}

export function digestReference(sealer: Pick<Sealer, 'digest'>, { customer, world }: Owner, reference: string): Buffer {
  return sealer.digest('watched_subjects/reference', JSON.stringify([customer, world, reference]));
}
