// Finds the subjects that a listed entity may concern: the reverse of screening, for when a list
// changes.
//
// Returns candidates, including false ones; a screening of each candidate then computes its score.
// Wherever the two could differ, this search is the more lenient one: it tries every segmentation,
// every part however frequent, and any number of similar parts. Rarity of parts is taken from the
// list, as in screening.
import { compareDates, DATE_RELATIONS, type DateRelation } from '../dates/compare-dates.ts';
import { isFullDay, packDate, unpackDate } from '../dates/packed-date.ts';
import type { QueryDate } from '../dates/query-date.ts';
import type { ListedEntity } from '../entity.ts';
import { identifierKeys } from '../identifiers/normalise.ts';
import { entityFlags, NAME_ENTITY_SHIFT, NAME_SPARSE } from '../index/entity-flags.ts';
import { decodeEntity } from '../index/entity-record.ts';
import { findEntitiesByKey } from '../index/keyed-entities.ts';
import { readTokenText, type ScreeningIndex } from '../index/screening-index.ts';
import { tellingBits } from '../index/telling-bits.ts';
import { KIND_PERSON, KINDS, type Kind } from '../kind.ts';
import { CandidateFinder } from '../matching/candidates.ts';
import type { NameSearch } from '../matching/name-search.ts';
import { createOrganizationSearch } from '../matching/organisation-search.ts';
import { PartLookup } from '../matching/part-lookup.ts';
import type { KnownPart } from '../matching/part-names.ts';
import { PartPairs } from '../matching/part-pairs.ts';
import { doParticlesCountIn, PersonSearch } from '../matching/person-search.ts';
import { CANDIDATE_FLOOR } from '../matching/score.ts';
import { createTokenTable, type TokenTable } from '../matching/token-table.ts';
import { countBits } from '../names/edit-cost.ts';
import { isOrganizationCore } from '../names/organisation/part-weight.ts';
import { TOKEN_INITIAL, TOKEN_VOWELLESS } from '../names/part-class.ts';
import { isCore } from '../names/part-weight.ts';
import { asWritten, type Cut, cutAtPhrases, cutOrganization, cutPerson } from './cut-names.ts';
import { readForms } from './read-forms.ts';

/** Shares everything but the rarity figures with the index of subjects. */
function createRarity(list: ScreeningIndex): (subjects: ScreeningIndex) => ScreeningIndex {
  const listed = new Map<string, number>();
  for (let token = 0; token < list.tokenCount; token += 1)
    listed.set(tokenKey(list, token), list.sections.tokenBits[token]!);
  return (subjects) => {
    const tokenBits = new Uint8Array(subjects.tokenCount);
    for (let token = 0; token < subjects.tokenCount; token += 1) {
      const text = readTokenText(subjects.sections, token);
      tokenBits[token] = listed.get(tokenKey(subjects, token)) ?? tellingBits(text, 0, list.entityCount);
    }
    return { ...subjects, entityCount: list.entityCount, sections: { ...subjects.sections, tokenBits } };
  };
}

function tokenKey({ sections }: ScreeningIndex, token: number): string {
  const isVowelless = (sections.tokenFlags[token]! & TOKEN_VOWELLESS) !== 0;
  return (isVowelless ? '~' : '') + readTokenText(sections, token);
}

export type ConcernedFinder = ReturnType<typeof createConcernedFinder>;

/** Maximum number of names per entity. Only crafted entities have more. */
const MAX_NAMES = 500;
/** A part in more listed names than this does not cause a name to be opened. */
const FEW_POSTINGS = 24;
/** Minimum weight of contradicting parts, and date relations that outweigh them (score.ts). */
const CONTRADICTS_FROM = 0.4;
const CONFIRMING: ReadonlySet<DateRelation> = new Set(['day', 'swapped', 'month', 'year', 'span']);

/**
 * Owns the working memory of a search. Create one per thread, index of subjects and list. `glued`
 * are the indexes from glued-subjects.ts.
 */
