// Screens one subject against one index, by all of its names and identifiers. Reports each entity
// once.
import {
  compareDates,
  DATE_RELATIONS,
  type DateComparison,
  type DateRelation,
  relateDates,
} from '../dates/compare-dates.ts';
import type { QueryDate } from '../dates/query-date.ts';
import type { ListedEntity } from '../entity.ts';
import { type EntityFilter, fitsFilter } from '../entity-filter.ts';
import { identifierLookupKeys } from '../identifiers/normalise.ts';
import { TOPIC_FLAG, type Topic } from '../index/entity-flags.ts';
import { decodeEntity } from '../index/entity-record.ts';
import { findEntitiesByKey } from '../index/keyed-entities.ts';
import type { IndexSections, ScreeningIndex } from '../index/screening-index.ts';
import { ANY_KIND } from '../kind.ts';
import { explainDate } from '../matching/describe-match.ts';
import type { Query } from '../matching/query.ts';
import { type Screener, SEARCH_ENDED } from '../matching/screener.ts';
import type { Hit } from '../matching/top-hits.ts';
import { type Context, compareContext } from './compare-context.ts';
import type { Comparison, IdentifierComparison } from './compare-identifiers.ts';
import { DATES_APART, judgeSubject, mostFrom } from './judge-subject.ts';
import type { ReadSubject } from './subject.ts';

export interface SubjectMatch {
  entity: ListedEntity;
  /** Closest listed name, or the caption if only an identifier matches. */
  matchedName: string;
  score: number;
  /** Score of name and date of birth alone. */
  nameScore: number;
  features: Features;
}

export type FeatureName = 'name' | 'birthDate' | 'identifier' | 'country' | 'address';
export type Features = Partial<Record<FeatureName, Feature>>;
export interface Feature extends Omit<Comparison, 'relation'> {
  /** From 0 (contradicting or unknown) to 1. For a name, its score. */
  agreement: number;
}

export interface SubjectMatches {
  /** Best first, one per entity, at or above the threshold. */
  matches: SubjectMatch[];
  /** Ids of all entities at or above `countFrom`, regardless of the limit. */
  found: string[][];
  /** False if there may be more than were examined. */
  complete: boolean;
  /** Best score of any candidate, 0 if there is none. */
  best: number;
}

export interface SubjectOptions {
  limit: number;
  threshold: number;
  topic: Topic;
  /** Minimum score for counting. Default: the threshold. */
  countFrom?: number | undefined;
  /** Ids to exclude, including an entity's former and external ids. */
  without?: ReadonlySet<string> | undefined;
  filter?: EntityFilter | undefined;
  /**
   * Adds other lists' data about an entity. Its identifiers, countries and addresses are compared,
   * and all of it is shown.
   */
  whole?: ((entity: ListedEntity) => ListedEntity) | undefined;
  /** Shows only the list's own data, although all data is compared. */
  showsOwn?: boolean | undefined;
}

/** Number of additional candidates, because other facts may raise their rank. */
const WIDER = 3;
const LEAST_WIDE = 20;
/** Number of candidates if a filter may reject most of them, or if they are counted. */
const WIDEST = 500;
/** Maximum number of holders of a number. A number with more is a placeholder. */
const MOST_HOLDERS = 100;
const TOO_MANY_HOLDERS = `An identifier belongs to more than ${MOST_HOLDERS} entities of a list; of these the first ${MOST_HOLDERS} were compared, as leads.`;

interface NameFinding {
  query: Query;
  name: string;
  hit: Hit | undefined;
}

interface JudgedEntity {
  /** Position in the list. */
  at: number;
  match: Omit<SubjectMatch, 'matchedName' | 'features'>;
  /** Explains the match in words, if it is shown. */
  explain: () => Pick<SubjectMatch, 'matchedName' | 'features'>;
}

export class SubjectScreener {
  readonly #sections: IndexSections;
  readonly #screener: Screener;

  constructor({ sections }: ScreeningIndex, screener: Screener) {
    this.#sections = sections;
    this.#screener = screener;
  }

