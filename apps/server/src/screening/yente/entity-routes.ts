// GET /yente/entities: one entity by its id, and what hangs on it.
import { ref, YenteAdjacent, YenteAdjacentPage, YenteEntity, YenteError } from '@limen/contract';
import type { ListedEntity } from '@limen/screening';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import { accountOf } from '../../platform/http/limits/client-account.ts';
import type { HttpServer } from '../../platform/http/types.ts';
import type { EntityFinder } from '../match/matcher.ts';
import { noSuchEntity } from './refusal.ts';
import { describeRoute, explainSearch, REFUSALS, type RouteParts, signalOf } from './route-parts.ts';
import { writeEntity } from './write-entity.ts';

const PATH = '/yente/entities';
/** Whatever is loaded; the demo is no part of the first once there is a real list. */
const SEARCHED = ['default', 'demo'];
const NO_PAGE = { results: [], total: { value: 0, relation: 'eq' as const }, limit: 0, offset: 0 };

const EntityPath = {
  entityId: Type.String({ description: 'Its id in a list, or one that it had before or elsewhere.' }),
};

export function registerEntityRoutes(
  app: HttpServer,
  { finder, ...parts }: RouteParts & { finder: EntityFinder },
): void {
  const described = describeRoute(parts);
  const refusals = {
    308: Type.Null({ description: 'The entity has another id; `Location` says where it is.' }),
    ...REFUSALS,
    404: ref(YenteError, '`No such entity!`'),
  };

  async function find(request: FastifyRequest, reply: FastifyReply, id: string): Promise<ListedEntity> {
    const wanted = { id, owner: accountOf(request), signal: signalOf(reply) };
    for (const dataset of SEARCHED) {
      const found = await finder.find({ dataset, ...wanted }).catch(explainSearch(request.id, parts.log));
      if (found) return found;
    }
    throw noSuchEntity();
  }

  app.get(
    `${PATH}/:entityId`,
    {
      ...parts.guard,
      schema: {
        ...described,
        summary: 'Get an entity by its id',
        description: 'With what all loaded lists say of it. Other entities are not nested in it.',
        params: Type.Object(EntityPath),
        response: { 200: ref(YenteEntity, 'The entity.'), ...refusals },
      },
    },
    async (request, reply) => {
      const { entityId } = request.params;
      const entity = await find(request, reply, entityId);
      if (entity.id !== entityId) return reply.redirect(`${PATH}/${encodeURIComponent(entity.id)}`, 308);
      return reply.send(writeEntity(entity));
    },
  );

  app.get(
    `${PATH}/:entityId/adjacent`,
    {
      ...parts.guard,
      schema: {
        ...described,
        summary: 'Get an entity and those around it',
        description: 'Lists are kept without the entities around those that are screened: `adjacent` is empty.',
        params: Type.Object(EntityPath),
        response: { 200: ref(YenteAdjacent, 'The entity.'), ...refusals },
      },
    },
    async (request, reply) => {
      const { entityId } = request.params;
      const entity = await find(request, reply, entityId);
      if (entity.id !== entityId) return reply.redirect(`${PATH}/${encodeURIComponent(entity.id)}/adjacent`, 308);
      return reply.send({ entity: writeEntity(entity), adjacent: {} });
    },
  );

  app.get(
    `${PATH}/:entityId/adjacent/:property`,
    {
      ...parts.guard,
      schema: {
        ...described,
        summary: 'Get the entities that one property leads to',
        description: 'Always none, see above.',
        params: Type.Object({ ...EntityPath, property: Type.String() }),
        response: { 200: ref(YenteAdjacentPage, 'An empty page.'), ...refusals },
      },
    },
    async (request, reply) => {
      const { entityId, property } = request.params;
      const entity = await find(request, reply, entityId);
      const place = `${PATH}/${encodeURIComponent(entity.id)}/adjacent/${encodeURIComponent(property)}`;
      return entity.id === entityId ? reply.send(NO_PAGE) : reply.redirect(place, 308);
    },
  );
}