export function createConcernedFinder(
  subjects: ScreeningIndex,
  list: ScreeningIndex,
  glued: readonly ScreeningIndex[],
) {
  const listLookup = new PartLookup(list, createTokenTable(list));
  const withRarity = createRarity(list);
  const written = new IndexFinder(withRarity(subjects), listLookup, { everyCut: true });
  const cut = glued.map((index) => new IndexFinder(withRarity(index), listLookup, { everyCut: false }));
  return {
    /** Returns subject ids. Returns undefined if the entity has too many names to search for. */
    find(entity: ListedEntity): string[] | undefined {
      const found = written.find(entity);
      return found && [...new Set([...found, ...cut.flatMap((finder) => finder.find(entity) ?? [])])];
    },
  };
}

class IndexFinder implements ConcernedFinder {
  readonly #index: ScreeningIndex;
  readonly #listLookup: PartLookup;
  readonly #everyCut: boolean;
  readonly #table: TokenTable;
  readonly #lookup: PartLookup;
  readonly #pairs: PartPairs;
  readonly #candidates: CandidateFinder;
  readonly #people: NameSearch;
  readonly #organisations: NameSearch;
  readonly #freeParts: KnownPart[] = [];
  readonly #kinds: number;

  /** With `everyCut`, also searches for the listed name with its parts joined or split. */
  constructor(index: ScreeningIndex, listLookup: PartLookup, { everyCut }: { everyCut: boolean }) {
    this.#index = index;
    this.#listLookup = listLookup;
    this.#everyCut = everyCut;
    this.#table = createTokenTable(index);
    this.#lookup = new PartLookup(index, this.#table, { lax: true });
    this.#pairs = new PartPairs(index, this.#table);
    this.#candidates = new CandidateFinder(index, this.#table);
    this.#people = new PersonSearch(index, this.#lookup, this.#pairs, this.#candidates);
    this.#organisations = createOrganizationSearch(index, this.#lookup, this.#pairs, this.#candidates);
    this.#kinds = index.sections.nameFlags.reduce((kinds, flags) => kinds | (flags >>> NAME_ENTITY_SHIFT), 0);
  }

