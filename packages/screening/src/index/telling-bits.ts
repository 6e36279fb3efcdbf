// How telling a name part is: the rarer, the more. In bits, from its share in the list and in general.
import { generalFrequency } from '../names/part-class.ts';

/** The general frequency counts as much as this many listed entities, so that small lists do not mislead. */
const GENERAL_WEIGHT = 20_000;
export const BITS_SCALE = 16;

/**
 * In sixteenths of a bit, at most 255. A short part cannot be very telling: there are few two-letter syllables, and a
 * list that happens to have few Chinese names does not make them rare.
 */
export function tellingBits(text: string, entitiesWithIt: number, entities: number): number {
  const mostByLength = 1 + 2.25 * text.length;
  const share = (entitiesWithIt + generalFrequency(text) * GENERAL_WEIGHT) / (entities + GENERAL_WEIGHT);
  return Math.min(255, Math.round(Math.min(mostByLength, -Math.log2(share)) * BITS_SCALE));
}
