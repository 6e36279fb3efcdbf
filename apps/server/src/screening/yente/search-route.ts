// GET /yente/search: entities by a few words.
import { ref, YenteError, YenteSearchQuery, YenteSearchReply } from '@limen/contract';
import type { ListedEntity } from '@limen/screening';
import { Type } from 'typebox';
import type { HttpServer } from '../../platform/http/types.ts';
import { SEARCH_WINDOW } from '../limits.ts';
import type { Matcher } from '../match/matcher.ts';
import { readFilter, readSwitch, several } from './read-request.ts';
import { REFUSALS, type RouteParts } from './route-parts.ts';
import { labelFormerCountry, writeCountries, writeEntity } from './write-entity.ts';

export function registerSearchRoute(app: HttpServer, { about, guard, search }: RouteParts, matcher: Matcher): void {
  app.get(
    '/yente/search/:dataset',
    {
      ...guard,
      schema: {
        ...about,
        summary: 'Search entities by words',
        description: `As yente’s \`/search\`, without its query language: every word must be in one name of the entity. The first ${SEARCH_WINDOW} are found, counted and sorted; \`total.relation\` is \`gte\` where there are more. Parameters that are not listed are ignored.`,
        params: Type.Object({ dataset: Type.String({ description: 'A list or a collection, such as `default`.' }) }),
        querystring: YenteSearchQuery,
        response: {
          200: ref(YenteSearchReply, 'One page, and facets over all that was found.'),
          400: ref(YenteError, '`Invalid schema`'),
          ...REFUSALS,
          404: ref(YenteError, '`No such dataset.`'),
        },
      },
    },
    async (request, reply) => {
      const { query, params } = request;
      const { q: text, limit, offset, sort, facets } = query;
      const fuzzy = readSwitch('fuzzy', query.fuzzy);
      const order = { dataset: params.dataset, text, fuzzy, filter: readFilter(query), limit: SEARCH_WINDOW };
      const outcome = await search(request, reply, (caller) => matcher.search({ ...order, ...caller }));
      const shown = facets === undefined ? FACETS_DEFAULT : several(facets);
      return writeSearch(outcome, { limit, offset, sort: several(sort), facets: shown });
    },
  );
}

interface FacetKind {
  label: string;
  valuesOf(entity: ListedEntity): string[];
  nameOf?(value: string): string;
}

/** Created on first use, because it takes 15 ms or more. */
let regions: Intl.DisplayNames | undefined;
const FACETS: Readonly<Record<string, FacetKind>> = {
  countries: {
    label: 'Countries',
    valuesOf: ({ countries }) => writeCountries(countries),
    nameOf(code) {
      const former = labelFormerCountry(code);
      if (former !== undefined) return former;
      if (!/^[a-z]{2}$/.test(code)) return code;
      regions ??= new Intl.DisplayNames('en', { type: 'region', fallback: 'none' });
      return regions.of(code.toUpperCase()) ?? code;
    },
  },
  topics: { label: 'Topics', valuesOf: ({ topics }) => topics },
  datasets: { label: 'Data sources', valuesOf: ({ datasets }) => datasets },
  schema: { label: 'Schema', valuesOf: ({ schema }) => [schema] },
};
const FACETS_DEFAULT = ['countries', 'topics', 'datasets'];

export function writeSearch(
  { entities, complete }: { entities: ListedEntity[]; complete: boolean },
  { limit, offset, sort, facets }: { limit: number; offset: number; sort: string[]; facets: string[] },
): YenteSearchReply {
  const known = facets.filter((name) => Object.hasOwn(FACETS, name));
  return {
    results: sortEntities(entities, sort)
      .slice(offset, offset + limit)
      .map(writeEntity),
    facets: Object.fromEntries(known.map((name) => [name, countValues(entities, FACETS[name]!)])),
    total: { value: entities.length, relation: complete ? 'eq' : 'gte' },
    limit,
    offset,
  };
}

function countValues(entities: readonly ListedEntity[], { label, valuesOf, nameOf = String }: FacetKind) {
  const counts = new Map<string, number>();
  for (const entity of entities)
    for (const value of new Set(valuesOf(entity))) counts.set(value, (counts.get(value) ?? 0) + 1);
  const values = [...counts].sort(([a, more], [b, less]) => less - more || (a < b ? -1 : 1));
  return { label, values: values.map(([name, count]) => ({ name, label: nameOf(name), count })) };
}

const SORTED_BY: Readonly<Record<string, (entity: ListedEntity) => string | null>> = {
  caption: ({ caption }) => caption,
  first_seen: ({ firstSeen }) => firstSeen,
  last_seen: ({ lastSeen }) => lastSeen,
  last_change: ({ lastChange }) => lastChange,
};

/** Sorts by the first field, then the next. Entities without a value come last. */
function sortEntities(entities: readonly ListedEntity[], sort: readonly string[]): ListedEntity[] {
  const orders = sort.flatMap((order) => {
    const [field = '', direction = 'asc'] = order.split(':');
    return Object.hasOwn(SORTED_BY, field) ? [{ fieldOf: SORTED_BY[field]!, sign: direction === 'desc' ? -1 : 1 }] : [];
  });
  return entities.toSorted((a, b) => {
    for (const { fieldOf, sign } of orders) {
      const [left, right] = [fieldOf(a), fieldOf(b)];
      if (left === right) continue;
      if (left === null || right === null) return left === null ? 1 : -1;
      return left < right ? -sign : sign;
    }
    return 0;
  });
}
