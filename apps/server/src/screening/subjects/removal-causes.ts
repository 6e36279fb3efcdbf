// Why a hit is gone: whether the list no longer has the entity, or it is listed as before and something else has changed.
import type { AlertCause, EntryChange } from '@limen/contract';
import type { ListedEntity } from '@limen/screening';
import { hashEntry } from '../engine/hash-entry.ts';
import { writeEntry } from '../match/write-result.ts';
import { compareMatches } from './compare-matches.ts';
import type { HitContent } from './contents.ts';
import { ownHashOf } from './diff-hits.ts';

/** What the lists say now under the id of a hit, by the name of the list. */
export type ListedNow = ReadonlyMap<string, ListedEntity>;

export interface HitRemoval {
  because: AlertCause[];
  /** What the list says now and said otherwise, where it still has the entity. */
  changes: EntryChange[];
}

interface Now {
  subjectHash: string;
  dataset: string;
  scoreThreshold: number;
  engineVersion: string;
  isSearched(list: string): boolean;
  listed: ListedNow;
}

export function explainRemoval(stored: HitContent, now: Now): HitRemoval {
  if (!now.isSearched(stored.list)) {
    return { because: [stored.dataset === now.dataset ? 'list' : 'dataset'], changes: [] };
  }
  const entry = now.listed.get(stored.list);
  if (!entry) return { because: ['delisted'], changes: [] };
  const isOther = hashEntry(entry) !== ownHashOf(stored);
  const because: AlertCause[] = [];
  if (isOther || saysElsewhere(stored, now)) because.push('entry');
  if (stored.subjectHash !== now.subjectHash) because.push('subject');
  // It was a hit: from a score on that was lower then.
  if (stored.match.score < now.scoreThreshold) because.push('threshold');
  if (because.length === 0 && stored.engineVersion !== now.engineVersion) because.push('engine');
  // How strong a match is depends a little on all the other names of the list.
  if (because.length === 0) because.push('strength');
  return { because, changes: isOther ? changesOf(stored, entry) : [] };
}

/** Whether another list that had the entity says something else, or nothing any more. */
function saysElsewhere({ others }: HitContent, { listed, isSearched }: Now): boolean {
  return others.some(({ list, entryHash }) => {
    const entry = listed.get(list);
    return isSearched(list) && (entry === undefined || hashEntry(entry) !== entryHash);
  });
}

function changesOf({ match, others }: HitContent, entry: ListedEntity): EntryChange[] {
  const changes = compareMatches(match, writeEntry(entry));
  // A match names the lists of all entries.
  return others.length === 0 ? changes : changes.filter(({ field }) => field !== 'datasets');
}
