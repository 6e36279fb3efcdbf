// Merges records of one list that share an id into one entity.
import {
  type Identifier,
  type ListedEntity,
  MAX_IDENTIFIERS,
  MAX_VALUES,
  VALUE_LISTS,
  type ValueList,
} from '../entity.ts';

export type EntityMerge = ReturnType<typeof createMerge>;

/** Time and memory grow with the added values, up to the bounds of one entity. */
export function createMerge(first: ListedEntity) {
  const values = new Map(VALUE_LISTS.map((list) => [list, new Set(first[list])]));
  const identifiers = new Map(first.identifiers.map((one) => [keyOf(one), one]));
  let { firstSeen, lastSeen, lastChange } = first;
  let isCut = false;

  function keep(list: ValueList, added: readonly string[]): void {
    const held = values.get(list)!;
    for (const value of added) {
      if (held.size < MAX_VALUES) held.add(value);
      else if (!held.has(value)) isCut = true;
    }
  }

  return {
    /** Whether values were left out. */
    get isCut(): boolean {
      return isCut;
    },
    add(entity: ListedEntity): void {
      for (const list of VALUE_LISTS) keep(list, entity[list]);
      for (const one of entity.identifiers) {
        if (identifiers.has(keyOf(one))) continue;
        if (identifiers.size < MAX_IDENTIFIERS) identifiers.set(keyOf(one), one);
        else isCut = true;
      }
      firstSeen = pick([firstSeen, entity.firstSeen], (one, other) => one < other);
      lastSeen = pick([lastSeen, entity.lastSeen], (one, other) => one > other);
      lastChange = pick([lastChange, entity.lastChange], (one, other) => one > other);
    },
    /**
     * Returns the union of all values within the bounds. Caption and schema come from the first
     * record.
     */
    finish(): ListedEntity {
      const told = Object.fromEntries(values.entries().map(([list, held]) => [list, [...held]])) as Pick<
        ListedEntity,
        ValueList
      >;
      const weakNames = told.weakNames.filter((name) => !values.get('names')!.has(name));
      return { ...first, ...told, weakNames, identifiers: [...identifiers.values()], firstSeen, lastSeen, lastChange };
    },
  };
}

export function mergeEntities(first: ListedEntity, second: ListedEntity): ListedEntity {
  const merge = createMerge(first);
  merge.add(second);
  return merge.finish();
}

function keyOf({ kind, value }: Identifier): string {
  return `${kind} ${value}`;
}

function pick(times: (string | null)[], isBetter: (one: string, other: string) => boolean): string | null {
  return times.reduce((best, time) => (best === null || (time !== null && isBetter(time, best)) ? time : best));
}
