// Something that entities are found by without their names: keys in order, and whose they are.
import { GrowingArray } from './growing-array.ts';
import { lowerBound } from './lower-bound.ts';

export function createKeyed() {
  const keys = new GrowingArray(Uint32Array);
  const entities = new GrowingArray(Uint32Array);
  return {
    /** Entities come in ascending order. */
    add(key: number, entity: number): void {
      keys.push(key);
      entities.push(entity);
    },
    /** In order of the keys, those with one key in order of the entities; in memory that threads share. */
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
    /** Gives the memory back without a result. */
    free(): void {
      keys.free();
      entities.free();
    },
  };
}

/** Those that have this key, in order. */
export function* entitiesWith(key: number, keys: Uint32Array, entities: Uint32Array): Generator<number> {
  for (let at = lowerBound(keys, 0, keys.length, key); keys[at] === key; at += 1) yield entities[at]!;
}
