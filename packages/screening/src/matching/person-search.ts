// Searches one index for a person: selects the names to compare and scores them.
import { APART_FROM_YEARS, CONFLICT_FROM_YEARS, type DateRelation, relateDates } from '../dates/compare-dates.ts';
import { certainYear, isOnDay } from '../dates/packed-date.ts';
import type { QueryDate } from '../dates/query-date.ts';
import { letterBit, NAME_ENTITY_SHIFT, NAME_SPARSE, NAME_WEAK } from '../index/entity-flags.ts';
import { decodeEntity } from '../index/entity-record.ts';
import type { ScreeningIndex } from '../index/screening-index.ts';
import { KIND_PERSON } from '../kind.ts';
import { countBits } from '../names/edit-cost.ts';
import { TOKEN_INITIAL } from '../names/part-class.ts';
import { doParticlesCount, isCore, weightOf } from '../names/part-weight.ts';
import { Aligner } from './alignment.ts';
import { BestCase } from './best-case.ts';
import type { CandidateFinder } from './candidates.ts';
import { type CutName, type NameSearch, type NameSearchOptions, roundScore } from './name-search.ts';
import type { PartLookup } from './part-lookup.ts';
import type { KnownPart } from './part-names.ts';
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

/** Score of an equal name and day. Excludes characters that only sound the same. */
const SOUNDS_IDENTICAL = 0.995;
/** Number of postings up to which the names of a single part are opened. */
const FEW_POSTINGS = 24;

export class PersonSearch implements NameSearch {
  readonly #index: ScreeningIndex;
  readonly #lookup: PartLookup;
  readonly #pairs: PartPairs;
  readonly #candidates: CandidateFinder;
  readonly #aligner: Aligner;
  readonly #bestCase: BestCase;
  /** Factor of the segmentation in the current comparison. */
  #factor = 1;

  constructor(index: ScreeningIndex, lookup: PartLookup, pairs: PartPairs, candidates: CandidateFinder) {
    this.#index = index;
    this.#lookup = lookup;
    this.#pairs = pairs;
    this.#candidates = candidates;
    this.#aligner = new Aligner(index, lookup.comparison, pairs);
    this.#bestCase = new BestCase(index, lookup.comparison, pairs);
  }

  search(written: QueryName, options: NameSearchOptions, top: TopHits): void {
    for (const cut of this.readings(written)) {
      this.#searchCut(cut, written, options, top);
      // After an exact match, other segmentations add nothing. In a name of two people, one may be
      // the other's.
      if (cut.isWritten && written.readAs === undefined && (top.hits[0]?.score ?? 0) >= EQUAL_NAME) return;
    }
  }

