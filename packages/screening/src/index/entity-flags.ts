// What is asked of an entity before its names are looked at: its kind and the topics that make collections.
import type { ListedEntity } from '../entity.ts';

export const ENTITY_PERSON = 1;
export const ENTITY_ORGANISATION = 2;
export const ENTITY_SANCTIONED = 4;
export const ENTITY_PEP = 8;

/** What a collection is made of. */
export type Topic = 'all' | 'sanctions' | 'peps';
/** The flags that an entity of the topic has. */
export const TOPIC_FLAG: Readonly<Record<Topic, number>> = { all: 0, sanctions: ENTITY_SANCTIONED, peps: ENTITY_PEP };

export function entityFlags({ schema, topics }: ListedEntity): number {
  let flags = schema === 'Person' ? ENTITY_PERSON : ENTITY_ORGANISATION;
  // Lists use it where they do not know which of the two it is.
  if (schema === 'LegalEntity') flags |= ENTITY_PERSON;
  if (topics.some((topic) => topic.startsWith('sanction'))) flags |= ENTITY_SANCTIONED;
  if (topics.some((topic) => topic === 'role.pep' || topic === 'role.rca')) flags |= ENTITY_PEP;
  return flags;
}
