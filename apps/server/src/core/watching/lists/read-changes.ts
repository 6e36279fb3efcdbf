// Which entities of a list are other ones than before.
import type { EntityChange } from '@limen/screening';

/** A list that changed in more entities than this is screened as a new one. */
const MAX_CHANGES = 100_000;

/** Ids of all that were added, changed or removed; undefined where there are too many. */
export async function readChanges(changes: AsyncIterable<EntityChange>): Promise<Set<string> | undefined> {
  const entities = new Set<string>();
  for await (const one of changes) {
    entities.add(one.change === 'removed' ? one.before.id : one.after.id);
    if (entities.size > MAX_CHANGES) return undefined;
  }
  return entities;
}
