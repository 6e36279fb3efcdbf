// Compares the known hits of a subject with the new findings. All alerts come from here.
import { isDeepStrictEqual } from 'node:util';
import type { AlertCause, OtherEntry, ScreeningAlert } from '@limen/contract';
import { hashEntries } from '../engine/hash-entry.ts';
import { compareMatches } from './compare-matches.ts';
import type { HitContent, HitFinding } from './contents.ts';

export type HitChange<Stored> =
  | { change: 'new'; found: HitFinding }
  /** The entry, the band of the score, or the basis of a decision changed. */
  | { change: 'changed'; stored: Stored; found: HitFinding; because: AlertCause[] }
  /** Another score or explanation in the same band: kept in the history without an alert. */
  | { change: 'refreshed'; stored: Stored; found: HitFinding }
  /** An unchanged outcome of another engine or list version: only the hit is updated. */
  | { change: 'seen'; stored: Stored; found: HitFinding }
  | { change: 'removed'; stored: Stored };

interface SearchScope {
  /** Whether the search covered this entity, of which a hit is known or not. */
  concerns(entityId: string, isKnown: boolean): boolean;
  /** Whether a list was searched or removed. Hits on other lists are not gone. */
  isSettled(list: string): boolean;
}

/** Scores from which an analyst looks, and from which one stops the customer (docs/screening.md, "Choosing a threshold"). */
const BANDS = [0.85, 0.95];
/** Rise of the score since a decision, within a band, after which it lapses. */
const STRONGER_BY = 0.05;

/** Returns new and changed hits in the order of the findings, then removed ones. */
export function diffHits<Stored extends HitContent>(
  stored: readonly Stored[],
  found: readonly HitFinding[],
  { concerns, isSettled }: SearchScope,
): HitChange<Stored>[] {
  const known = new Map(stored.map((hit) => [hitKey(hit), hit]));
  const seen = new Set(found.map(hitKey));
  const renamed = new Set<Stored>();
  const changes: HitChange<Stored>[] = [];
  for (const finding of found) {
    const before = known.get(hitKey(finding)) ?? findRenamed(finding);
    const isNewConcerned = () => concerns(finding.match.id, false);
    if (!before) {
      if (isNewConcerned()) changes.push({ change: 'new', found: finding });
    } else if (concerns(before.match.id, true) || (renamed.has(before) && isNewConcerned())) {
      const change = compare(before, keepUnsettled(before, finding, isSettled));
      if (change) changes.push(change);
    }
  }
  for (const hit of stored) {
    if (!seen.has(hitKey(hit)) && !renamed.has(hit) && concerns(hit.match.id, true) && isSettled(hit.list))
      changes.push({ change: 'removed', stored: hit });
  }
  return changes;

  /** Publishers merge entries: a finding may name the id that the hit was known under. */
  function findRenamed({ match: { referents = [] } }: HitFinding): Stored | undefined {
    const before = stored.find(
      (hit) => !seen.has(hitKey(hit)) && !renamed.has(hit) && referents.includes(hit.match.id),
    );
    if (before) renamed.add(before);
    return before;
  }
}

/** Two lists may have different entities under one id. The first one found gets the id for itself. */
export function hitKey({ match, stranger, list }: HitFinding): string {
  return stranger ? strangerKey(match.id, list) : match.id;
}

export function strangerKey(entityId: string, list: string): string {
  return `${entityId} ${list}`;
}

/** Keeps the entries of lists that could not be searched. */
function keepUnsettled(stored: HitContent, found: HitFinding, isSettled: SearchScope['isSettled']): HitFinding {
  const kept = [createOwnEntry(stored), ...stored.others].filter(
    ({ list }) => !isSettled(list) && list !== found.list && !found.others.some((other) => other.list === list),
  );
  if (kept.length === 0) return found;
  const others = [...found.others, ...kept];
  return { ...found, ...collectHashes(found.list, findOwnHash(found), others), others };
}

/** Returns the entry of the finding's own list, in the form of `others`. */
function createOwnEntry(finding: HitFinding): Required<OtherEntry> {
  const { score: _, nameScore: _name, matchedName: _matched, explanation: _why, ...entry } = finding.match;
  return { list: finding.list, listVersion: finding.listVersion, entryHash: findOwnHash(finding), entry };
}