  find(entity: ListedEntity): string[] | undefined {
    const { sections } = this.#index;
    const names = [...entity.names, ...entity.weakNames];
    if (names.length > MAX_NAMES) return undefined;
    const found = new Set<number>();
    for (const key of identifierKeys(entity.identifiers))
      for (const subject of findEntitiesByKey(key, sections.identifierHashes, sections.identifierEntities))
        found.add(subject);
    const born = readDates(entity.birthDates);
    const kinds = entityFlags(entity) & this.#kinds;
    const seen = new Set<string>();
    for (const kind of KINDS) {
      if ((kinds & kind) === 0) continue;
      for (const cut of names.flatMap((name) => this.#cutsOf(name, kind))) {
        const texts = cut.name.parts.map(({ text }) => text);
        // Parts created by segmentation must match, so the same parts as written find more.
        const made = cut.made.map((place) => texts[place]!);
        const key = `${kind} ${texts.toSorted().join(' ')} ${made.toSorted().join('+')}`;
        if (seen.has(key)) continue;
        seen.add(key);
        if (kind === KIND_PERSON) this.#findPeople(cut, born, found);
        else this.#findOrganisations(cut, kind, found);
      }
    }
    return [...found].map((subject) => decodeEntity(sections, subject).id);
  }

  #cutsOf(name: string, kind: Kind): Cut[] {
    const lookup = this.#lookup;
    const forms = readForms(name, kind);
    if (!this.#everyCut) return forms.map(asWritten);
    if (kind === KIND_PERSON) return forms.flatMap((parts) => cutPerson(parts, lookup));
    return [...forms.flatMap((parts) => cutOrganization(parts, lookup)), ...cutAtPhrases(name, kind, lookup)];
  }

  #findPeople({ name: cut, made }: Cut, born: KnownBirthDates, found: Set<number>): void {
    const { nameFlags, nameLetters, nameEntities } = this.#index.sections;
    const parts = cut.parts.map((part) => this.#lookup.find(part));
    const particlesCount = doParticlesCountIn(cut.parts, parts);
    const core = parts.filter(({ flags }) => isCore(flags, particlesCount));
    const mayMatchAlone = core.length === 1 || parts.some(({ flags }) => (flags & TOKEN_INITIAL) !== 0);
    let leastParts = mayMatchAlone ? 1 : 2;
    const needed = toBitMask(made);
    const see = (name: number) => {
      const flags = nameFlags[name]!;
      const subject = nameEntities[name]!;
      if (((flags >>> NAME_ENTITY_SHIFT) & KIND_PERSON) === 0 || found.has(subject)) return;
      this.#pairs.glance(name);
      if ((this.#pairs.glanced & needed) !== needed) return;
      if (this.#pairs.glancedParts < leastParts && (flags & NAME_SPARSE) === 0) return;
      if (this.#isContradicted(name, parts) && !CONFIRMING.has(this.#bestRelation(born, subject))) return;
      if (this.#isPersonAlike(name, born)) found.add(subject);
    };
    this.#people.begin(cut);
    const words = [...new Set(core)];
    const search = { year: born.year, see, price: 1 };
    if (made.length > 0) this.#candidates.visit([findRarest(made, parts)], [], { ...search, single: true });
    else this.#candidates.visit(words, [], { ...search, single: mayMatchAlone || words.length === 1 });
    // One of two parts may be badly misspelled, except its first letter, if few names contain the
    // other part.
    if (!mayMatchAlone && cut.isWritten) {
      leastParts = 1;
      for (const part of core) {
        if (this.#listLookup.find(part).postings > FEW_POSTINGS) continue;
        const others = core.reduce((letters, one) => (one === part ? letters : letters | one.firstLetters), 0);
        const seeAlike = (name: number) => {
          if ((nameLetters[name]! & others) !== 0) see(name);
        };
        this.#candidates.visit([part], [], { ...search, single: true, see: seeAlike });
      }
    }
    if (made.length === 0) this.#findBornOnDays(born, found);
    this.#people.end();
  }

  /** Adds people born on the same day, for whom worse spellings are accepted. */
  #findBornOnDays(born: KnownBirthDates, found: Set<number>): void {
    const { days, dayEntities, entityNames, entityNameCounts } = this.#index.sections;
    for (const day of born.days) {
      for (const subject of findEntitiesByKey(day, days, dayEntities)) {
        const first = entityNames[subject]!;
        for (let name = first; name < first + entityNameCounts[subject]! && !found.has(subject); name += 1) {
          this.#pairs.glance(name);
          // An equal day and one common part suffice. Few people qualify, and searches for them are
          // lenient.
          if (this.#pairs.glancedParts > 0 || this.#isPersonAlike(name, born)) found.add(subject);
        }
      }
    }
  }

  #isPersonAlike(name: number, born: KnownBirthDates): boolean {
    const relation = this.#bestRelation(born, this.#index.sections.nameEntities[name]!);
    return this.#people.compare(name, relation) >= CANDIDATE_FLOOR;
  }

  #findOrganisations({ name: cut, made }: Cut, kind: Kind, found: Set<number>): void {
    const { nameFlags, nameEntities } = this.#index.sections;
    const parts = cut.parts.map(({ text, vowelless }) => this.#lookup.findWord(text, vowelless));
    const core = parts.filter(({ flags }) => isOrganizationCore(flags));
    const leastParts = Math.min(2, core.length);
    const needed = toBitMask(made);
    const see = (name: number) => {
      const subject = nameEntities[name]!;
      const flags = nameFlags[name]!;
      if (((flags >>> NAME_ENTITY_SHIFT) & kind) === 0 || found.has(subject)) return;
      this.#pairs.glance(name);
      if ((this.#pairs.glanced & needed) !== needed) return;
      if (this.#pairs.glancedParts < leastParts && (flags & NAME_SPARSE) === 0) return;
      if (this.#organisations.compare(name, 'unknown') >= CANDIDATE_FLOOR) found.add(subject);
    };
    this.#organisations.begin(cut);
    const words = [...new Set(core)];
    const search = { year: undefined, see, price: 1 };
    if (made.length > 0) this.#candidates.visit([findRarest(made, parts)], [], { ...search, single: true });
    else this.#candidates.visit(words, [], { ...search, single: words.length === 1 });
    this.#organisations.end();
  }

  /** Returns whether each side has a part without a counterpart. Such names score low. */
  #isContradicted(name: number, parts: readonly KnownPart[]): boolean {
    const { nameTokens, nameTokenOffsets } = this.#index.sections;
    const { glanced } = this.#pairs;
    const free = this.#freeParts;
    let isTheirs = false;
    free.length = 0;
    for (let at = 0; at < parts.length; at += 1) if ((glanced & (1 << at)) === 0) free.push(parts[at]!);
    let met = 0;
    for (let at = nameTokenOffsets[name]!; at < nameTokenOffsets[name + 1]!; at += 1) {
      const token = nameTokens[at]!;
      if (this.#pairs.isSimilar(token)) continue;
      let isMet = false;
      for (let place = 0; place < free.length; place += 1) {
        if (!this.#mayStandFor(free[place]!, token)) continue;
        met |= 1 << place;
        isMet = true;
      }
      if (!isMet && this.#table.weightOf(token, false) >= CONTRADICTS_FROM) isTheirs = true;
    }
    if (!isTheirs) return false;
    for (let place = 0; place < free.length; place += 1)
      if ((met & (1 << place)) === 0 && free[place]!.weight >= CONTRADICTS_FROM) return true;
    return false;
  }

  /** Returns whether the two start alike or share nearly all letters of the shorter one. */
  #mayStandFor({ firstLetters, textLetters }: KnownPart, token: number): boolean {
    if ((firstLetters & this.#table.firstLettersOf(token)) !== 0) return true;
    const letters = this.#table.textLettersOf(token);
    const fewer = Math.min(countBits(textLetters), countBits(letters));
    return countBits(textLetters & letters) >= Math.max(fewer - 2, fewer / 2);
  }

  #bestRelation({ known }: KnownBirthDates, subject: number): DateRelation {
    const { dates, dateOffsets } = this.#index.sections;
    let best = DATE_RELATIONS.length - 1;
    for (const date of known) {
      const { relation } = compareDates(date, dates, dateOffsets[subject]!, dateOffsets[subject + 1]!);
      best = Math.min(best, DATE_RELATIONS.indexOf(relation));
    }
    return DATE_RELATIONS[best]!;
  }
}

function toBitMask(places: readonly number[]): number {
  return places.reduce((mask, place) => mask | (1 << place), 0);
}

function findRarest(places: readonly number[], parts: readonly KnownPart[]): KnownPart {
  return places.map((place) => parts[place]!).reduce((a, b) => (b.postings < a.postings ? b : a));
}

interface KnownBirthDates {
  /** Undefined if no date or no year is known. */
  known: (QueryDate | undefined)[];
  /** Packed dates. */
  days: number[];
  /** Set if all dates agree on one year. */
  year: number | undefined;
}

function readDates(texts: readonly string[]): KnownBirthDates {
  const packed = texts.map(packDate).filter((date) => date !== undefined);
  const known = packed.map((date) => {
    const { year, month, day, circa, lastYear } = unpackDate(date);
    return circa || lastYear !== year ? undefined : { year, month, day };
  });
  return {
    known: known.length === 0 ? [undefined] : known,
    days: packed.filter(isFullDay),
    year: known.length === 1 ? known[0]?.year : undefined,
  };
}
