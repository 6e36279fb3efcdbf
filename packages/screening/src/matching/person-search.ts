// Searches one index for a person: which names to compare, and how they score.
import { APART_FROM_YEARS, CONFLICT_FROM_YEARS, relateDates } from '../dates/compare-dates.ts';
import { certainYear, isOnDay } from '../dates/packed-date.ts';
import type { QueryDate } from '../dates/query-date.ts';
import { decodeEntity } from '../index/entity-record.ts';
import { letterBit, NAME_ENTITY_SHIFT, NAME_SPARSE, NAME_WEAK } from '../index/name-flags.ts';
import type { ScreeningIndex } from '../index/screening-index.ts';
import { KIND_PERSON } from '../kind.ts';
import { countBits } from '../names/edit-cost.ts';
import { TOKEN_INITIAL } from '../names/part-class.ts';
import { doParticlesCount, isCore, weightOf } from '../names/part-weight.ts';
import { createAligner } from './alignment.ts';
import { createBestCase } from './best-case.ts';
import type { CandidateFinder } from './candidates.ts';
import { type NameSearch, roundScore } from './name-search.ts';
import type { KnownPart, PartLookup } from './part-lookup.ts';
import type { PartPairs } from './part-pairs.ts';
import type { QueryName, QueryPart } from './query.ts';
import {
  type CutSyllable,
  cutSyllables,
  furtherReadings,
  inFixedOrder,
  JOINED_BY_SOUND,
  joinParticles,
  OTHER_READING,
} from './readings.ts';
import { bestScore, CANDIDATE_FLOOR, EQUAL_NAME, LEAST_SHARE, scoreOf } from './score.ts';
import type { TopHits } from './top-hits.ts';

/** An equal name and day; not for characters that merely sound the same. */
const SOUNDS_IDENTICAL = 0.995;
/** Postings up to which the names of a single part are opened. */
const FEW_POSTINGS = 24;