  screen(asked: ReadSubject, options: SubjectOptions): SubjectMatches {
    const { limit, threshold, topic, countFrom = threshold } = options;
    const { subject, holders } = this.#findHolders(asked);
    const hasContext = subject.identifiers.length + subject.addresses.length + subject.countries.size > 0;
    const isWide = options.filter !== undefined || options.countFrom !== undefined;
    const wide = Math.max(isWide ? WIDEST : LEAST_WIDE, limit * WIDER);
    const found = new Map<number, NameFinding>();
    let complete = subject === asked;
    for (const { query, name } of subject.queries) {
      const hits = this.#screener.screen(query, { limit: wide, topic });
      for (const hit of hits)
        if (hit.score > findingScore(found.get(hit.entity))) found.set(hit.entity, { query, name, hit });
      // Entities after the last one cannot score higher.
      if (hits.length === wide && mostFrom(hits[wide - 1]!.score, hasContext) >= countFrom) complete = false;
    }
    if (subject.queries.some(({ query }) => query.warnings.includes(SEARCH_ENDED))) {
      complete = false;
      if (!subject.warnings.includes(SEARCH_ENDED)) subject.warnings.push(SEARCH_ENDED);
    }
    const identified = this.#findIdentified(subject, holders, topic);
    const { query = NO_QUERY, name = '' } = subject.queries[0] ?? {};
    for (const entity of identified) if (!found.has(entity)) found.set(entity, { query, name, hit: undefined });
    const most = (entity: number, finding: NameFinding) =>
      identified.has(entity) ? 1 : mostFrom(findingScore(finding), hasContext);
    const judged = this.#judgeAll(subject, found, most, options);
    const matches = judged.filter(({ match }) => match.score >= threshold);
    return {
      matches: matches.slice(0, limit).map(({ match, explain }) => ({ ...match, ...explain() })),
      found: matches.flatMap(({ match: { score, entity } }) =>
        score >= countFrom ? [[entity.id, ...entity.referents]] : [],
      ),
      complete,
      best: judged[0]?.match.score ?? 0,
    };
  }

