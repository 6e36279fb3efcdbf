// How much a part of an organisation's name counts: names most, words of trade less, legal forms next to nothing.
import {
  TOKEN_ACRONYM,
  TOKEN_BUSINESS,
  TOKEN_INITIAL,
  TOKEN_LEGAL,
  TOKEN_NUMBER,
  TOKEN_PARTICLE,
  TOKEN_PLACE,
} from '../part-class.ts';

const LEGAL_WEIGHT = 0.1;
const PARTICLE_WEIGHT = 0.08;
const NUMBER_WEIGHT = 0.4;
const INITIAL_WEIGHT = 0.4;
const TRADE_WEIGHT = 0.42;
const PLACE_WEIGHT = 0.6;
/** A word that one listed name in eight thousand has counts fully. */
const BITS_OF_FULL_WEIGHT = 13;

export function organisationWeight(flags: number, bits: number): number {
  if ((flags & TOKEN_LEGAL) !== 0) return LEGAL_WEIGHT;
  if ((flags & TOKEN_NUMBER) !== 0) return NUMBER_WEIGHT;
  if ((flags & TOKEN_PARTICLE) !== 0) return PARTICLE_WEIGHT;
  if ((flags & TOKEN_BUSINESS) !== 0) return TRADE_WEIGHT;
  if ((flags & TOKEN_INITIAL) !== 0) return INITIAL_WEIGHT;
  if ((flags & TOKEN_PLACE) !== 0) return PLACE_WEIGHT;
  return Math.min(1.1, Math.max(0.5, bits / BITS_OF_FULL_WEIGHT));
}

/** Whether a part can lead to a name: legal forms and small words only support. */
export function isOrganisationCore(flags: number): boolean {
  return (flags & (TOKEN_LEGAL | TOKEN_PARTICLE)) === 0;
}

/** A word that says which organisation it is, and not what kind of thing it is. */
export function isNaming(flags: number): boolean {
  const others =
    TOKEN_LEGAL | TOKEN_PARTICLE | TOKEN_BUSINESS | TOKEN_NUMBER | TOKEN_INITIAL | TOKEN_ACRONYM | TOKEN_PLACE;
  return (flags & others) === 0;
}
