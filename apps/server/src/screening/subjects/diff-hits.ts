// What changed between the hits that are known of a subject and those that were found: the one place where alerts come from.
import { isDeepStrictEqual } from 'node:util';
import type { AlertCause, ScreeningAlert } from '@limen/contract';
import { hashEntries } from '../engine/hash-entry.ts';
import { compareMatches } from './compare-matches.ts';
import type { HitContent, HitFinding, OtherEntry } from './contents.ts';

export type HitChange<Stored> =
  | { change: 'new'; found: HitFinding }
  /** What the list says, how strong the match is, or what a decision was based on. */
  | { change: 'changed'; stored: Stored; found: HitFinding; because: AlertCause[] }
  /** Another score or explanation, no stronger or weaker: kept in the history without an alert. */
  | { change: 'refreshed'; stored: Stored; found: HitFinding }
  /** The same outcome, by another engine or of another day: only the hit says so. */
  | { change: 'seen'; stored: Stored; found: HitFinding }
  | { change: 'removed'; stored: Stored };

interface Looked {
  /** Whether anything may be said about this entity, of which a hit is known or not; about the others nothing is. */
  concerns(entityId: string, isKnown: boolean): boolean;
  /** Whether a list was searched, or is no longer there: a hit on a list that could not be searched is not gone. */
  isSettled(list: string): boolean;
}

/** From here on an analyst looks, and from here on one stops it (docs/screening.md, "Choosing a threshold"). */
const BANDS = [0.85, 0.95];
/** A decision does not outlast evidence that has become stronger by this much, within a band and however slowly. */
const STRONGER_BY = 0.05;

/** New and changed ones best first, as they were found, then those that are gone. */
export function diffHits<Stored extends HitContent>(
  stored: readonly Stored[],
  found: readonly HitFinding[],
  { concerns, isSettled }: Looked,
): HitChange<Stored>[] {
  const known = new Map(stored.map((hit) => [keyOf(hit), hit]));
  const seen = new Set(found.map(keyOf));
  const renamed = new Set<Stored>();
  const changes: HitChange<Stored>[] = [];
  for (const one of found) {
    const before = known.get(keyOf(one)) ?? findRenamed(one);
    const isConcerned = before
      ? concerns(before.match.id, true) || (renamed.has(before) && concerns(one.match.id, false))
      : concerns(one.match.id, false);
    if (!isConcerned) continue;
    const change = before
      ? compare(before, keepUnsettled(before, one, isSettled))
      : { change: 'new' as const, found: one };
    if (change) changes.push(change);
  }
  for (const hit of stored) {
    if (!seen.has(keyOf(hit)) && !renamed.has(hit) && concerns(hit.match.id, true) && isSettled(hit.list))
      changes.push({ change: 'removed', stored: hit });
  }
  return changes;

  /** Publishers merge entries: what was found names the id that the hit was known under. */
  function findRenamed(one: HitFinding): Stored | undefined {
    const ids = one.match.referents ?? [];
    const before = stored.find((hit) => !seen.has(keyOf(hit)) && !renamed.has(hit) && ids.includes(hit.match.id));
    if (before) renamed.add(before);
    return before;
  }
}

/** Two lists may have strangers under one id. The first to be found has the id for itself. */
export function keyOf({ match, stranger, list }: HitFinding): string {
  return stranger ? strangerKey(match.id, list) : match.id;
}

export function strangerKey(entityId: string, list: string): string {
  return `${entityId} ${list}`;
}

/** A list that could not be searched says what it said. */
function keepUnsettled(stored: HitContent, found: HitFinding, isSettled: Looked['isSettled']): HitFinding {
  const silent = [ownEntryOf(stored), ...stored.others].filter(
    ({ list }) => !isSettled(list) && list !== found.list && !found.others.some((other) => other.list === list),
  );
  if (silent.length === 0) return found;
  const others = [...found.others, ...silent];
  return { ...found, ...hashesOf(found.list, ownHashOf(found), others), others };
}

/** Returns what its own list says, in the form in which entries of other lists are kept. */
function ownEntryOf(finding: HitFinding): Required<OtherEntry> {
  const { score: _, nameScore: _name, matchedName: _matched, explanation: _why, ...entry } = finding.match;
  return { list: finding.list, listVersion: finding.listVersion, entryHash: ownHashOf(finding), entry };
}

function entriesByList(finding: HitFinding): Map<string, Required<OtherEntry>> {
  return new Map([...finding.others, ownEntryOf(finding)].map((entry) => [entry.list, entry]));
}

