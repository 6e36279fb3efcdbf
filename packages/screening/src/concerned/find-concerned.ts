// Which of many subjects a listed entity may concern: the search the other way round, for when a list changes.
//
// It answers with whoever may match, and some others: how well each does is then said by a search for it in the list. So it
// is laxer than that search where the two could differ: every way to cut a name counts, every part however frequent, and
// everything that is similar however much that is. What a part tells is taken from the list, as there.
import { compareDates, DATE_RELATIONS, type DateRelation } from '../dates/compare-dates.ts';
import { isFullDay, packDate, unpackDate } from '../dates/packed-date.ts';
import type { QueryDate } from '../dates/query-date.ts';
import type { ListedEntity } from '../entity.ts';
import { identifierKeys } from '../identifiers/normalise.ts';
import { entityFlags } from '../index/entity-flags.ts';
import { decodeEntity } from '../index/entity-record.ts';
import { entitiesWith } from '../index/keyed-entities.ts';
import { NAME_ENTITY_SHIFT, NAME_SPARSE } from '../index/name-flags.ts';
import type { ScreeningIndex } from '../index/screening-index.ts';
import { KIND_PERSON, KINDS, type Kind } from '../kind.ts';
import { CandidateFinder } from '../matching/candidates.ts';
import { createOrganisationSearch } from '../matching/organisation-search.ts';
import { PartLookup } from '../matching/part-lookup.ts';
import type { KnownPart } from '../matching/part-names.ts';
import { PartPairs } from '../matching/part-pairs.ts';
import { doParticlesCountIn, PersonSearch } from '../matching/person-search.ts';
import { CANDIDATE_FLOOR } from '../matching/score.ts';
import { createTokenTable } from '../matching/token-table.ts';
import { isOrganisationCore } from '../names/organisation/part-weight.ts';
import { TOKEN_INITIAL } from '../names/part-class.ts';
import { isCore } from '../names/part-weight.ts';
import { asWritten, type Cut, cutAtPhrases, cutOrganisation, cutPerson } from './cut-names.ts';
import { firstLetters, type Look, lookOf, mayStandFor } from './look.ts';
import { createRarity } from './rarity-of-list.ts';
import { readForms } from './read-forms.ts';

export interface ConcernedFinder {
  /** Ids of the subjects; undefined for an entity with too many names to look for. */
  find(entity: ListedEntity): string[] | undefined;
}

/** More names than any entity has but a crafted one. */
const MAX_NAMES = 500;
/** A part in more listed names than this is not by itself a reason to open a name, see person-search.ts. */
const FEW_POSTINGS = 24;
/** What two parts weigh at least that contradict each other, and the dates that outweigh it; see score.ts. */
const CONTRADICTS_FROM = 0.4;
const CONFIRMING: ReadonlySet<DateRelation> = new Set(['day', 'swapped', 'month', 'year', 'span']);

/**
 * One per thread, index of subjects and list: it owns the memory that a search needs. `glued` are those of the subjects that
 * glued-subjects.ts tells of.
 */
export function createConcernedFinder(
  subjects: ScreeningIndex,
  list: ScreeningIndex,
  glued: readonly ScreeningIndex[],
): ConcernedFinder {
  const listLookup = new PartLookup(list, createTokenTable(list));
  const withRarity = createRarity(list);
  const written = createFinder(withRarity(subjects), listLookup, { everyCut: true });
  const cut = glued.map((index) => createFinder(withRarity(index), listLookup, { everyCut: false }));
  return {
    find(entity) {
      const found = written.find(entity);
      return found && [...new Set([...found, ...cut.flatMap((finder) => finder.find(entity) ?? [])])];
    },
  };
}

