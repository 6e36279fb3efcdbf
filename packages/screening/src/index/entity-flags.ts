// Entity flags that are checked before names: kinds, and the topics behind collections.
import type { ListedEntity } from '../entity.ts';
import { schemaKinds } from '../kind.ts';

/** Name flags that are checked without opening the name. */
export const NAME_WEAK = 1;
/** The name has so few other parts that its particles count. */
export const NAME_PARTICLES_COUNT = 2;
/** The name has a single full part or an initial, so a query may share only one part with it. */
export const NAME_SPARSE = 4;
/** Shift of the entity's flags and the name's kind within the name flags. */
export const NAME_ENTITY_SHIFT = 4;

/** Maps the first letter of a part to one of 32 bits. */
export function letterBit(code: number): number {
  return 1 << (code & 31);
}

/** Bits above the kinds. */
export const ENTITY_SANCTIONED = 16;
export const ENTITY_PEP = 32;

/** Topic of a collection. */
export type Topic = 'all' | 'sanctions' | 'peps';
/** Entity flag required by each topic. */
export const TOPIC_FLAG: Readonly<Record<Topic, number>> = { all: 0, sanctions: ENTITY_SANCTIONED, peps: ENTITY_PEP };

export function entityFlags({ schema, topics }: ListedEntity): number {
  let flags = schemaKinds(schema);
  if (topics.some((topic) => topic.startsWith('sanction'))) flags |= ENTITY_SANCTIONED;
  if (topics.some((topic) => topic === 'role.pep' || topic === 'role.rca')) flags |= ENTITY_PEP;
  return flags;
}
