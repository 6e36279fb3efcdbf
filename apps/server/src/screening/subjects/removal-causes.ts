// Explains why a hit is gone: the entity was delisted, or something else changed.
import type { AlertCause, EntryChange } from '@limen/contract';
import type { ListedEntity } from '@limen/screening';
import { hashEntry } from '../engine/hash-entry.ts';
import { writeEntry } from '../match/write-result.ts';
import { compareMatches } from './compare-matches.ts';
import type { HitContent } from './contents.ts';
import { findOwnHash } from './diff-hits.ts';

/** Current entries under the id of a hit, by the name of the list. */
export type ListedEntities = ReadonlyMap<string, ListedEntity>;

export interface HitRemoval {
  because: AlertCause[];
  changes: EntryChange[];
}

interface CurrentState extends Pick<HitContent, 'subjectHash' | 'dataset' | 'engineVersion'> {
  scoreThreshold: number;
  isSearched(list: string): boolean;
  listed: ListedEntities;
}

export function explainRemoval(stored: HitContent, now: CurrentState): HitRemoval {
  if (!now.isSearched(stored.list)) {
    return { because: [stored.dataset === now.dataset ? 'list' : 'dataset'], changes: [] };
  }
  const entry = now.listed.get(stored.list);
  if (!entry) return { because: ['delisted'], changes: [] };
  const isChanged = hashEntry(entry) !== findOwnHash(stored);
  const because: AlertCause[] = [];
  const isChangedElsewhere = stored.others.some(({ list, entryHash }) => {
    const otherEntry = now.listed.get(list);
    return now.isSearched(list) && (otherEntry === undefined || hashEntry(otherEntry) !== entryHash);
  });
  if (isChanged || isChangedElsewhere) because.push('entry');
  if (stored.subjectHash !== now.subjectHash) because.push('subject');
  // The hit reached the threshold of its time.
  if (stored.match.score < now.scoreThreshold) because.push('threshold');
  if (because.length === 0 && stored.engineVersion !== now.engineVersion) because.push('engine');
  // Scores depend a little on all other names of the list.
  if (because.length === 0) because.push('strength');
  if (!isChanged) return { because, changes: [] };
  const changes = compareMatches(stored.match, writeEntry(entry));
  // A match names the datasets of all lists.
  const isAlone = stored.others.length === 0;
  return { because, changes: changes.filter(({ field }) => isAlone || field !== 'datasets') };
}