function entriesByList(finding: HitFinding): Map<string, Required<OtherEntry>> {
  return new Map([...finding.others, createOwnEntry(finding)].map((entry) => [entry.list, entry]));
}

function compare<Stored extends HitContent>(stored: Stored, found: HitFinding): HitChange<Stored> | undefined {
  const because = findCauses(stored, found);
  if (because.length > 0) return { change: 'changed', stored, found, because };
  if (!isDeepStrictEqual(selectOutcome(stored), selectOutcome(found))) return { change: 'refreshed', stored, found };
  const isSame =
    stored.engineVersion === found.engineVersion &&
    stored.subjectHash === found.subjectHash &&
    isDeepStrictEqual(stored.others.map(withoutVersion), found.others.map(withoutVersion)) &&
    isDeepStrictEqual(stored.match, found.match);
  return isSame ? undefined : { change: 'seen', stored, found };
}

function withoutVersion({ listVersion: _, ...entry }: OtherEntry): Omit<OtherEntry, 'listVersion'> {
  return entry;
}

/** Fields that change when a publisher merges entries. */
const MERGED_FIELDS = ['referents', 'datasets', 'firstSeen', 'lastChange'];

function isEntryChanged(stored: HitContent, found: HitFinding): boolean {
  // Another id changes the hash, so the fields are compared.
  if (stored.match.id !== found.match.id)
    return compareMatches(stored.match, found.match).some(({ field }) => !MERGED_FIELDS.includes(field));
  return !isDeepStrictEqual(mapEntryHashes(stored), mapEntryHashes(found));
}

/** Hashes the entries of all lists together: a decision is based on all of them. */
export function collectHashes(list: string, own: string, others: readonly OtherEntry[]) {
  if (others.length === 0) return { entryHash: own };
  const entries = [{ list, entryHash: own }, ...others].map((entry) => [entry.list, entry.entryHash]);
  return { entryHash: hashEntries(Object.fromEntries(entries)), ownHash: own };
}

export function findOwnHash({ entryHash, ownHash = entryHash }: HitFinding): string {
  return ownHash;
}

function mapEntryHashes(finding: HitFinding): Map<string, string> {
  return new Map([...entriesByList(finding)].map(([list, { entryHash }]) => [list, entryHash]));
}

/** Returns why an analyst should look again. Before a decision, subject and engine only explain a change of strength. */
function findCauses({ decided, ...stored }: HitContent, found: HitFinding): AlertCause[] {
  const reasons: AlertCause[] = [];
  if (isEntryChanged(stored, found)) reasons.push('entry');
  const isStronger = decided !== undefined && found.match.score - decided.score >= STRONGER_BY;
  const isMoved = scoreBand(stored.match.score) !== scoreBand(found.match.score) || isStronger;
  if (isMoved) reasons.push('strength');
  if ((decided || isMoved) && stored.subjectHash !== found.subjectHash) reasons.push('subject');
  if (reasons.length === 1 && isMoved && stored.engineVersion !== found.engineVersion) reasons.push('engine');
  return reasons;
}

function selectOutcome({ match: { score, nameScore, matchedName, explanation } }: HitFinding): unknown {
  return { score, nameScore, matchedName, explanation };
}

function scoreBand(score: number): number {
  return BANDS.filter((from) => score >= from).length;
}

export function compareFindings(before: HitFinding, after: HitFinding): Pick<ScreeningAlert, 'changes' | 'others'> {
  const [old, current] = [entriesByList(before), entriesByList(after)];
  const isChanged = (list: string) => old.get(list)?.entryHash !== current.get(list)?.entryHash;
  const changes = [...current].flatMap(([list, { entry }]) => {
    const previous = old.get(list);
    if (!previous || !isChanged(list)) return [];
    const changed = compareMatches(previous.entry, entry).filter(({ field }) => field !== 'datasets');
    return list === after.list ? changed : changed.map((change) => ({ ...change, list }));
  });
  changes.push(...compareMatches(before.match, after.match).filter(({ field }) => field === 'datasets'));
  const others = [...new Map([...old, ...current]).values()].filter(
    ({ list }) => list !== after.list && isChanged(list),
  );
  return { ...(changes.length > 0 && { changes }), ...(others.length > 0 && { others }) };
}
