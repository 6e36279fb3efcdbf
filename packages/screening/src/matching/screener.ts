// Searches one index for one row: which names to compare, and which entities to report.
import { APART_FROM_YEARS, CONFLICT_FROM_YEARS, compareDates } from '../dates/compare-dates.ts';
import { certainYear, isOnDay, packDay } from '../dates/packed-date.ts';
import type { QueryDate } from '../dates/query-date.ts';
import { ENTITY_ORGANISATION, ENTITY_PERSON, TOPIC_FLAG, type Topic } from '../index/entity-flags.ts';
import { decodeEntity } from '../index/entity-record.ts';
import { lowerBound } from '../index/lower-bound.ts';
import { letterBit, NAME_ENTITY_SHIFT, NAME_SPARSE, NAME_WEAK } from '../index/name-flags.ts';
import type { ScreeningIndex } from '../index/screening-index.ts';
import { isCommonName, TOKEN_BUSINESS, TOKEN_INITIAL } from '../names/part-class.ts';
import { doParticlesCount, isCore, weightOf } from '../names/part-weight.ts';
import { createAligner } from './alignment.ts';
import { createCandidateFinder } from './candidates.ts';
import { createDescriber, type Match } from './describe-match.ts';
import { createPartLookup, type KnownPart } from './part-lookup.ts';
import type { Query, QueryPart } from './query.ts';
import { furtherReadings, inFixedOrder, OTHER_READING } from './readings.ts';
import { CANDIDATE_FLOOR, EQUAL_NAME, LEAST_SHARE, type NameEvidence, scoreOf } from './score.ts';
import { createTopHits, type Hit, type TopHits } from './top-hits.ts';

export interface Screener {
  /** Best first, one per entity, none below CANDIDATE_FLOOR. */
  screen(query: Query, options: { limit: number; topic: Topic }): Hit[];
  describe(query: Query, hit: Hit): Match;
  /** The listed id alone, without what a description takes. */
  idOf(hit: Hit): string;
}

/** An equal name and day; not for characters that merely sound the same. */
const SOUNDS_IDENTICAL = 0.995;

/** One per thread and index: it owns the memory that a search needs. */
export function createScreener(index: ScreeningIndex): Screener {
  const { entityNames, entityNameCounts, nameEntities, nameFlags, nameLetters } = index.sections;
  const { dates, dateOffsets, days, dayEntities } = index.sections;
  const lookup = createPartLookup(index);
  const aligner = createAligner(index, lookup);
  const candidates = createCandidateFinder(index);

  function searchReading(reading: Reading, query: Query, wanted: Wanted, top: TopHits): void {
    const { parts, total, coreParts, initials, supportingWeight, letters } = reading;
    if (coreParts === 0) return;
    const mayMatchAlone = coreParts === 1 || initials !== 0;
    /** `patiently` for people born on the same day, who may be spelled worse. */
    const consider = (name: number, patiently: boolean) => {
      if (coreParts === 1 && initials !== 0 && (nameLetters[name]! & initials) === 0) return;
      const flags = nameFlags[name]!;
      const entityFlags = flags >>> NAME_ENTITY_SHIFT;
      if ((entityFlags & wanted.kinds) === 0 || (entityFlags & wanted.topic) !== wanted.topic) return;
      aligner.glance(name);
      const { glancedParts } = aligner;
      if (glancedParts === 0) return;
      if (glancedParts < 2 && !mayMatchAlone && !patiently && (flags & NAME_SPARSE) === 0) return;
      const entity = nameEntities[name]!;
      const share = (aligner.glancedWeight + supportingWeight) / total;
      if (!patiently && (share < LEAST_SHARE.any || share < leastShareFor(query.date, entity))) return;
      const evidence = aligner.align(name, patiently);
      if ((entityFlags & ENTITY_PERSON) === 0 && !fitsOrganisation(evidence, reading)) return;
      const { relation } = compareDates(query.date, dates, dateOffsets[entity]!, dateOffsets[entity + 1]!);
      const score = wanted.factor * scoreOf(evidence, (flags & NAME_WEAK) !== 0, relation);
      if (score < CANDIDATE_FLOOR) return;
      const isHomophone = score === 1 && !isWrittenAlike(query, decodeEntity(index.sections, entity).names);
      top.add(entity, name, isHomophone ? SOUNDS_IDENTICAL : round(score));
    };
    aligner.begin(parts);
    forSameDay(query.date, (entity) => {
      const first = entityNames[entity]!;
      for (let name = first; name < first + entityNameCounts[entity]!; name += 1) {
        if ((nameLetters[name]! & letters) !== 0) consider(name, true);
      }
    });
    const { scanned, skipped } = splitParts(reading);
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
    const first = lowerBound(days, 0, days.length, day);
    for (let at = first; at < days.length && days[at] === day; at += 1) visit(dayEntities[at]!);
  }

  /** A birth year that is far off needs a name that is nearly whole; known before the name is compared. */
  function leastShareFor(date: QueryDate | undefined, entity: number): number {
    if (date === undefined) return LEAST_SHARE.any;
    const first = dateOffsets[entity]!;
    const year = certainYear(dates, first, dateOffsets[entity + 1]!);
    const isSameDay = date.day !== 0 && isOnDay(dates[first]!, date.month, date.day);
    if (year === 0 || isSameDay) return LEAST_SHARE.any;
    const apart = Math.abs(year - date.year);
    if (apart >= CONFLICT_FROM_YEARS) return LEAST_SHARE.conflict;
    return apart >= APART_FROM_YEARS ? LEAST_SHARE.apart : LEAST_SHARE.any;
  }

  function read(parts: QueryPart[]): Reading {
    return readingOf(parts.map(({ text, vowelless }) => lookup.find(text, vowelless)));
  }

  return {
    screen(query, { limit, topic }) {
      const top = createTopHits(limit);
      const kinds = query.personal ? ENTITY_PERSON : ENTITY_PERSON | ENTITY_ORGANISATION;
      const wanted = { kinds, topic: TOPIC_FLAG[topic], factor: 1 };
      const parts = inFixedOrder(query.parts);
      searchReading(read(parts), query, wanted, top);
      // Somebody has this very name: that it could also be cut otherwise adds nothing.
      if ((top.hits[0]?.score ?? 0) >= EQUAL_NAME) return top.hits;
      for (const reading of furtherReadings(parts, lookup)) {
        searchReading(read(reading), query, { ...wanted, factor: OTHER_READING }, top);
      }
      return top.hits;
    },
    describe: createDescriber(index, lookup, aligner),
    idOf: ({ entity }) => decodeEntity(index.sections, entity).id,
  };
}

