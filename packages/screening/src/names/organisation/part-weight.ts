// Weight of a part of an organization's name: names most, generic words less, legal forms next to
// nothing.
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
/** A word in at most one of eight thousand listed names has full weight. */
const BITS_OF_FULL_WEIGHT = 13;

export function organizationWeight(flags: number, bits: number): number {
  if ((flags & TOKEN_LEGAL) !== 0) return LEGAL_WEIGHT;
  if ((flags & TOKEN_NUMBER) !== 0) return NUMBER_WEIGHT;
  if ((flags & TOKEN_PARTICLE) !== 0) return PARTICLE_WEIGHT;
  if ((flags & TOKEN_BUSINESS) !== 0) return TRADE_WEIGHT;
  if ((flags & TOKEN_INITIAL) !== 0) return INITIAL_WEIGHT;
  if ((flags & TOKEN_PLACE) !== 0) return PLACE_WEIGHT;
  return Math.min(1.1, Math.max(0.5, bits / BITS_OF_FULL_WEIGHT));
}

/** Returns whether a part can lead to a name. Legal forms and particles only support one. */
export function isOrganizationCore(flags: number): boolean {
  return (flags & (TOKEN_LEGAL | TOKEN_PARTICLE)) === 0;
}

/** Returns whether a word identifies the organization, rather than its type. */
export function isNaming(flags: number): boolean {
  const others =
    TOKEN_LEGAL | TOKEN_PARTICLE | TOKEN_BUSINESS | TOKEN_NUMBER | TOKEN_INITIAL | TOKEN_ACRONYM | TOKEN_PLACE;
  return (flags & others) === 0;
}
