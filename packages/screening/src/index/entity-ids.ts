// Finds an entity by its id, or by one that it had before or has elsewhere.
import type { ListedEntity } from '../entity.ts';
import { hashText } from '../names/hash.ts';
import { TOPIC_FLAG, type Topic } from './entity-flags.ts';
import { decodeEntity } from './entity-record.ts';
import { entitiesWith } from './keyed-entities.ts';
import type { ScreeningIndex } from './screening-index.ts';

const ID_SALT = 0x2e;
/** More than anybody has; what one entity takes in the index is bounded. */
const MAX_REFERENTS = 50;

/** Each once, the id's first. */
export function idKeys({ id, referents }: Pick<ListedEntity, 'id' | 'referents'>): Set<number> {
  return new Set([id, ...referents.slice(0, MAX_REFERENTS)].map((one) => hashText(one, ID_SALT)));
}

/** Those that share an id with the entity of another list, and have the topic. */
export function findTwins({ sections }: ScreeningIndex, entity: ListedEntity, topic: Topic): ListedEntity[] {
  const ids = new Set([entity.id, ...entity.referents]);
  const places = new Set<number>();
  for (const key of idKeys(entity))
    for (const at of entitiesWith(key, sections.idHashes, sections.idEntities))
      if ((sections.entityFlags[at]! & TOPIC_FLAG[topic]) === TOPIC_FLAG[topic]) places.add(at);
  const found = [...places].map((at) => decodeEntity(sections, at));
  return found.filter(({ id, referents }) => [id, ...referents].some((one) => ids.has(one)));
}

/** The entity of this id; if there is none, the first that has it among its referents. */
export function findEntity({ sections }: ScreeningIndex, id: string): ListedEntity | undefined {
  let merged: ListedEntity | undefined;
  // Hashes may collide: what has the id in neither place is passed over.
  for (const at of entitiesWith(hashText(id, ID_SALT), sections.idHashes, sections.idEntities)) {
    const entity = decodeEntity(sections, at);
    if (entity.id === id) return entity;
    if (entity.referents.includes(id)) merged ??= entity;
  }
  return merged;
}
