// What changed in a list, as far as it can concern a watched subject.
import { createIndexBuilder, type EntityChange, type ScreeningIndex } from '@limen/screening';

export interface ListChanges {
  /** Ids of all entities that were added, changed or removed. */
  entities: Set<string>;
  /** Small indexes of what was added or changed, as it is now: a subject that none of them finds has no new hit. */
  indexes: ScreeningIndex[];
}

/** An index of so many is built in a few milliseconds, between two requests. */
const ENTITIES_PER_INDEX = 200;
/** A list that changed in more entities than this is screened as a new one. */
const MAX_CHANGES = 20_000;

/** Undefined where there are too many. */
export async function readChanges(changes: AsyncIterable<EntityChange>): Promise<ListChanges | undefined> {
  const found: ListChanges = { entities: new Set(), indexes: [] };
  let builder = createIndexBuilder();
  let pending = 0;
  const finish = () => {
    if (pending > 0) found.indexes.push(builder.finish());
    builder = createIndexBuilder();
    pending = 0;
  };
  for await (const one of changes) {
    found.entities.add(one.change === 'removed' ? one.before.id : one.after.id);
    if (found.entities.size > MAX_CHANGES) return undefined;
    if (one.change === 'removed') continue;
    builder.add(one.after);
    pending += 1;
    if (pending === ENTITIES_PER_INDEX) finish();
  }
  finish();
  return found;
}
