// WatchedEntry subjects, hits and alerts as their owner sees them.
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { FieldWarning, ScreeningAlert, SubjectEvidence, WatchedHit, WatchedSubject } from '@limen/contract';
import { explainNoList } from '../lists/catalogue/collections.ts';
import { warnOf } from '../match/read-subject.ts';
import type { AlertRecord, StoredHit, WatchedEntry } from './contents.ts';

/** `heard` are warnings of what was sent and is not kept. */
export function presentSubject(
  { row, content, hitCount }: WatchedEntry,
  heard: readonly FieldWarning[] = [],
): WatchedSubject {
  const { reference, subject, dataset, scoreThreshold, callback } = content;
  const noList = row.state === 'no_list' ? [{ path: 'dataset', message: explainNoList(dataset) }] : [];
  const notScreened = warnOf(subject).map((message) => ({ path: 'subject', message }));
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
    ...moreOf(row),
    createdAt: timeOf(row.created_at),
    changedAt: timeOf(row.changed_at),
    ...(row.screened_at !== null && { screenedAt: timeOf(row.screened_at) }),
    ...(warnings.length > 0 && { warnings }),
  };
}

/** One at a time: for the warnings all names are read again, which takes milliseconds where they are many and long. */
export async function presentSubjects(all: readonly WatchedEntry[]): Promise<WatchedSubject[]> {
  const presented: WatchedSubject[] = [];
  for (const one of all) {
    presented.push(presentSubject(one));
    await nextTurn();
  }
  return presented;
}

/** Only where it is so. */
export function moreOf({ more_hits }: WatchedEntry['row']): { moreHits?: true } {
  return Number(more_hits) === 1 ? { moreHits: true } : {};
}

export function presentHit({ row, list, listVersion, entryHash, engineVersion, match, ...hit }: StoredHit): WatchedHit {
  const { others, decided } = hit;
  const decision = decided && { decision: decided.decision };
  const known = { list, listVersion, entryHash, engineVersion, match, ...(others.length > 0 && { others }) };
  return { id: row.id, ...known, ...decision, foundAt: timeOf(row.found_at), changedAt: timeOf(row.changed_at) };
}

export type HistoryEntry = SubjectEvidence['history'][number];

export function presentHistory({ row, content }: AlertRecord): HistoryEntry {
  const at = timeOf(row.created_at);
  if (row.kind !== 'decision' && row.kind !== 'withdrawal' && row.kind !== 'subject_changed')
    return { kind: row.kind, id: row.id, subjectId: row.subject_id, ...content, at } as HistoryEntry;
  return { kind: row.kind, id: row.id, ...content, at } as HistoryEntry;
}

export function presentAlert(record: AlertRecord): ScreeningAlert {
  return presentHistory(record) as ScreeningAlert;
}

function timeOf(milliseconds: number): string {
  return new Date(milliseconds).toISOString();
}
