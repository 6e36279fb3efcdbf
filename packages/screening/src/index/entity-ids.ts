// Finds an entity by its id, or by one of its former or external ids.
import type { ListedEntity } from '../entity.ts';
import { hashText } from '../names/hash.ts';
import { TOPIC_FLAG, type Topic } from './entity-flags.ts';
import { decodeEntity } from './entity-record.ts';
import { findEntitiesByKey } from './keyed-entities.ts';
import type { ScreeningIndex } from './screening-index.ts';

const ID_SALT = 0x2e;
/** Upper bound, beyond any real entity, to limit the index size per entity. */
const MAX_REFERENTS = 50;

/** Returns distinct keys, with the id's key first. */
export function idKeys({ id, referents }: Pick<ListedEntity, 'id' | 'referents'>): Set<number> {
  return new Set([id, ...referents.slice(0, MAX_REFERENTS)].map((referent) => hashText(referent, ID_SALT)));
}

/** Returns entities of the topic that share an id with an entity of another list. */
export function findTwins({ sections }: ScreeningIndex, entity: ListedEntity, topic: Topic): ListedEntity[] {
  const ids = new Set([entity.id, ...entity.referents]);
  const places = new Set<number>();
  for (const key of idKeys(entity))
    for (const at of findEntitiesByKey(key, sections.idHashes, sections.idEntities))
      if ((sections.entityFlags[at]! & TOPIC_FLAG[topic]) === TOPIC_FLAG[topic]) places.add(at);
  const found = [...places].map((at) => decodeEntity(sections, at));
  return found.filter(({ id, referents }) => [id, ...referents].some((entityId) => ids.has(entityId)));
}

/** Returns the entity with this id, or else the first one with this referent. */
export function findEntity({ sections }: ScreeningIndex, id: string): ListedEntity | undefined {
  let merged: ListedEntity | undefined;
  // Hashes may collide, so the ids are compared.
  for (const at of findEntitiesByKey(hashText(id, ID_SALT), sections.idHashes, sections.idEntities)) {
    const entity = decodeEntity(sections, at);
    if (entity.id === id) return entity;
    if (entity.referents.includes(id)) merged ??= entity;
  }
  return merged;
}
