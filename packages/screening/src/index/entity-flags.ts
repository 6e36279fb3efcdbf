// What is asked of an entity before its names are looked at: its kinds and the topics that make collections.
import type { ListedEntity } from '../entity.ts';
import { kindsOf } from '../kind.ts';

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
