// GET /yente/entities: one entity by its id, and the entities around it.
import { ref, YenteAdjacent, YenteAdjacentPage, YenteEntity, YenteError } from '@limen/contract';
import type { ListedEntity } from '@limen/screening';
import { type TSchema, Type } from 'typebox';
import { AppError } from '../../platform/base/errors.ts';
import type { HttpServer } from '../../platform/http/types.ts';
import type { Matcher } from '../match/matcher.ts';
import { REFUSALS, type RouteParts } from './route-parts.ts';
import { writeEntity } from './write-entity.ts';

const PATH = '/yente/entities';
/** Everything that is loaded: `default` leaves out the demo if there is a real list. */
const SEARCHED = ['default', 'demo'];
const NO_PAGE = { results: [], total: { value: 0, relation: 'eq' as const }, limit: 0, offset: 0 };

export function registerEntityRoutes(app: HttpServer, { about, guard, search }: RouteParts, matcher: Matcher): void {
  const refusals = {
    308: Type.Null({ description: 'The entity has another id; `Location` says where it is.' }),
    ...REFUSALS,
    404: ref(YenteError, '`No such entity!`'),
  };
  const entityId = Type.String({ description: 'Its id in a list, or one that it had before or elsewhere.' });

  function addLookup(
    below: '' | '/adjacent' | '/adjacent/:property',
    [summary, description, described]: [summary: string, description: string, reply: TSchema],
    write: (entity: ListedEntity) => object,
  ): void {
    const params = Type.Object({ entityId, ...(below.endsWith(':property') && { property: Type.String() }) });
    const schema = { ...about, summary, description, params, response: { 200: described, ...refusals } };
    app.get(`${PATH}/:entityId${below}`, { ...guard, schema }, async (request, reply) => {
      const { entityId: id, property = '' } = request.params as { entityId: string; property?: string };
      const entity = await search(request, reply, async (caller) => {
        for (const dataset of SEARCHED) {
          const found = await matcher.find({ dataset, id, ...caller });
          if (found) return found;
        }
        return undefined;
      });
      if (!entity) throw new AppError('not_found', 'No such entity!');
      if (entity.id === id) return reply.send(write(entity) as never);
      const rest = below.replace(':property', () => encodeURIComponent(property));
      return reply.redirect(`${PATH}/${encodeURIComponent(entity.id)}${rest}`, 308);
    });
  }

  addLookup(
    '',
    [
      'Get an entity by its id',
      'With what all loaded lists say of it. Other entities are not nested in it.',
      ref(YenteEntity, 'The entity.'),
    ],
    writeEntity,
  );
  addLookup(
    '/adjacent',
    [
      'Get an entity and those around it',
      'Lists are kept without the entities around those that are screened: `adjacent` is empty.',
      ref(YenteAdjacent, 'The entity.'),
    ],
    (entity) => ({ entity: writeEntity(entity), adjacent: {} }),
  );
  addLookup(
    '/adjacent/:property',
    [
      'Get the entities that one property leads to',
      'Always none, see above.',
      ref(YenteAdjacentPage, 'An empty page.'),
    ],
    () => NO_PAGE,
  );
}
