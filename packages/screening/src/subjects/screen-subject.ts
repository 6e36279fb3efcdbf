// Screens one subject against one index: by all of its names and by its identifiers, each entity once.
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
import { keysOf } from '../identifiers/normalise.ts';
import { TOPIC_FLAG, type Topic } from '../index/entity-flags.ts';
import { decodeEntity } from '../index/entity-record.ts';
import { entitiesWith } from '../index/keyed-entities.ts';
import type { ScreeningIndex } from '../index/screening-index.ts';
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
  /** The listed name that is closest; the caption where only an identifier agrees. */
  matchedName: string;
  score: number;
  /** Of the name and the date of birth alone. */
  nameScore: number;
  features: Features;
}

export type FeatureName = 'name' | 'birthDate' | 'identifier' | 'country' | 'address';
export type Features = Partial<Record<FeatureName, Feature>>;
export interface Feature extends Omit<Comparison, 'relation'> {
  /** From 0, which speaks against it or says nothing, to 1; of a name, its score. */
  agreement: number;
}

export interface SubjectScreener {
  screen(subject: ReadSubject, options: SubjectOptions): SubjectMatches;
}

export interface SubjectMatches {
  /** Best first, one per entity, none below the threshold. */
  matches: SubjectMatch[];
  /** Of all from `countFrom` on, with those that the limit leaves out: the id, and those it has elsewhere. */
  found: string[][];
  /** False where there may be more of them than were looked at. */
  complete: boolean;
  /** Best score of any candidate, 0 where there is none. */
  best: number;
}

export interface SubjectOptions {
  limit: number;
  threshold: number;
  topic: Topic;
  /** From which score on those found are counted; the threshold unless told. */
  countFrom?: number | undefined;
  /** Ids that are not wanted, those that an entity has elsewhere among them. */
  without?: ReadonlySet<string> | undefined;
  filter?: EntityFilter | undefined;
  /** With what other lists say of an entity: its identifiers, countries and addresses are compared, and all of it is shown. */
  whole?: ((entity: ListedEntity) => ListedEntity) | undefined;
  /** Shows what the list itself says, though what all of them say is compared. */
  showsOwn?: boolean | undefined;
}

/** What else is known may lift an entity over others: so many more are looked at. */
const WIDER = 3;
const LEAST_WIDE = 20;
/** Where a filter may turn most of them away, or where they are counted. */
const WIDEST = 500;
/** A number that more entities of one list have is a placeholder, or nobody's: no more are looked at. */
const MOST_HOLDERS = 100;
const TOO_MANY_HOLDERS = `An identifier belongs to more than ${MOST_HOLDERS} entities of a list; of these the first ${MOST_HOLDERS} were compared, as leads.`;

