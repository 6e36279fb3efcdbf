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
  const identifiers = new Map(first.identifiers.map((identifier) => [identifierKey(identifier), identifier]));
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
      for (const identifier of entity.identifiers) {
        if (identifiers.has(identifierKey(identifier))) continue;
        if (identifiers.size < MAX_IDENTIFIERS) identifiers.set(identifierKey(identifier), identifier);
        else isCut = true;
      }
      firstSeen = pickTime([firstSeen, entity.firstSeen], (a, b) => a < b);
      lastSeen = pickTime([lastSeen, entity.lastSeen], (a, b) => a > b);
      lastChange = pickTime([lastChange, entity.lastChange], (a, b) => a > b);
    },
    /** Returns the union of all values within the bounds, and the first caption and schema. */
    finish(): ListedEntity {
      const lists = Object.fromEntries(values.entries().map(([list, held]) => [list, [...held]])) as Pick<
        ListedEntity,
        ValueList
      >;
      const weakNames = lists.weakNames.filter((name) => !values.get('names')!.has(name));
      return { ...first, ...lists, weakNames, identifiers: [...identifiers.values()], firstSeen, lastSeen, lastChange };
    },
  };
}

export function mergeEntities(first: ListedEntity, second: ListedEntity): ListedEntity {
  const merge = createMerge(first);
  merge.add(second);
  return merge.finish();
}

function identifierKey({ kind, value }: Identifier): string {
  return `${kind} ${value}`;
}

function pickTime(times: (string | null)[], isBetter: (one: string, other: string) => boolean): string | null {
  return times.reduce((best, time) => (best === null || (time !== null && isBetter(time, best)) ? time : best));
}
