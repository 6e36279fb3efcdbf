// POST /yente/match: a batch of example entities, each with the listed entities that match.
import { ref, YenteError, YenteMatchQuery, YenteMatchReply, YenteMatchRequest } from '@limen/contract';
import { type ListedEntity, VALUE_LISTS } from '@limen/screening';
import { Type } from 'typebox';
import type { HttpServer } from '../../platform/http/types.ts';
import {
  batchBodyLimit,
  MAX_COUNTED_RESULTS,
  MAX_REPLY_CHARACTERS,
  MAX_RESULTS_PER_CALL,
  REPLY_WITHIN_MS,
} from '../limits.ts';
import type { Matcher } from '../match/matcher.ts';
import { requireAlgorithm } from './algorithms.ts';
import { readExample, readFilter, readProperties, several } from './read-request.ts';
import { badQuery } from './refusal.ts';
import { REFUSALS, type RouteParts } from './route-parts.ts';
import { fromYenteScore, toYenteScore } from './score-map.ts';
import { writeMatch } from './write-entity.ts';

export function registerMatchRoute(app: HttpServer, { about, closed, guard, search }: RouteParts, matcher: Matcher) {
  app.post(
    '/yente/match/:dataset',
    {
      ...guard,
      bodyLimit: batchBodyLimit(closed),
      schema: {
        ...about,
        summary: 'Match entities by example',
        description:
          'As yente’s `/match`. `weights` and `config` in the body, `filters` and `params` in a query, and parameters that are not listed are ignored.',
        params: Type.Object({ dataset: Type.String({ description: 'A list or a collection, such as `default`.' }) }),
        querystring: YenteMatchQuery,
        body: YenteMatchRequest,
        response: {
          200: ref(YenteMatchReply, 'The matches of each query. `x-batch-size` has the number of queries.'),
          400: ref(YenteError, 'No query or more than 100, an unknown schema, or an unknown algorithm.'),
          ...REFUSALS,
          404: ref(YenteError, '`No such dataset.`'),
          503: ref(YenteError, 'The names of others take all of the service; `Retry-After` says when to try again.'),
          413: ref(YenteError, 'The body is too large, or comparing the names takes longer than a reply may.'),
          415: ref(YenteError, 'The body is not sent as application/json.'),
        },
      },
    },
    async (request, reply) => {
      const { query, params, body } = request;
      requireAlgorithm(query.algorithm);
      const queries = Object.entries(body.queries);
      if (queries.length === 0) throw badQuery('No queries provided.');
      const { threshold, cutoff } = query;
      const limit = Math.min(query.limit, Math.floor(MAX_RESULTS_PER_CALL / queries.length));
      const order = {
        dataset: params.dataset,
        subjects: queries.map(([, example]) => readExample(example)),
        threshold: fromYenteScore(Math.min(cutoff, threshold)),
        countFrom: fromYenteScore(threshold),
        limit,
        without: new Set(several(query.exclude_entity_ids)),
        filter: readFilter(query),
        withinMs: REPLY_WITHIN_MS,
      };
      const { outcomes } = await search(request, reply, (caller) => matcher.match({ ...order, ...caller }));
      const fit = createReplyRoom();
      const responses = queries.map(([key, example], at) => {
        const { matches, found, complete } = outcomes[at]!;
        const relation = complete && found <= MAX_COUNTED_RESULTS ? ('eq' as const) : ('gte' as const);
        const total = { value: Math.min(found, MAX_COUNTED_RESULTS), relation };
        const { id = null, schema } = example;
        const shown = matches.filter(({ score }) => toYenteScore(score) > cutoff);
        const results = shown.map((match) => writeMatch({ ...match, entity: fit(match.entity) }, threshold));
        const described = { id, schema, properties: readProperties(example) };
        return [key, { status: 200, results, total, query: described }] as const;
      });
      void reply.header('x-batch-size', String(queries.length));
      return { responses: Object.fromEntries(responses), limit };
    },
  );
}

/** Passes entities on whole while they fit into a reply. Later ones keep only a name and their short fields. */
export function createReplyRoom(characters = MAX_REPLY_CHARACTERS): (entity: ListedEntity) => ListedEntity {
  let left = characters;
  return (entity) => {
    const texts = [...VALUE_LISTS.flatMap((list) => entity[list]), ...entity.identifiers.map(({ value }) => value)];
    left -= texts.reduce((sum, text) => sum + text.length, 0);
    if (left >= 0) return entity;
    const none = { weakNames: [], addresses: [], positions: [], identifiers: [], referents: [] };
    return { ...entity, names: [entity.caption], ...none };
  };
}