export function createSubjectScreener(index: ScreeningIndex, screener: Screener): SubjectScreener {
  const { identifierHashes, identifierEntities, entityFlags, dates, dateOffsets } = index.sections;

  interface Found {
    query: Query;
    name: string;
    hit: Hit | undefined;
  }

  function screen(asked: ReadSubject, options: SubjectOptions): SubjectMatches {
    const { limit, threshold, topic, countFrom = threshold, without, filter, showsOwn = false } = options;
    const { whole = (entity) => entity } = options;
    const found = new Map<number, Found>();
    const { subject, holders } = findHolders(asked);
    const hasContext = subject.identifiers.length + subject.addresses.length + subject.countries.size > 0;
    const wide = Math.max(filter || options.countFrom !== undefined ? WIDEST : LEAST_WIDE, limit * WIDER);
    let complete = subject === asked;
    for (const { query, name } of subject.queries) {
      const hits = screener.screen(query, { limit: wide, topic });
      for (const hit of hits)
        if (hit.score > (found.get(hit.entity)?.hit?.score ?? 0)) found.set(hit.entity, { query, name, hit });
      // Those behind the last one score no better than it.
      if (hits.length === wide && mostFrom(hits[wide - 1]!.score, hasContext) >= countFrom) complete = false;
    }
    if (subject.queries.some(({ query }) => query.warnings.includes(SEARCH_ENDED))) {
      complete = false;
      if (!subject.warnings.includes(SEARCH_ENDED)) subject.warnings.push(SEARCH_ENDED);
    }
    const [first] = subject.queries;
    const identified = findIdentified(subject, holders, topic);
    for (const entity of identified)
      if (!found.has(entity))
        found.set(entity, { query: first?.query ?? NO_QUERY, name: first?.name ?? '', hit: undefined });
    const isWanted = (entity: ListedEntity) =>
      !(without && [entity.id, ...entity.referents].some((id) => without.has(id))) &&
      (filter === undefined || fitsFilter(entity, filter));
    const wanted: ReturnType<typeof judge>[] = [];
    let best = 0;
    for (const [entity, one] of [...found].sort(([, a], [, b]) => scoreOf(b) - scoreOf(a))) {
      // Reading what is listed costs more than the search did: not for those that come to nothing.
      const most = identified.has(entity) ? 1 : mostFrom(scoreOf(one), hasContext);
      if (most < threshold && most <= best) continue;
      const listed = decodeEntity(index.sections, entity);
      if (!isWanted(listed)) continue;
      const judged = judge(subject, entity, one, { listed, entity: whole(listed) });
      if (showsOwn) judged.match.entity = listed;
      wanted.push(judged);
      best = Math.max(best, judged.match.score);
    }
    // Equal scores stay in the order of the list, so that the same subject always gets the same answer.
    wanted.sort((a, b) => b.match.score - a.match.score || a.at - b.at);
    const told = wanted.filter(({ match }) => match.score >= threshold);
    return {
      matches: told.slice(0, limit).map(({ match, explain }) => ({ ...match, ...explain() })),
      found: told.flatMap(({ match: { score, entity } }) =>
        score >= countFrom ? [[entity.id, ...entity.referents]] : [],
      ),
      complete,
      best,
    };
  }

  const scoreOf = ({ hit }: Found) => hit?.score ?? 0;

  function judge(subject: ReadSubject, at: number, { query, name, hit }: Found, { listed, entity }: Listed) {
    const context = compareContext(subject, entity);
    const date = hit ? query.date : closest(subject.dates, at);
    const born = compareDates(date, dates, dateOffsets[at]!, dateOffsets[at + 1]!);
    const nameScore = hit?.score ?? 0;
    const isOtherKind = (subject.kinds & entityFlags[at]! & ANY_KIND) === 0;
    const score = judgeSubject({ name: nameScore, birthDate: born.relation, context, isOtherKind });
    return {
      at,
      match: { entity, score, nameScore },
      /** In words, for those that are shown. */
      explain: () => explain(subject, at, { query, name, hit }, { listed, entity, context, date, born, isOtherKind }),
    };
  }

  /** That of several dates of birth which agrees best with what is listed. */
  function closest(asked: readonly QueryDate[], at: number): QueryDate | undefined {
    const rank = (date: QueryDate) =>
      DATE_RELATIONS.indexOf(relateDates(date, dates, dateOffsets[at]!, dateOffsets[at + 1]!));
    return asked.toSorted((one, other) => rank(one) - rank(other))[0];
  }

  function explain(subject: ReadSubject, at: number, found: Found, compared: Compared) {
    const { listed, entity, context, date, born, isOtherKind } = compared;
    const { name, detail, match: described } = explainName(subject, at, found, compared);
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

  /** The name that was asked for, and how it compares: also where the search by name did not come upon the entity. */
  function explainName(
    subject: ReadSubject,
    at: number,
    { query, name, hit }: Found,
    { entity, born, isOtherKind }: Compared,
  ) {
    if (hit) {
      const match = screener.describe(query, hit);
      return { name, match, detail: match.explanation.name };
    }
    if (name === '') return { name, detail: 'no name was given' };
    if (isOtherKind) return { name, detail: `not compared, because it is of another kind: ${entity.schema}` };
    let best: { name: string; query: Query; hit: Hit } | undefined;
    for (const { query: other, name: written } of subject.queries) {
      const closest = screener.closest(other, at);
      if (closest && closest.score > (best?.hit.score ?? 0))
        best = { name: written, query: { ...other, date: undefined }, hit: closest };
    }
    if (best === undefined) return { name, detail: 'the names are not alike' };
    const match = screener.describe(best.query, best.hit);
    const but = DATES_APART.has(born.relation) ? '; too little with these dates of birth' : '';
    return { name: best.name, match, detail: `${match.explanation.name}${but}` };
  }

  /** Who has the numbers of a subject, and the subject with a mark on those that too many have; itself where none is. */
  function findHolders(subject: ReadSubject): { subject: ReadSubject; holders: Set<number> } {
    const holders = new Set<number>();
    const common = new Set<string>();
    for (const normalised of new Set(subject.identifiers.map((one) => one.normalised)))
      for (const key of keysOf(normalised)) {
        const entities = [...entitiesWith(key, identifierHashes, identifierEntities).take(MOST_HOLDERS + 1)];
        if (entities.length > MOST_HOLDERS) common.add(normalised);
        for (const entity of entities.slice(0, MOST_HOLDERS)) holders.add(entity);
      }
    if (common.size === 0) return { subject, holders };
    if (!subject.warnings.includes(TOO_MANY_HOLDERS)) subject.warnings.push(TOO_MANY_HOLDERS);
    const identifiers = subject.identifiers.map((one) => ({ ...one, isCommon: common.has(one.normalised) }));
    return { subject: { ...subject, identifiers }, holders };
  }

  /** Hashes may collide, and kinds may not fit: what does not agree is not a hit. */
  function findIdentified(subject: ReadSubject, holders: ReadonlySet<number>, topic: Topic): Set<number> {
    const identified = new Set<number>();
    for (const entity of holders) {
      if ((entityFlags[entity]! & TOPIC_FLAG[topic]) !== TOPIC_FLAG[topic]) continue;
      const { identifier } = compareContext(subject, decodeEntity(index.sections, entity));
      if (identifier && IDENTIFIES.has(identifier.relation)) identified.add(entity);
    }
    return identified;
  }

  return { screen };
}

interface Listed {
  /** What the list itself says, and what all lists say. */
  listed: ListedEntity;
  entity: ListedEntity;
}

interface Compared extends Listed {
  context: Context;
  /** Of those that the subject may have been born on. */
  date: QueryDate | undefined;
  born: DateComparison;
  isOtherKind: boolean;
}

const DATE_AGREEMENT: Partial<Record<DateRelation, number>> = {
  ...{ day: 1, swapped: 1, month: 1, year: 1, span: 1 },
  ...{ sameYear: 0.5, near: 0.5 },
};
const IDENTIFIES: ReadonlySet<IdentifierComparison['relation']> = new Set(['equal', 'shared', 'common']);
const NO_QUERY: Query = { names: [], date: undefined, warnings: [] };

function writeDate({ year, month, day }: QueryDate): string {
  const two = (number: number) => String(number).padStart(2, '0');
  return `${year}${month === 0 ? '' : `-${two(month)}`}${day === 0 ? '' : `-${two(day)}`}`;
}