export function createPersonSearch(
  index: ScreeningIndex,
  lookup: PartLookup,
  pairs: PartPairs,
  candidates: CandidateFinder,
): NameSearch {
  const { nameEntities, nameFlags, nameLetters, dates, dateOffsets } = index.sections;
  const aligner = createAligner(index, lookup, pairs);
  const bestCase = createBestCase(index, lookup, pairs);
  let begun = 1;

  function searchReading(reading: Reading, written: QueryName, wanted: Wanted, top: TopHits): void {
    const { date } = wanted;
    const { parts, syllables, particlesCount, total, coreParts, coreMask, initials, supportingWeight } = reading;
    if (coreParts === 0) return;
    const mayMatchAlone = coreParts === 1 || initials !== 0;
    let leastParts = 2;
    let isBegun = false;
    const begin = () => {
      if (!isBegun) aligner.begin(parts, particlesCount);
      isBegun = true;
    };
    /** `patiently` for people born on the same day, who may be spelled worse. */
    const consider = (name: number, patiently: boolean) => {
      if (coreParts === 1 && initials !== 0 && (nameLetters[name]! & initials) === 0) return;
      const flags = nameFlags[name]!;
      const entityFlags = flags >>> NAME_ENTITY_SHIFT;
      if ((entityFlags & KIND_PERSON) === 0 || (entityFlags & wanted.topic) !== wanted.topic) return;
      begin();
      const met = bestCase.open(name);
      if (syllables.some(({ syllable, rest }) => (met & syllable) !== 0 && (met & rest) === 0)) return;
      const metParts = countBits(met & coreMask);
      if (metParts === 0) return;
      if (metParts < leastParts && !mayMatchAlone && !patiently && (flags & NAME_SPARSE) === 0) return;
      const entity = nameEntities[name]!;
      const share = (weightOfParts(met) + supportingWeight) / total;
      if (!patiently && (share < LEAST_SHARE.any || share < leastShareFor(date, entity))) return;
      const relation =
        date === undefined ? 'unknown' : relateDates(date, dates, dateOffsets[entity]!, dateOffsets[entity + 1]!);
      const isWeak = (flags & NAME_WEAK) !== 0;
      const best = wanted.factor * bestScore(bestCase.look(patiently), isWeak, relation);
      if (best < CANDIDATE_FLOOR || roundScore(best) < top.least) return;
      const score = wanted.factor * scoreOf(aligner.align(name, patiently), isWeak, relation);
      if (score < CANDIDATE_FLOOR) return;
      const isHomophone = score === 1 && !isWrittenAlike(written, decodeEntity(index.sections, entity).names);
      top.add(entity, name, isHomophone ? SOUNDS_IDENTICAL : roundScore(score));
    };
    const { scanned, skipped } = splitParts(reading);
    const price = parts.length;
    const hasPart = (name: number) => {
      begin();
      return pairs.hasOneOf(coreMask, name);
    };
    candidates.visitDay([...scanned, ...skipped], { date, price, see: (name) => consider(name, true), hasPart });
    const see = (name: number) => consider(name, false);
    // Where all parts are the same word, one that a name has may be two of them.
    const single = mayMatchAlone || scanned.length + skipped.length === 1;
    const search = { single, year: date?.year, price, see };
    candidates.visit(scanned, skipped, search);
    // Of two parts one may be so misspelled that no key leads to it; names with the other are opened where those are few.
    if (wanted.factor === 1 && !mayMatchAlone && coreParts === 2) {
      leastParts = 1;
      for (const { part, otherLetters } of rareParts(reading)) {
        const seeAlike = (name: number) => {
          if ((nameLetters[name]! & otherLetters) !== 0) consider(name, false);
        };
        candidates.visit([part], [], { ...search, single: true, see: seeAlike });
      }
    }
    if (isBegun) aligner.end();
  }

  /** Of the query's parts, a bit each. */
  function weightOfParts(parts: number): number {
    let weight = 0;
    for (let left = parts; left !== 0; left &= left - 1) weight += pairs.partWeights[31 - Math.clz32(left & -left)]!;
    return weight;
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

  const lookUp = (parts: readonly QueryPart[]) => parts.map((part) => lookup.find(part));

  return {
    search(written, { date, topic }, top) {
      const wanted = { date, topic, factor: 1 };
      const parts = inFixedOrder(written.parts);
      searchReading(readingOf(lookUp(parts), []), written, wanted, top);
      // Somebody has this very name: that it could also be cut otherwise adds nothing. Of two people, it may be the other's.
      if (written.readAs === undefined && (top.hits[0]?.score ?? 0) >= EQUAL_NAME) return;
      for (const reading of furtherReadings(parts, lookup)) {
        const syllables = cutSyllables(reading);
        searchReading(readingOf(lookUp(reading), syllables), written, { ...wanted, factor: OTHER_READING }, top);
      }
      const joined = joinParticles(parts, lookup);
      if (joined) searchReading(readingOf(lookUp(joined), []), written, { ...wanted, factor: JOINED_BY_SOUND }, top);
    },
    readings(written) {
      const parts = inFixedOrder(written.parts);
      const others = furtherReadings(parts, lookup).map((cut) => ({
        parts: cut,
        isWritten: false,
        factor: OTHER_READING,
      }));
      const joined = joinParticles(parts, lookup);
      const bySound = joined ? [{ parts: joined, isWritten: false, factor: JOINED_BY_SOUND }] : [];
      return [{ parts, isWritten: true, factor: 1 }, ...others, ...bySound];
    },
    begin({ parts, factor }) {
      begun = factor;
      const known = lookUp(parts);
      aligner.begin(known, doParticlesCountIn(parts, known));
    },
    compare: (name, relation) =>
      begun * scoreOf(aligner.align(name, relation === 'day'), (nameFlags[name]! & NAME_WEAK) !== 0, relation),
    end: () => aligner.end(),
  };
}

/** Entities that are asked for, by flags, and what a match is multiplied with. */
interface Wanted {
  date: QueryDate | undefined;
  topic: number;
  factor: number;
}

/** One way to cut a row's name into parts, summed up. */
interface Reading {
  parts: KnownPart[];
  /** Syllables that count only together with the rest of the word that they were cut from. */
  syllables: readonly CutSyllable[];
  particlesCount: boolean;
  /** Weight of all parts, and of those that cannot carry a match: particles and initials. */
  total: number;
  supportingWeight: number;
  coreParts: number;
  /** Which parts can carry a match, a bit each. */
  coreMask: number;
  /** Letters of the initials; bits as in the index. */
  initials: number;
}

/** What is listed may have a family name that looks like a particle, see find-concerned.ts. */
export function doParticlesCountIn(parts: readonly QueryPart[], known: readonly KnownPart[]): boolean {
  return parts.some(({ isFamily }) => isFamily) || doParticlesCount(known.map(({ flags }) => flags));
}

function readingOf(parts: KnownPart[], syllables: readonly CutSyllable[]): Reading {
  const particlesCount = doParticlesCount(parts.map(({ flags }) => flags));
  let total = 0;
  let supportingWeight = 0;
  let coreParts = 0;
  let coreMask = 0;
  let initials = 0;
  for (let at = 0; at < parts.length; at += 1) {
    const part = parts[at]!;
    const weight = weightOf(part.flags, part.bits, particlesCount);
    total += weight;
    if (isCore(part.flags, particlesCount)) {
      coreParts += 1;
      coreMask |= 1 << at;
    } else supportingWeight += weight;
    if ((part.flags & TOKEN_INITIAL) !== 0) initials |= letterBit(part.text.charCodeAt(0));
  }
  return { parts, syllables, particlesCount, total, supportingWeight, coreParts, coreMask, initials };
}

/**
 * A name that is worth comparing has at least two of the query's parts and LEAST_SHARE of its weight. So the most
 * frequent parts can be skipped as long as they cannot make that up among themselves.
 */
function splitParts({ parts, particlesCount, total, supportingWeight }: Reading) {
  const words = [...new Set(parts.filter(({ flags }) => isCore(flags, particlesCount)))];
  // Equally frequent parts by their letters: the order in the row must not matter.
  const core = words.toSorted((a, b) => b.postings - a.postings || (a.text < b.text ? -1 : 1));
  const timesOf = (word: KnownPart) => parts.reduce((times, part) => (part === word ? times + 1 : times), 0);
  let count = 0;
  let weight = supportingWeight;
  while (count < core.length - 1) {
    const times = timesOf(core[count]!);
    const withNext = weight + times * core[count]!.weight;
    if ((count >= 1 || times > 1) && withNext >= LEAST_SHARE.any * total) break;
    weight = withNext;
    count += 1;
  }
  return { scanned: core.slice(count).reverse(), skipped: core.slice(0, count) };
}

/** The parts that few names have, each with the first letters of the others: people seldom get those wrong. */
function rareParts({ parts, particlesCount }: Reading): { part: KnownPart; otherLetters: number }[] {
  const rare: { part: KnownPart; otherLetters: number }[] = [];
  for (const part of parts) {
    if (part.postings === 0 || part.postings > FEW_POSTINGS || !isCore(part.flags, particlesCount)) continue;
    let otherLetters = 0;
    for (const other of parts) {
      if (other === part || !isCore(other.flags, particlesCount)) continue;
      otherLetters |= other.firstLetters;
    }
    rare.push({ part, otherLetters });
  }
  return rare;
}

/** Characters that sound the same are not the same name: each must be in one listed name as it is. */
function isWrittenAlike({ parts }: QueryName, names: readonly string[]): boolean {
  const characters = parts.filter(({ syllabic }) => syllabic).map(({ written }) => written);
  return names.some((name) => characters.every((character) => name.includes(character)));
}
