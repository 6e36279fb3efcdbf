// Searches one index for one row: which parts to scan by, which names to compare, which entities to report.
import { compareDates } from '../dates/compare-dates.ts';
import { certainYear, isOnDay, packDay } from '../dates/packed-date.ts';
import type { QueryDate } from '../dates/query-date.ts';
import { letterBit, NAME_ENTITY_SHIFT, NAME_SPARSE, NAME_WEAK } from '../index/build-index.ts';
import { ENTITY_ORGANISATION, ENTITY_PEP, ENTITY_PERSON, ENTITY_SANCTIONED } from '../index/entity-flags.ts';
import type { ScreeningIndex } from '../index/screening-index.ts';
import { TOKEN_INITIAL } from '../names/part-class.ts';
import { createAligner } from './alignment.ts';
import { createCandidateFinder } from './candidates.ts';
import { createDescriber, type Match } from './describe-match.ts';
import { createPartLookup, type KnownPart } from './part-lookup.ts';
import type { Query, QueryPart } from './query.ts';
import { furtherReadings } from './readings.ts';
import { CANDIDATE_FLOOR, LEAST_SHARE, scoreOf } from './score.ts';
import { doParticlesCount, isCore, weightOf } from './weights.ts';

export type Topic = 'all' | 'sanctions' | 'peps';

export interface Hit {
  entity: number;
  /** The name that fits best. */
  name: number;
  score: number;
}

export interface Screener {
  /** Best first, one per entity, none below CANDIDATE_FLOOR. */
  screen(query: Query, options: { limit: number; topic: Topic }): Hit[];
  describe(query: Query, hit: Hit): Match;
}

/** A name that is cut otherwise than it was written fits a little less. */
const OTHER_READING = 0.995;
/** Good enough not to try other readings. */
const SURE = 0.95;

/** One per thread and index: it owns the memory that a search needs. */
export function createScreener(index: ScreeningIndex): Screener {
  const { entityNames, entityNameCounts, nameEntities, nameFlags, nameLetters } = index.sections;
  const { dates, dateOffsets, days, dayEntities } = index.sections;
  const lookup = createPartLookup(index);
  const aligner = createAligner(index, lookup);
  const candidates = createCandidateFinder(index);
  let hits: Hit[] = [];

  function keep(entity: number, name: number, score: number, limit: number): void {
    const same = hits.findIndex((hit) => hit.entity === entity);
    if (same >= 0) {
      if (hits[same]!.score >= score) return;
      hits.splice(same, 1);
    } else if (hits.length === limit) {
      if (hits[limit - 1]!.score >= score) return;
      hits.pop();
    }
    // Equal scores stay in list order, so that the same file always gets the same answer.
    let at = hits.length;
    while (at > 0 && (hits[at - 1]!.score < score || (hits[at - 1]!.score === score && hits[at - 1]!.entity > entity)))
      at -= 1;
    hits.splice(at, 0, { entity, name, score });
  }

  function searchReading(parts: KnownPart[], query: Query, wantedFlags: number, factor: number, limit: number): void {
    const particlesCount = doParticlesCount(parts.map(({ flags }) => flags));
    const total = parts.reduce((sum, { flags, bits }) => sum + weightOf(flags, bits, particlesCount), 0);
    const coreParts = parts.reduce((count, { flags }) => count + (isCore(flags, particlesCount) ? 1 : 0), 0);
    if (coreParts === 0) return;
    const leastWeight = LEAST_SHARE.any * total;
    const initials = initialsOf(parts);
    const initialWeight = parts.reduce(
      (sum, { flags, weight }) => sum + (isCore(flags, particlesCount) ? 0 : weight),
      0,
    );
    const mayMatchAlone = coreParts === 1 || initials !== 0;
    const consider = (name: number, sameDay: boolean) => {
      if (coreParts === 1 && initials !== 0 && (nameLetters[name]! & initials) === 0) return;
      const flags = nameFlags[name]! >>> NAME_ENTITY_SHIFT;
      if ((flags & wantedFlags & TOPIC_FLAGS) !== (wantedFlags & TOPIC_FLAGS)) return;
      if ((flags & wantedFlags & KIND_FLAGS) === 0) return;
      aligner.glance(name);
      if (aligner.glancedParts === 0) return;
      const alone = mayMatchAlone || sameDay || (nameFlags[name]! & NAME_SPARSE) !== 0;
      if (aligner.glancedParts < 2 && !alone) return;
      if (!sameDay && aligner.glancedWeight + initialWeight < leastWeight) return;
      const entity = nameEntities[name]!;
      if (!sameDay && aligner.glancedWeight + initialWeight < total * leastShareFor(query.date, entity)) return;
      const evidence = aligner.align(name, sameDay);
      if ((flags & ENTITY_PERSON) === 0 && !fitsOrganisation(evidence)) return;
      const { relation } = compareDates(query.date, dates, dateOffsets[entity]!, dateOffsets[entity + 1]!);
      const score = factor * scoreOf(evidence, (nameFlags[name]! & NAME_WEAK) !== 0, relation);
      if (score >= CANDIDATE_FLOOR) keep(entity, name, round(score), limit);
    };
    const letters = parts.reduce((all, part) => all | part.letters, 0);
    aligner.begin(parts);
    forSameDay(query.date, (entity) => {
      const first = entityNames[entity]!;
      for (let name = first; name < first + entityNameCounts[entity]!; name += 1) {
        if ((nameLetters[name]! & letters) !== 0) consider(name, true);
      }
    });
    const { scanned, skipped } = splitParts(parts, leastWeight, particlesCount);
    candidates.visit(scanned, skipped, {
      single: mayMatchAlone,
      year: query.date?.year,
      see: (name) => consider(name, false),
    });
    aligner.end();
  }

  /** People born on the day that the row gives, as far as the list knows days. */
  function forSameDay(date: QueryDate | undefined, visit: (entity: number) => void): void {
    if (date === undefined || date.day === 0) return;
    const day = packDay(date);
    let low = 0;
    let high = days.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (days[middle]! < day) low = middle + 1;
      else high = middle;
    }
    for (let at = low; at < days.length && days[at] === day; at += 1) visit(dayEntities[at]!);
  }

  /** A birth year that is far off needs a name that is nearly whole; known before the name is compared. */
  function leastShareFor(date: QueryDate | undefined, entity: number): number {
    if (date === undefined) return LEAST_SHARE.any;
    const first = dateOffsets[entity]!;
    const year = certainYear(dates, first, dateOffsets[entity + 1]!);
    const isSameDay = date.day !== 0 && isOnDay(dates[first]!, date.month, date.day);
    if (year === 0 || isSameDay) return LEAST_SHARE.any;
    const apart = Math.abs(year - date.year);
    if (apart >= 8) return LEAST_SHARE.conflict;
    return apart >= 4 ? LEAST_SHARE.apart : LEAST_SHARE.any;
  }

  function lookUp(parts: QueryPart[]): KnownPart[] {
    return parts.map(({ text, vowelless }) => lookup.find(text, vowelless));
  }

  return {
    screen(query, { limit, topic }) {
      hits = [];
      const wantedFlags = (query.personal ? ENTITY_PERSON : ENTITY_PERSON | ENTITY_ORGANISATION) | TOPIC_FLAG[topic];
      searchReading(lookUp(query.parts), query, wantedFlags, 1, limit);
      if ((hits[0]?.score ?? 0) < SURE) {
        for (const parts of furtherReadings(query.parts, lookup)) {
          searchReading(lookUp(parts), query, wantedFlags, OTHER_READING, limit);
        }
      }
      return hits;
    },
    describe: createDescriber(index, lookup, aligner),
  };
}

