// What changed between the hits that are known of a subject and those that were found: the one place where alerts come from.
import { isDeepStrictEqual } from 'node:util';
import type { Finding } from './contents.ts';

export type HitChange<Stored> =
  | { change: 'new'; found: Finding }
  /** What the list says, or how strong the match is. */
  | { change: 'changed'; stored: Stored; found: Finding }
  /** The same outcome with other figures or words: kept without an alert. */
  | { change: 'refreshed'; stored: Stored; found: Finding }
  | { change: 'removed'; stored: Stored };

interface Looked {
  /** Whether anything may be said about this entity; about the others nothing is. */
  concerns(entityId: string): boolean;
  /** Whether a list was searched, or is no longer there: a hit on a list that could not be searched is not gone. */
  isSettled(list: string): boolean;
}

/** From here on an analyst looks, and from here on one stops it (docs/screening.md, "Choosing a threshold"). */
const BANDS = [0.85, 0.95];

/** New and changed ones best first, as they were found, then those that are gone. */
export function diffHits<Stored extends Finding>(
  stored: readonly Stored[],
  found: readonly Finding[],
  { concerns, isSettled }: Looked,
): HitChange<Stored>[] {
  const known = new Map(stored.map((hit) => [hit.match.id, hit]));
  const seen = new Set(found.map(({ match }) => match.id));
  const changes: HitChange<Stored>[] = [];
  for (const one of found) {
    if (!concerns(one.match.id)) continue;
    const before = known.get(one.match.id);
    if (!before) changes.push({ change: 'new', found: one });
    else if (!isSameOutcome(before, one)) changes.push({ change: 'changed', stored: before, found: one });
    else if (!isDeepStrictEqual(before.match, one.match))
      changes.push({ change: 'refreshed', stored: before, found: one });
  }
  for (const hit of stored) {
    if (!seen.has(hit.match.id) && concerns(hit.match.id) && isSettled(hit.list))
      changes.push({ change: 'removed', stored: hit });
  }
  return changes;
}

function isSameOutcome(one: Finding, other: Finding): boolean {
  return one.entryHash === other.entryHash && bandOf(one.match.score) === bandOf(other.match.score);
}

function bandOf(score: number): number {
  return BANDS.filter((from) => score >= from).length;
}