/** Entities that are asked for, by flags, and what a match is multiplied with. */
interface Wanted {
  kinds: number;
  topic: number;
  factor: number;
}

/** One way to cut a row's name into parts, summed up. */
interface Reading {
  parts: KnownPart[];
  particlesCount: boolean;
  /** Weight of all parts, and of those that cannot carry a match: particles and initials. */
  total: number;
  supportingWeight: number;
  coreParts: number;
  /** Letters of the initials, and first letters of whatever is similar to a part; bits as in the index. */
  initials: number;
  letters: number;
}

function readingOf(parts: KnownPart[]): Reading {
  const particlesCount = doParticlesCount(parts.map(({ flags }) => flags));
  const reading = { parts, particlesCount, total: 0, supportingWeight: 0, coreParts: 0, initials: 0, letters: 0 };
  for (const { flags, bits, text, letters } of parts) {
    const weight = weightOf(flags, bits, particlesCount);
    reading.total += weight;
    reading.letters |= letters;
    if (isCore(flags, particlesCount)) reading.coreParts += 1;
    else reading.supportingWeight += weight;
    if ((flags & TOKEN_INITIAL) !== 0) reading.initials |= letterBit(text.charCodeAt(0));
  }
  return reading;
}

/**
 * A name that is worth comparing has at least two of the query's parts and LEAST_SHARE of its weight. So the most
 * frequent parts can be skipped as long as they cannot make that up among themselves.
 */
function splitParts({ parts, particlesCount, total, supportingWeight }: Reading) {
  // Equally frequent parts by their letters: the order in the row must not matter.
  const core = parts
    .filter(({ flags }) => isCore(flags, particlesCount))
    .toSorted((a, b) => b.postings - a.postings || (a.text < b.text ? -1 : 1));
  let count = 0;
  let weight = supportingWeight;
  while (count < core.length - 1) {
    const withNext = weight + core[count]!.weight;
    if (count >= 1 && withNext >= LEAST_SHARE.any * total) break;
    weight = withNext;
    count += 1;
  }
  return { scanned: core.slice(count).reverse(), skipped: core.slice(0, count) };
}

/**
 * Organisations share words; only a name that agrees nearly whole means the same one. A single word must be all of it, and
 * neither a word of business nor somebody's given name.
 */
function fitsOrganisation(evidence: NameEvidence, { parts }: Reading): boolean {
  const { coreParts, queryRest, listedRest, matched } = evidence;
  if (coreParts >= 2) return queryRest + listedRest <= 0.3 * matched;
  const word = parts.find(({ flags }) => isCore(flags));
  if (coreParts === 0 || word === undefined || queryRest + listedRest > 0) return false;
  return word.text.length >= 4 && !isCommonName(word.text) && (word.flags & TOKEN_BUSINESS) === 0;
}

/** Characters that sound the same are not the same name: each must be in one listed name as it is. */
function isWrittenAlike({ parts }: Query, names: readonly string[]): boolean {
  const characters = parts.filter(({ syllabic }) => syllabic).map(({ written }) => written);
  return names.some((name) => characters.every((character) => name.includes(character)));
}

function round(score: number): number {
  return Math.round(score * 10_000) / 10_000;
}
