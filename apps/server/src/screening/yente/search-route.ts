// GET /yente/search: entities by a few words.
import { ref, YenteError, YenteSearchQuery, YenteSearchReply } from '@limen/contract';
import { Type } from 'typebox';
import { accountOf } from '../../platform/http/limits/client-account.ts';
import type { HttpServer } from '../../platform/http/types.ts';
import type { EntityFinder } from '../match/entity-finder.ts';
import { readFilter, readSwitch, several } from './read-request.ts';
import { describeRoute, explainSearch, REFUSALS, type RouteParts, signalOf } from './route-parts.ts';
import { FACETS_DEFAULT, writeSearch } from './write-search.ts';

/** As many are found, counted and sorted; a page behind them is empty. */
const WINDOW = 1_000;

export function registerSearchRoute(
  app: HttpServer,
  { finder, ...parts }: RouteParts & { finder: EntityFinder },
): void {
  app.get(
    '/yente/search/:dataset',
    {
      ...parts.guard,
      schema: {
        ...describeRoute(parts),
        summary: 'Search entities by words',
        description: `As yente’s \`/search\`, without its query language: every word must be in one name of the entity. The first ${WINDOW} are found, counted and sorted; \`total.relation\` is \`gte\` where there are more. Parameters that are not listed are ignored.`,
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
      const outcome = await finder
        .search({
          dataset: params.dataset,
          text: query.q,
          fuzzy: readSwitch('fuzzy', query.fuzzy),
          filter: readFilter(query),
          limit: WINDOW,
          owner: accountOf(request),
          signal: signalOf(reply),
        })
        .catch(explainSearch(request.id, parts.log));
      const facets = query.facets === undefined ? FACETS_DEFAULT : several(query.facets);
      return writeSearch(outcome, {
        limit: query.limit,
        offset: query.offset,
        sort: several(query.sort),
        facets,
      });
    },
  );
}