const TOPIC_FLAG: Record<Topic, number> = { all: 0, sanctions: ENTITY_SANCTIONED, peps: ENTITY_PEP };
const TOPIC_FLAGS = ENTITY_SANCTIONED | ENTITY_PEP;
const KIND_FLAGS = ENTITY_PERSON | ENTITY_ORGANISATION;

/**
 * A name that is worth comparing has at least two of the query's parts and LEAST_SHARE of its weight. So the
 * most frequent parts can be skipped as long as they cannot make that up among themselves.
 */
function splitParts(parts: KnownPart[], leastWeight: number, particlesCount: boolean) {
  // Equally frequent parts by their letters: the order in the row must not matter.
  const core = parts
    .filter(({ flags }) => isCore(flags, particlesCount))
    .toSorted((a, b) => b.postings - a.postings || (a.text < b.text ? -1 : 1));
  let count = 0;
  let weight = parts.reduce((sum, part) => sum + (isCore(part.flags, particlesCount) ? 0 : part.weight), 0);
  while (count < core.length - 1) {
    const withNext = weight + core[count]!.weight;
    if (count >= 1 && withNext >= leastWeight) break;
    weight = withNext;
    count += 1;
  }
  return { scanned: core.slice(count).reverse(), skipped: core.slice(0, count) };
}

/** Organisations share words; only a name that agrees nearly whole, and in more than one word, means the same one. */
function fitsOrganisation(evidence: {
  coreParts: number;
  queryRest: number;
  listedRest: number;
  matched: number;
}): boolean {
  const { coreParts, queryRest, listedRest, matched } = evidence;
  return coreParts >= 2 && queryRest + listedRest <= 0.3 * matched;
}

/** Letters of the initials among the parts, as bits. */
function initialsOf(parts: readonly KnownPart[]): number {
  let letters = 0;
  for (const { flags, text } of parts) {
    if ((flags & TOKEN_INITIAL) !== 0) letters |= letterBit(text.charCodeAt(0));
  }
  return letters;
}

function round(score: number): number {
  return Math.round(score * 10_000) / 10_000;
}
