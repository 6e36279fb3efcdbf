// Information content of a name part: the rarer in the list and in general, the higher.
import { generalFrequency } from '../names/part-class.ts';

/** Weight of the general frequency in listed entities, so that small lists do not distort it. */
const GENERAL_WEIGHT = 20_000;
export const BITS_SCALE = 16;

/**
 * Returns sixteenths of a bit, at most 255. Capped by length: short parts are never distinctive,
 * even if a list happens to have few Chinese names.
 */
export function tellingBits(text: string, entitiesWithIt: number, entities: number): number {
  const mostByLength = 1 + 2.25 * text.length;
  const share = (entitiesWithIt + generalFrequency(text) * GENERAL_WEIGHT) / (entities + GENERAL_WEIGHT);
  return Math.min(255, Math.round(Math.min(mostByLength, -Math.log2(share)) * BITS_SCALE));
}
