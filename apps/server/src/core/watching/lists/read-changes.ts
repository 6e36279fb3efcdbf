// Which entities of a list are other ones than before.
import type { EntityChange, ListedEntity } from '@limen/screening';

/** A list that changed in more entities than this is screened as a new one. */
const MAX_CHANGES = 20_000;

export interface ListChanges {
  /** Ids of all that were added, changed or removed. */
  ids: Set<string>;
  /** Those that were added or changed, as they are now. */
  entities: ListedEntity[];
}

/** Undefined where there are too many. */
export async function readChanges(changes: AsyncIterable<EntityChange>): Promise<ListChanges | undefined> {
  const ids = new Set<string>();
  const entities: ListedEntity[] = [];
  for await (const one of changes) {
    ids.add(one.change === 'removed' ? one.before.id : one.after.id);
    if (one.change !== 'removed') entities.push(one.after);
    if (ids.size > MAX_CHANGES) return undefined;
  }
  return { ids, entities };
}
