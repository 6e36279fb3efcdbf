// How much one reply to a batch may hold: what is listed is others' to write, and memory is ours.
import { type ListedEntity, VALUE_LISTS } from '@limen/screening';

/** Of values of entities: a thousand of those that have as much as is shown of one. */
const REPLY_CHARACTERS = 20_000_000;

/** Hands entities on whole while they fit, and those after that with a name and what is short. */
export function createReplyRoom(characters = REPLY_CHARACTERS): (entity: ListedEntity) => ListedEntity {
  let left = characters;
  return (entity) => {
    left -= sizeOf(entity);
    if (left >= 0) return entity;
    return {
      ...entity,
      names: [entity.caption],
      weakNames: [],
      addresses: [],
      positions: [],
      identifiers: [],
      referents: [],
    };
  };
}

function sizeOf(entity: ListedEntity): number {
  const texts = [...VALUE_LISTS.flatMap((list) => entity[list]), ...entity.identifiers.map(({ value }) => value)];
  return texts.reduce((sum, text) => sum + text.length, 0);
}