function compare<Stored extends HitContent>(stored: Stored, found: HitFinding): HitChange<Stored> | undefined {
  const because = reasonsOf(stored, found);
  if (because.length > 0) return { change: 'changed', stored, found, because };
  if (!isDeepStrictEqual(outcomeOf(stored), outcomeOf(found))) return { change: 'refreshed', stored, found };
  const isSame =
    stored.engineVersion === found.engineVersion &&
    stored.subjectHash === found.subjectHash &&
    isDeepStrictEqual(stored.others.map(withoutVersion), found.others.map(withoutVersion)) &&
    isDeepStrictEqual(stored.match, found.match);
  return isSame ? undefined : { change: 'seen', stored, found };
}

/** A version in which the list says the same is no other outcome. */
function withoutVersion({ listVersion: _, ...entry }: OtherEntry): Omit<OtherEntry, 'listVersion'> {
  return entry;
}

/** Whether any list says something else, or another list says something. */
function isOtherEntry(stored: HitContent, found: HitFinding): boolean {
  if (stored.match.id !== found.match.id) return saysSomethingElse(stored, found);
  return !isDeepStrictEqual(entryHashesOf(stored), entryHashesOf(found));
}

/** A decision is made on what all lists say: as soon as one of them says something else, the hash is another. */
export function hashesOf(
  list: string,
  own: string,
  others: readonly OtherEntry[],
): Pick<HitFinding, 'entryHash' | 'ownHash'> {
  if (others.length === 0) return { entryHash: own };
  const entries = [{ list, entryHash: own }, ...others].map((entry) => [entry.list, entry.entryHash]);
  return { entryHash: hashEntries(Object.fromEntries(entries)), ownHash: own };
}

/** Of what its own list says. */
export function ownHashOf({ entryHash, ownHash = entryHash }: HitFinding): string {
  return ownHash;
}

function entryHashesOf(finding: HitFinding): Map<string, string> {
  return new Map([...entriesByList(finding).values()].map(({ list, entryHash }) => [list, entryHash]));
}

/** Under another id, whose hash would be another one anyway. */
function saysSomethingElse(stored: HitContent, found: HitFinding): boolean {
  const byMerging = ['referents', 'datasets', 'firstSeen', 'lastChange'];
  return compareMatches(stored.match, found.match).some(({ field }) => !byMerging.includes(field));
}

/**
 * Why an analyst should look again. What is known of the subject counts for itself only where it was decided on; otherwise it says why
 * a match has become stronger or weaker, and so does the engine where nothing else does.
 */
function reasonsOf(stored: HitContent, found: HitFinding): AlertCause[] {
  const { decided } = stored;
  const reasons: AlertCause[] = [];
  if (isOtherEntry(stored, found)) reasons.push('entry');
  const isStronger = decided !== undefined && found.match.score - decided.score >= STRONGER_BY;
  const isMoved = bandOf(stored.match.score) !== bandOf(found.match.score) || isStronger;
  if (isMoved) reasons.push('strength');
  if ((decided || isMoved) && stored.subjectHash !== found.subjectHash) reasons.push('subject');
  if (reasons.length === 1 && isMoved && stored.engineVersion !== found.engineVersion) reasons.push('engine');
  return reasons;
}

function outcomeOf({ match: { score, nameScore, matchedName, explanation } }: HitFinding): unknown {
  return { score, nameScore, matchedName, explanation };
}

function bandOf(score: number): number {
  return BANDS.filter((from) => score >= from).length;
}

/** `others` are entries of other lists than that of what was found, and only those that came, changed or went. */
export function compareFindings(before: HitFinding, after: HitFinding): Pick<ScreeningAlert, 'changes' | 'others'> {
  const [had, has] = [entriesByList(before), entriesByList(after)];
  const changes = [...has].flatMap(([list, now]) => {
    const old = had.get(list);
    if (!old || old.entryHash === now.entryHash) return [];
    const changed = compareMatches(old.entry, now.entry).filter(({ field }) => field !== 'datasets');
    return list === after.list ? changed : changed.map((one) => ({ ...one, list }));
  });
  const named = compareMatches(before.match, after.match).filter(({ field }) => field === 'datasets');
  const others = [...new Map([...had, ...has])].flatMap(([list, entry]) =>
    list === after.list || had.get(list)?.entryHash === has.get(list)?.entryHash ? [] : [entry],
  );
  const all = [...changes, ...named];
  return { ...(all.length > 0 && { changes: all }), ...(others.length > 0 && { others }) };
}