  /** Scores the wanted entities, best first. `most` bounds a score before reading the record. */
  #judgeAll(
    subject: ReadSubject,
    found: ReadonlyMap<number, NameFinding>,
    most: (entity: number, finding: NameFinding) => number,
    { threshold, without, filter, whole = (entity) => entity, showsOwn = false }: SubjectOptions,
  ): JudgedEntity[] {
    const isWanted = (entity: ListedEntity) =>
      !(without && [entity.id, ...entity.referents].some((id) => without.has(id))) &&
      (filter === undefined || fitsFilter(entity, filter));
    const judged: JudgedEntity[] = [];
    let best = 0;
    for (const [at, one] of [...found].sort(([, a], [, b]) => findingScore(b) - findingScore(a))) {
      // Skips records that cannot matter, because reading one costs more than the search.
      const bound = most(at, one);
      if (bound < threshold && bound <= best) continue;
      const listed = decodeEntity(this.#sections, at);
      if (!isWanted(listed)) continue;
      const entity = this.#judge(subject, at, one, { listed, entity: whole(listed) });
      if (showsOwn) entity.match.entity = listed;
      judged.push(entity);
      best = Math.max(best, entity.match.score);
    }
    // Equal scores keep the order of the list, so that a subject always gets the same answer.
    return judged.sort((a, b) => b.match.score - a.match.score || a.at - b.at);
  }

  #judge(subject: ReadSubject, at: number, found: NameFinding, { listed, entity }: ListedData): JudgedEntity {
    const { dates, dateOffsets, entityFlags } = this.#sections;
    const context = compareContext(subject, entity);
    const date = found.hit ? found.query.date : this.#closestDate(subject.dates, at);
    const born = compareDates(date, dates, dateOffsets[at]!, dateOffsets[at + 1]!);
    const nameScore = findingScore(found);
    const isOtherKind = (subject.kinds & entityFlags[at]! & ANY_KIND) === 0;
    const score = judgeSubject({ name: nameScore, birthDate: born.relation, context, isOtherKind });
    return {
      at,
      match: { entity, score, nameScore },
      explain: () => this.#explain(subject, at, found, { listed, entity, context, date, born, isOtherKind }),
    };
  }

  /** Returns the date of birth that best fits the listed one. */
  #closestDate(asked: readonly QueryDate[], at: number): QueryDate | undefined {
    const { dates, dateOffsets } = this.#sections;
    const rank = (date: QueryDate) =>
      DATE_RELATIONS.indexOf(relateDates(date, dates, dateOffsets[at]!, dateOffsets[at + 1]!));
    return asked.toSorted((a, b) => rank(a) - rank(b))[0];
  }

  #explain(subject: ReadSubject, at: number, found: NameFinding, compared: ComparedEntity) {
    const { listed, entity, context, date, born, isOtherKind } = compared;
    const { name, detail, match: described } = this.#explainName(subject, at, found, compared);
    const { hit } = found;
    const matchedName = described?.matchedName ?? entity.caption;
    const features: Features = {
      name: {
        agreement: hit?.score ?? 0,
        detail,
        query: name,
        candidate: matchedName,
      },
      ...(date && {
        birthDate: {
          agreement: DATE_AGREEMENT[born.relation] ?? 0,
          detail: explainDate(date, born, listed.birthDates),
          query: writeDate(date),
          candidate: listed.birthDates.join(', '),
        },
      }),
    };
    for (const [feature, comparison] of Object.entries(context) as [keyof Context, Context[keyof Context] & {}][]) {
      const { relation: compares, detail, query: theirs, candidate } = comparison;
      features[feature] = { agreement: compares === 'differs' ? 0 : 1, detail, query: theirs, candidate };
    }
    if (features.identifier && isOtherKind) features.identifier.detail += `, but of another kind: ${entity.schema}`;
    return { matchedName, features };
  }

  /** Returns the best name and its comparison, even if the name search did not find the entity. */
  #explainName(
    subject: ReadSubject,
    at: number,
    { query, name, hit }: NameFinding,
    { entity, born, isOtherKind }: ComparedEntity,
  ) {
    if (hit) {
      const match = this.#screener.describe(query, hit);
      return { name, match, detail: match.explanation.name };
    }
    if (name === '') return { name, detail: 'no name was given' };
    if (isOtherKind) return { name, detail: `not compared, because it is of another kind: ${entity.schema}` };
    let best: { name: string; query: Query; hit: Hit } | undefined;
    for (const { query: otherQuery, name: written } of subject.queries) {
      const closest = this.#screener.closest(otherQuery, at);
      if (closest && closest.score > (best?.hit.score ?? 0))
        best = { name: written, query: { ...otherQuery, date: undefined }, hit: closest };
    }
    if (best === undefined) return { name, detail: 'the names are not alike' };
    const match = this.#screener.describe(best.query, best.hit);
    const but = DATES_APART.has(born.relation) ? '; too little with these dates of birth' : '';
    return { name: best.name, match, detail: `${match.explanation.name}${but}` };
  }

  /** Finds the entities with the subject's numbers, and marks numbers with too many holders. */
  #findHolders(subject: ReadSubject): { subject: ReadSubject; holders: Set<number> } {
    const { identifierHashes, identifierEntities } = this.#sections;
    const holders = new Set<number>();
    const common = new Set<string>();
    for (const normalized of new Set(subject.identifiers.map((identifier) => identifier.normalised)))
      for (const key of identifierLookupKeys(normalized)) {
        const entities = [...findEntitiesByKey(key, identifierHashes, identifierEntities).take(MOST_HOLDERS + 1)];
        if (entities.length > MOST_HOLDERS) common.add(normalized);
        for (const entity of entities.slice(0, MOST_HOLDERS)) holders.add(entity);
      }
    if (common.size === 0) return { subject, holders };
    if (!subject.warnings.includes(TOO_MANY_HOLDERS)) subject.warnings.push(TOO_MANY_HOLDERS);
    const identifiers = subject.identifiers.map((identifier) => ({
      ...identifier,
      isCommon: common.has(identifier.normalised),
    }));
    return { subject: { ...subject, identifiers }, holders };
  }

  /** Drops holders whose number does not match: hashes may collide and kinds may differ. */
  #findIdentified(subject: ReadSubject, holders: ReadonlySet<number>, topic: Topic): Set<number> {
    const identified = new Set<number>();
    for (const entity of holders) {
      if ((this.#sections.entityFlags[entity]! & TOPIC_FLAG[topic]) !== TOPIC_FLAG[topic]) continue;
      const { identifier } = compareContext(subject, decodeEntity(this.#sections, entity));
      if (identifier && IDENTIFIES.has(identifier.relation)) identified.add(entity);
    }
    return identified;
  }
}

function findingScore(found: NameFinding | undefined): number {
  return found?.hit?.score ?? 0;
}

interface ListedData {
  /** The list's own data, and the data of all lists. */
  listed: ListedEntity;
  entity: ListedEntity;
}

interface ComparedEntity extends ListedData {
  context: Context;
  /** Dates on which the subject may have been born. */
  date: QueryDate | undefined;
  born: DateComparison;
  isOtherKind: boolean;
}

const DATE_AGREEMENT: Partial<Record<DateRelation, number>> = {
  day: 1,
  swapped: 1,
  month: 1,
  year: 1,
  span: 1,
  sameYear: 0.5,
  near: 0.5,
};
const IDENTIFIES: ReadonlySet<IdentifierComparison['relation']> = new Set(['equal', 'shared', 'common']);
const NO_QUERY: Query = { names: [], date: undefined, warnings: [] };

function writeDate({ year, month, day }: QueryDate): string {
  const two = (number: number) => String(number).padStart(2, '0');
  return `${year}${month === 0 ? '' : `-${two(month)}`}${day === 0 ? '' : `-${two(day)}`}`;
}
