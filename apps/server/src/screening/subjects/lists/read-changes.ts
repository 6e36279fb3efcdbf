// Which entities of a list are other ones than before.
import { type EntityChange, type ListedEntity, newlyComparable } from '@limen/screening';

/** A list that changed in more entities than this is screened as a new one. */
const MAX_CHANGES = 20_000;

export interface ListChanges {
  /** Ids of all that were added, changed or removed. */
  ids: Set<string>;
  /** Of those that may match somebody whom they did not match before, what may. */
  entities: ListedEntity[];
}

/** Undefined where there are too many. */
export async function readChanges(changes: AsyncIterable<EntityChange>): Promise<ListChanges | undefined> {
  const ids = new Set<string>();
  const entities: ListedEntity[] = [];
  for await (const one of changes) {
    ids.add(one.change === 'removed' ? one.before.id : one.after.id);
    const news = newlyComparable(one);
    if (news) entities.push(news);
    if (ids.size > MAX_CHANGES) return undefined;
  }
  return { ids, entities };
}
