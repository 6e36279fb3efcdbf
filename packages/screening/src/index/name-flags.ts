// What is known of a listed name without opening it.

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
