// GET /yente/entities: one entity by its id, and what hangs on it.
import { ref, YenteAdjacent, YenteAdjacentPage, YenteEntity, YenteError } from '@limen/contract';
import type { ListedEntity } from '@limen/screening';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { type TSchema, Type } from 'typebox';
import { accountOf } from '../../platform/http/limits/client-account.ts';
import type { HttpServer } from '../../platform/http/types.ts';
import { signalOf } from '../engine/pool.ts';
import type { EntityFinder } from '../match/matcher.ts';
import { noSuchEntity } from './refusal.ts';
import { describeRoute, explainSearch, REFUSALS, type RouteParts } from './route-parts.ts';
import { writeEntity } from './write-entity.ts';

const PATH = '/yente/entities';
/** Whatever is loaded; the demo is no part of the first once there is a real list. */
const SEARCHED = ['default', 'demo'];
const NO_PAGE = { results: [], total: { value: 0, relation: 'eq' as const }, limit: 0, offset: 0 };

export function registerEntityRoutes(
  app: HttpServer,
  { finder, ...parts }: RouteParts & { finder: EntityFinder },
): void {
  const refusals = {
    308: Type.Null({ description: 'The entity has another id; `Location` says where it is.' }),
    ...REFUSALS,
    404: ref(YenteError, '`No such entity!`'),
  };
  const entityId = Type.String({ description: 'Its id in a list, or one that it had before or elsewhere.' });

  async function find(request: FastifyRequest, reply: FastifyReply, id: string): Promise<ListedEntity> {
    const wanted = { id, owner: accountOf(request), signal: signalOf(reply) };
    for (const dataset of SEARCHED) {
      const found = await finder.find({ dataset, ...wanted }).catch(explainSearch(request.id, parts.log));
      if (found) return found;
    }
    throw noSuchEntity();
  }

  function addLookup(
    below: '' | '/adjacent' | '/adjacent/:property',
    { reply: described, ...about }: { summary: string; description: string; reply: TSchema },
    write: (entity: ListedEntity) => object,
  ): void {
    const params = Type.Object({ entityId, ...(below.endsWith(':property') && { property: Type.String() }) });
    const response = { 200: described, ...refusals };
    const schema = { ...describeRoute(parts), ...about, params, response };
    app.get(`${PATH}/:entityId${below}`, { ...parts.guard, schema }, async (request, reply) => {
      const { entityId: id, property = '' } = request.params as { entityId: string; property?: string };
      const entity = await find(request, reply, id);
      if (entity.id === id) return reply.send(write(entity) as never);
      const rest = below.replace(':property', () => encodeURIComponent(property));
      return reply.redirect(`${PATH}/${encodeURIComponent(entity.id)}${rest}`, 308);
    });
  }

  addLookup(
    '',
    {
      summary: 'Get an entity by its id',
      description: 'With what all loaded lists say of it. Other entities are not nested in it.',
      reply: ref(YenteEntity, 'The entity.'),
    },
    writeEntity,
  );
  addLookup(
    '/adjacent',
    {
      summary: 'Get an entity and those around it',
      description: 'Lists are kept without the entities around those that are screened: `adjacent` is empty.',
      reply: ref(YenteAdjacent, 'The entity.'),
    },
    (entity) => ({ entity: writeEntity(entity), adjacent: {} }),
  );
  addLookup(
    '/adjacent/:property',
    {
      summary: 'Get the entities that one property leads to',
      description: 'Always none, see above.',
      reply: ref(YenteAdjacentPage, 'An empty page.'),
    },
    () => NO_PAGE,
  );
}
