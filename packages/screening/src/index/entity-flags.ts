// What is asked of an entity before its names are looked at: its kinds and the topics that make collections.
import type { ListedEntity } from '../entity.ts';
import { kindsOf } from '../kind.ts';

/** What is known of a listed name without opening it. */
export const NAME_WEAK = 1;
/** The name has so few other parts that its particles count. */
export const NAME_PARTICLES_COUNT = 2;
/** The name has a single full part or an initial, so that one part can be all that a query shares with it. */
export const NAME_SPARSE = 4;
/** The flags of its entity, moved up, with the kind that the name was read as: tells without a look at the entity. */
export const NAME_ENTITY_SHIFT = 4;

/** One of 32 bits for the first letter of a part. */
export function letterBit(code: number): number {
  return 1 << (code & 31);
}

/** Above the flags of the kinds. */
export const ENTITY_SANCTIONED = 16;
export const ENTITY_PEP = 32;

/** What a collection is made of. */
export type Topic = 'all' | 'sanctions' | 'peps';
/** The flags that an entity of the topic has. */
export const TOPIC_FLAG: Readonly<Record<Topic, number>> = { all: 0, sanctions: ENTITY_SANCTIONED, peps: ENTITY_PEP };

export function entityFlags({ schema, topics }: ListedEntity): number {
  let flags = kindsOf(schema);
  if (topics.some((topic) => topic.startsWith('sanction'))) flags |= ENTITY_SANCTIONED;
  if (topics.some((topic) => topic === 'role.pep' || topic === 'role.rca')) flags |= ENTITY_PEP;
  return flags;
}
