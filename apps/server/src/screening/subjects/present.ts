// Watched subjects, hits and alerts as their owner sees them.
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { FieldWarning, ScreeningAlert, SubjectEvidence, WatchedHit, WatchedSubject } from '@limen/contract';
import { explainNoList } from '../lists/catalogue/collections.ts';
import { listWarnings } from '../match/read-subject.ts';
import type { AlertRecord, StoredHit, WatchedEntry } from './contents.ts';

/** `heard`: warnings about the request. */
export function presentSubject(entry: WatchedEntry, heard: readonly FieldWarning[] = []): WatchedSubject {
  const { row, content, hitCount } = entry;
  const { reference, subject, dataset, scoreThreshold, callback } = content;
  const noList = row.state === 'no_list' ? [{ path: 'dataset', message: explainNoList(dataset) }] : [];
  const notScreened = listWarnings(subject).map((message) => ({ path: 'subject', message }));
  const warnings = [...heard, ...noList, ...notScreened];
  return {
    id: row.id,
    reference,
    ...subject,
    dataset,
    scoreThreshold,
    ...(callback && { callback }),
    state: row.state,
    hits: hitCount,
    ...presentMoreHits(row),
    createdAt: formatTime(row.created_at),
    changedAt: formatTime(row.changed_at),
    ...(row.screened_at !== null && { screenedAt: formatTime(row.screened_at) }),
    ...(warnings.length > 0 && { warnings }),
  };
}

/** Yields after each subject: reading many long names for its warnings takes milliseconds. */
export async function presentSubjects(subjects: readonly WatchedEntry[]): Promise<WatchedSubject[]> {
  const presented: WatchedSubject[] = [];
  for (const subject of subjects) {
    presented.push(presentSubject(subject));
    await nextTurn();
  }
  return presented;
}

export function presentMoreHits({ more_hits }: WatchedEntry['row']): { moreHits?: true } {
  return Number(more_hits) === 1 ? { moreHits: true } : {};
}

export function presentHit({ row, others, decided, ...hit }: StoredHit): WatchedHit {
  const { list, listVersion, entryHash, engineVersion, match } = hit;
  return {
    ...{ id: row.id, list, listVersion, entryHash, engineVersion, match },
    ...(others.length > 0 && { others }),
    ...(decided && { decision: decided.decision }),
    foundAt: formatTime(row.found_at),
    changedAt: formatTime(row.changed_at),
  };
}

export type HistoryEntry = SubjectEvidence['history'][number];

export function presentHistory({ row, content }: AlertRecord): HistoryEntry {
  const { kind, id, subject_id: subjectId, created_at } = row;
  const isAlert = kind !== 'decision' && kind !== 'withdrawal' && kind !== 'subject_changed';
  return { kind, id, ...(isAlert && { subjectId }), ...content, at: formatTime(created_at) } as HistoryEntry;
}

export function presentAlert(record: AlertRecord): ScreeningAlert {
  return presentHistory(record) as ScreeningAlert;
}

function formatTime(milliseconds: number): string {
  return new Date(milliseconds).toISOString();
}
