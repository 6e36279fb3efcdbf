// What a listed entity is shown with: a hostile list must not make a reply of thousands of results fill the memory.
import { type ListedEntity, VALUE_LISTS } from '@limen/screening';

/** Of each kind. */
export const MAX_SHOWN_VALUES = 100;
/** Of all kinds together. */
export const MAX_SHOWN_CHARACTERS = 20_000;

/** With the first of what it has of each kind. What it is called and its first name are always there. */
export function shortenEntity(entity: ListedEntity): ListedEntity {
  let left = MAX_SHOWN_CHARACTERS;
  const few = <Value>(values: readonly Value[], lengthOf: (value: Value) => number): Value[] =>
    values.slice(0, MAX_SHOWN_VALUES).filter((value) => {
      left -= lengthOf(value);
      return left >= 0;
    });
  const identifiers = few(entity.identifiers, ({ value }) => value.length);
  const shown = Object.fromEntries(
    VALUE_LISTS.map((list) => [list, few(entity[list], (value) => value.length)]),
  ) as Pick<ListedEntity, (typeof VALUE_LISTS)[number]>;
  const names = shown.names.length > 0 ? shown.names : entity.names.slice(0, 1);
  return { ...entity, ...shown, names, identifiers };
}
