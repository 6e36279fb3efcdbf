// Finds listed entities by words or by an id, on the same threads and lists as screening.

import type { EntityFilter, ListedEntity } from '@limen/screening';
import type { WorkOwner } from '../../platform/async/work-owner.ts';
import type { EntitySearch, SearchOutcome } from '../engine/messages.ts';
import type { ScreeningPool } from '../engine/pool.ts';
import type { Catalogue } from '../lists/catalogue/catalogue.ts';
import { withLane } from './with-lane.ts';

export interface SearchOrder extends EntitySearch {
  dataset: string;
  filter?: EntityFilter | undefined;
  /** Account of the pool that the work counts for. */
  owner?: WorkOwner | undefined;
  signal: AbortSignal;
}

export interface EntityFinder {
  search(order: SearchOrder): Promise<SearchOutcome>;
  /** The entity with this id, or that had it before or has it elsewhere; null where there is none. */
  find(order: Pick<SearchOrder, 'dataset' | 'owner' | 'signal'> & { id: string }): Promise<ListedEntity | null>;
}

export function createEntityFinder(parts: { catalogue: Catalogue; pool: ScreeningPool }): EntityFinder {
  return {
    search: ({ dataset, filter, owner, signal, text, fuzzy, limit }) =>
      withLane(parts, { dataset, owner, signal }, (lane, { editions, lists, topic }) => {
        const plan = { editions: editions.map(({ id }) => id), lists, topic, filter };
        return lane.run(() => ({ kind: 'search' as const, search: { text, fuzzy, limit }, plan }));
      }),
    find: ({ dataset, id, owner, signal }) =>
      withLane(parts, { dataset, owner, signal }, (lane, { editions }) =>
        lane.run(() => ({ kind: 'find' as const, id, editions: editions.map((edition) => edition.id) })),
      ),
  };
}