  *readings(written: QueryName): Generator<CutName> {
    const parts = inFixedOrder(written.parts);
    yield { parts, isWritten: true, factor: 1 };
    for (const cut of furtherReadings(parts, this.#lookup))
      yield { parts: cut, isWritten: false, factor: OTHER_READING };
    const joined = joinParticles(parts, this.#lookup);
    if (joined) yield { parts: joined, isWritten: false, factor: JOINED_BY_SOUND };
  }

  begin({ parts, factor }: CutName): void {
    this.#factor = factor;
    const known = this.#lookUp(parts);
    this.#aligner.begin(known, doParticlesCountIn(parts, known));
  }

  compare(name: number, relation: DateRelation): number {
    const isWeak = (this.#index.sections.nameFlags[name]! & NAME_WEAK) !== 0;
    return this.#factor * scoreOf(this.#aligner.align(name, relation === 'day'), isWeak, relation);
  }

  end(): void {
    this.#aligner.end();
  }

  #lookUp(parts: readonly QueryPart[]): KnownPart[] {
    return parts.map((part) => this.#lookup.find(part));
  }

  #searchCut(cut: CutName, written: QueryName, { date, topic }: NameSearchOptions, top: TopHits): void {
    const reading = sumUpReading(this.#lookUp(cut.parts), cutSyllables(cut.parts));
    const { parts, coreParts, coreMask, initials } = reading;
    if (coreParts === 0) return;
    const { nameFlags, nameLetters } = this.#index.sections;
    const mayMatchAlone = coreParts === 1 || initials !== 0;
    let leastParts = 2;
    let isBegun = false;
    const begin = () => {
      if (!isBegun) this.#aligner.begin(parts, reading.particlesCount);
      isBegun = true;
    };
    const search = { reading, written, date, factor: cut.factor, top };
    /** `patiently` accepts worse spellings, for people born on the same day. */
    const consider = (name: number, patiently: boolean) => {
      if (coreParts === 1 && initials !== 0 && (nameLetters[name]! & initials) === 0) return;
      const flags = nameFlags[name]!;
      const entityFlags = flags >>> NAME_ENTITY_SHIFT;
      if ((entityFlags & KIND_PERSON) === 0 || (entityFlags & topic) !== topic) return;
      begin();
      const least = mayMatchAlone || patiently || (flags & NAME_SPARSE) !== 0 ? 1 : leastParts;
      this.#compareName(name, search, least, patiently);
    };
    const { scanned, skipped } = splitParts(reading);
    const price = parts.length;
    const hasPart = (name: number) => {
      begin();
      return this.#pairs.hasOneOf(coreMask, name);
    };
    this.#candidates.visitDay([...scanned, ...skipped], { date, price, see: (name) => consider(name, true), hasPart });
    const see = (name: number) => consider(name, false);
    // If all parts are the same word, a single word of a name may match two of them.
    const single = mayMatchAlone || scanned.length + skipped.length === 1;
    this.#candidates.visit(scanned, skipped, { single, year: date?.year, price, see });
    // One of two parts may be too misspelled for any key. If few names have the other part, those
    // are opened.
    if (cut.factor === 1 && !mayMatchAlone && coreParts === 2) {
      leastParts = 1;
      for (const { part, otherLetters } of rareParts(reading)) {
        const seeAlike = (name: number) => {
          if ((nameLetters[name]! & otherLetters) !== 0) consider(name, false);
        };
        this.#candidates.visit([part], [], { single: true, year: date?.year, price, see: seeAlike });
      }
    }
    if (isBegun) this.#aligner.end();
  }

  /** Compares a name with at least `leastParts` matching parts, and adds it to the best hits. */
  #compareName(name: number, search: CutSearch, leastParts: number, patiently: boolean): void {
    const { reading, written, date, factor, top } = search;
    const { sections } = this.#index;
    const met = this.#bestCase.open(name);
    if (reading.syllables.some(({ syllable, rest }) => (met & syllable) !== 0 && (met & rest) === 0)) return;
    if (countBits(met & reading.coreMask) < leastParts) return;
    const entity = sections.nameEntities[name]!;
    const share = (this.#weightOfParts(met) + reading.supportingWeight) / reading.total;
    if (!patiently && (share < LEAST_SHARE.any || share < this.#leastShareFor(date, entity))) return;
    const { dates, dateOffsets } = sections;
    const relation =
      date === undefined ? 'unknown' : relateDates(date, dates, dateOffsets[entity]!, dateOffsets[entity + 1]!);
    const isWeak = (sections.nameFlags[name]! & NAME_WEAK) !== 0;
    const best = factor * bestScore(this.#bestCase.look(patiently), isWeak, relation);
    if (best < CANDIDATE_FLOOR || roundScore(best) < top.least) return;
    const score = factor * scoreOf(this.#aligner.align(name, patiently), isWeak, relation);
    if (score < CANDIDATE_FLOOR) return;
    const isHomophone = score === 1 && !isWrittenAlike(written, decodeEntity(sections, entity).names);
    top.add(entity, name, isHomophone ? SOUNDS_IDENTICAL : roundScore(score));
  }

  /** Returns the weight of the parts in a bit mask. */
  #weightOfParts(parts: number): number {
    let weight = 0;
    for (let left = parts; left !== 0; left &= left - 1)
      weight += this.#pairs.partWeights[31 - Math.clz32(left & -left)]!;
    return weight;
  }

  /** With a distant birth year, the name must match almost entirely. */
  #leastShareFor(date: QueryDate | undefined, entity: number): number {
    if (date === undefined) return LEAST_SHARE.any;
    const { dates, dateOffsets } = this.#index.sections;
    const first = dateOffsets[entity]!;
    const year = certainYear(dates, first, dateOffsets[entity + 1]!);
    const isSameDay = date.day !== 0 && isOnDay(dates[first]!, date.month, date.day);
    if (year === 0 || isSameDay) return LEAST_SHARE.any;
    const apart = Math.abs(year - date.year);
    if (apart >= CONFLICT_FROM_YEARS) return LEAST_SHARE.conflict;
    return apart >= APART_FROM_YEARS ? LEAST_SHARE.apart : LEAST_SHARE.any;
  }
}

/** A search for one segmentation of a name. */
interface CutSearch {
  reading: Reading;
  written: QueryName;
  date: QueryDate | undefined;
  factor: number;
  top: TopHits;
}

/** One segmentation of a row's name, with its sums. */
interface Reading {
  parts: KnownPart[];
  /** Syllables that only count together with the rest of the word they were cut from. */
  syllables: readonly CutSyllable[];
  particlesCount: boolean;
  /** Weight of all parts, and of those that cannot carry a match: particles and initials. */
  total: number;
  supportingWeight: number;
  coreParts: number;
  /** Bit mask of the parts that can carry a match. */
  coreMask: number;
  /** Bit mask of the initials, as in the index. */
  initials: number;
}

/** A listed family name may look like a particle, see find-concerned.ts. */
export function doParticlesCountIn(parts: readonly QueryPart[], known: readonly KnownPart[]): boolean {
  return parts.some(({ isFamily }) => isFamily) || doParticlesCount(known.map(({ flags }) => flags));
}

function sumUpReading(parts: KnownPart[], syllables: readonly CutSyllable[]): Reading {
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
 * A candidate has at least two of the query's parts and LEAST_SHARE of its weight. So the most
 * frequent parts can be skipped as long as they cannot reach that on their own.
 */
function splitParts({ parts, particlesCount, total, supportingWeight }: Reading) {
  const words = [...new Set(parts.filter(({ flags }) => isCore(flags, particlesCount)))];
  // Sorts equally frequent parts by text, so that the order in the row does not matter.
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

/** Returns the rare parts, each with the first letters of the others. */
function rareParts({ parts, particlesCount }: Reading): { part: KnownPart; otherLetters: number }[] {
  const rare: { part: KnownPart; otherLetters: number }[] = [];
  for (const part of parts) {
    if (part.postings === 0 || part.postings > FEW_POSTINGS || !isCore(part.flags, particlesCount)) continue;
    let otherLetters = 0;
    for (const otherPart of parts) {
      if (otherPart === part || !isCore(otherPart.flags, particlesCount)) continue;
      otherLetters |= otherPart.firstLetters;
    }
    rare.push({ part, otherLetters });
  }
  return rare;
}

/** Equal-sounding characters are not equal names: each must occur literally in one listed name. */
function isWrittenAlike({ parts }: QueryName, names: readonly string[]): boolean {
  const characters = parts.filter(({ syllabic }) => syllabic).map(({ written }) => written);
  return names.some((name) => characters.every((character) => name.includes(character)));
}
