// A lookup of entities by something other than names: sorted keys and their entities.
import { GrowingArray } from './growing-array.ts';
import { lowerBound } from './lower-bound.ts';

export function createKeyed() {
  const keys = new GrowingArray(Uint32Array);
  const entities = new GrowingArray(Uint32Array);
  return {
    /** Entities must be added in ascending order. */
    add(key: number, entity: number): void {
      keys.push(key);
      entities.push(entity);
    },
    /** Sorts by key, then by entity, into shared memory. */
    finish(): { keys: Uint32Array; entities: Uint32Array } {
      const order = Uint32Array.from({ length: keys.length }, (_, at) => at);
      order.sort((a, b) => keys.at(a) - keys.at(b) || a - b);
      const [sortedKeys, sortedEntities] = [keys.share(), entities.share()];
      const [givenKeys, givenEntities] = [sortedKeys.slice(), sortedEntities.slice()];
      for (const [at, from] of order.entries()) {
        sortedKeys[at] = givenKeys[from]!;
        sortedEntities[at] = givenEntities[from]!;
      }
      return { keys: sortedKeys, entities: sortedEntities };
    },
    /** Releases the memory without building a result. */
    free(): void {
      keys.free();
      entities.free();
    },
  };
}

/** Yields the entities with this key, in ascending order. */
export function* findEntitiesByKey(key: number, keys: Uint32Array, entities: Uint32Array): Generator<number> {
  for (let at = lowerBound(keys, 0, keys.length, key); keys[at] === key; at += 1) yield entities[at]!;
}