/** `everyCut`: as the parts of a listed name may be put together or taken apart, not only as it is written. */
function createFinder(
  index: ScreeningIndex,
  listLookup: PartLookup,
  { everyCut }: { everyCut: boolean },
): ConcernedFinder {
  const { nameFlags, nameLetters, nameEntities, entityNames, entityNameCounts, dates, dateOffsets } = index.sections;
  const { days, dayEntities, identifierHashes, identifierEntities } = index.sections;
  const { nameTokens, nameTokenOffsets } = index.sections;
  const table = createTokenTable(index);
  const lookup = new PartLookup(index, table, { lax: true });
  const pairs = new PartPairs(index, table);
  const candidates = new CandidateFinder(index, table);
  const people = new PersonSearch(index, lookup, pairs, candidates);
  const organisations = createOrganisationSearch(index, lookup, pairs, candidates);
  const freeLooks: Look[] = [];
  const kindsThere = nameFlags.reduce((kinds, flags) => kinds | (flags >>> NAME_ENTITY_SHIFT), 0);

  function find(entity: ListedEntity): string[] | undefined {
    const names = [...entity.names, ...entity.weakNames];
    if (names.length > MAX_NAMES) return undefined;
    const found = new Set<number>();
    for (const key of identifierKeys(entity.identifiers))
      for (const subject of entitiesWith(key, identifierHashes, identifierEntities)) found.add(subject);
    const born = readDates(entity.birthDates);
    const kinds = entityFlags(entity) & kindsThere;
    const seen = new Set<string>();
    for (const kind of KINDS) {
      if ((kinds & kind) === 0) continue;
      for (const cut of names.flatMap((name) => cutsOf(name, kind))) {
        const texts = cut.name.parts.map(({ text }) => text);
        // What was made by cutting must be met, so that the same parts as they are written find more.
        const made = cut.made.map((place) => texts[place]!);
        const key = `${kind} ${texts.toSorted().join(' ')} ${made.toSorted().join('+')}`;
        if (seen.has(key)) continue;
        seen.add(key);
        if (kind === KIND_PERSON) findPeople(cut, born, found);
        else findOrganisations(cut, kind, found);
      }
    }
    return [...found].map((subject) => decodeEntity(index.sections, subject).id);
  }

  function cutsOf(name: string, kind: Kind): Cut[] {
    const forms = readForms(name, kind);
    if (!everyCut) return forms.map(asWritten);
    if (kind === KIND_PERSON) return forms.flatMap((parts) => cutPerson(parts, lookup));
    return [...forms.flatMap((parts) => cutOrganisation(parts, lookup)), ...cutAtPhrases(name, kind, lookup)];
  }

  function findPeople({ name: cut, made }: Cut, born: Born, found: Set<number>): void {
    const parts = cut.parts.map((part) => lookup.find(part));
    const particlesCount = doParticlesCountIn(cut.parts, parts);
    const core = parts.filter(({ flags }) => isCore(flags, particlesCount));
    const mayMatchAlone = core.length === 1 || parts.some(({ flags }) => (flags & TOKEN_INITIAL) !== 0);
    let leastParts = mayMatchAlone ? 1 : 2;
    const consider = (name: number) => {
      const subject = nameEntities[name]!;
      if (people.compare(name, bestRelation(born, subject)) >= CANDIDATE_FLOOR) found.add(subject);
    };
    const see = (name: number) => {
      const flags = nameFlags[name]!;
      const subject = nameEntities[name]!;
      if (((flags >>> NAME_ENTITY_SHIFT) & KIND_PERSON) === 0 || found.has(subject)) return;
      pairs.glance(name);
      if ((pairs.glanced & needed) !== needed) return;
      if (pairs.glancedParts < leastParts && (flags & NAME_SPARSE) === 0) return;
      if (isContradicted(name, parts, looks) && !CONFIRMING.has(bestRelation(born, subject))) return;
      consider(name);
    };
    const looks = parts.map(lookOf);
    const needed = maskOf(made);
    people.begin(cut);
    const words = [...new Set(core)];
    const search = { year: born.year, see, price: 1 };
    if (made.length > 0) candidates.visit([rarest(made, parts)], [], { ...search, single: true });
    else candidates.visit(words, [], { ...search, single: mayMatchAlone || words.length === 1 });
    // Of two parts one may be badly misspelled but for its first letter, if the other is one that few have.
    if (!mayMatchAlone && cut.isWritten) {
      leastParts = 1;
      for (const part of core) {
        const others = core.reduce((letters, one) => (one === part ? letters : letters | firstLetters(one)), 0);
        const see1 = (name: number) => {
          if ((nameLetters[name]! & others) !== 0) see(name);
        };
        if (isFew(part)) candidates.visit([part], [], { ...search, single: true, see: see1 });
      }
    }
    // People born on the same day may be spelled worse.
    for (const day of made.length > 0 ? [] : born.days) {
      for (const subject of entitiesWith(day, days, dayEntities)) {
        const first = entityNames[subject]!;
        for (let name = first; name < first + entityNameCounts[subject]! && !found.has(subject); name += 1) {
          pairs.glance(name);
          // With that much in common nothing else is asked: there are few, and a search for them is patient.
          if (pairs.glancedParts > 0) found.add(subject);
          else consider(name);
        }
      }
    }
    people.end();
  }

  function findOrganisations({ name: cut, made }: Cut, kind: Kind, found: Set<number>): void {
    const parts = cut.parts.map(({ text, vowelless }) => lookup.findWord(text, vowelless));
    const core = parts.filter(({ flags }) => isOrganisationCore(flags));
    const leastParts = Math.min(2, core.length);
    const see = (name: number) => {
      const subject = nameEntities[name]!;
      const flags = nameFlags[name]!;
      if (((flags >>> NAME_ENTITY_SHIFT) & kind) === 0 || found.has(subject)) return;
      pairs.glance(name);
      if ((pairs.glanced & needed) !== needed) return;
      if (pairs.glancedParts < leastParts && (flags & NAME_SPARSE) === 0) return;
      if (organisations.compare(name, 'unknown') >= CANDIDATE_FLOOR) found.add(subject);
    };
    const needed = maskOf(made);
    organisations.begin(cut);
    const words = [...new Set(core)];
    const search = { year: undefined, see, price: 1 };
    if (made.length > 0) candidates.visit([rarest(made, parts)], [], { ...search, single: true });
    else candidates.visit(words, [], { ...search, single: words.length === 1 });
    organisations.end();
  }

  /** Whether each side has a part that nothing on the other can stand for. Names in which that is so score low. */
  function isContradicted(name: number, parts: readonly KnownPart[], looks: readonly Look[]): boolean {
    let isTheirs = false;
    freeLooks.length = 0;
    for (let at = 0; at < parts.length; at += 1) if ((pairs.glanced & (1 << at)) === 0) freeLooks.push(looks[at]!);
    let met = 0;
    for (let at = nameTokenOffsets[name]!; at < nameTokenOffsets[name + 1]!; at += 1) {
      const token = nameTokens[at]!;
      if (pairs.isSimilar(token)) continue;
      let isMet = false;
      for (let free = 0; free < freeLooks.length; free += 1) {
        if (!mayStandFor(freeLooks[free]!, table.firstLettersOf(token), table.textLettersOf(token))) continue;
        met |= 1 << free;
        isMet = true;
      }
      if (!isMet && table.weightOf(token, false) >= CONTRADICTS_FROM) isTheirs = true;
    }
    if (!isTheirs) return false;
    for (let free = 0; free < freeLooks.length; free += 1)
      if ((met & (1 << free)) === 0 && freeLooks[free]!.weight >= CONTRADICTS_FROM) return true;
    return false;
  }

  function isFew(part: KnownPart): boolean {
    return listLookup.find(part).postings <= FEW_POSTINGS;
  }

  function bestRelation({ known }: Born, subject: number): DateRelation {
    let best = DATE_RELATIONS.length - 1;
    for (const date of known) {
      const { relation } = compareDates(date, dates, dateOffsets[subject]!, dateOffsets[subject + 1]!);
      best = Math.min(best, DATE_RELATIONS.indexOf(relation));
    }
    return DATE_RELATIONS[best]!;
  }

  return { find };
}

function maskOf(places: readonly number[]): number {
  return places.reduce((mask, place) => mask | (1 << place), 0);
}

function rarest(places: readonly number[], parts: readonly KnownPart[]): KnownPart {
  return places.map((place) => parts[place]!).reduce((one, other) => (other.postings < one.postings ? other : one));
}

interface Born {
  /** Undefined where nothing is known, or not the year. */
  known: (QueryDate | undefined)[];
  /** Packed. */
  days: number[];
  /** The only one that can be meant. */
  year: number | undefined;
}

function readDates(texts: readonly string[]): Born {
  const packed = texts.map(packDate).filter((date) => date !== undefined);
  const known = packed.map((one) => {
    const { year, month, day, circa, lastYear } = unpackDate(one);
    return circa || lastYear !== year ? undefined : { year, month, day };
  });
  return {
    known: known.length === 0 ? [undefined] : known,
    days: packed.filter(isFullDay),
    year: known.length === 1 ? known[0]?.year : undefined,
  };
}
