// How much a name part counts: the rarer the more, and little for words that are often left out.
import { TOKEN_BUSINESS, TOKEN_INITIAL, TOKEN_PARTICLE, TOKEN_PATRONYMIC, TOKEN_TITLE } from './part-class.ts';

/** Words that are often left out, moved or glued. */
const MINOR = TOKEN_PARTICLE | TOKEN_TITLE;

const PARTICLE_WEIGHT = 0.1;
const INITIAL_WEIGHT = 0.35;
const BUSINESS_WEIGHT = 0.3;
const PATRONYMIC_SHARE = 0.5;
/** A part that one listed name in eight thousand has counts fully. */
const BITS_OF_FULL_WEIGHT = 13;

/** `particlesCount` where a name has little else: the family name in `Ben Li` is not a particle. */
export function weightOf(flags: number, bits: number, particlesCount = false): number {
  if ((flags & MINOR) !== 0 && !particlesCount) return PARTICLE_WEIGHT;
  if ((flags & TOKEN_INITIAL) !== 0) return INITIAL_WEIGHT;
  if ((flags & TOKEN_BUSINESS) !== 0) return BUSINESS_WEIGHT;
  const weight = Math.min(1.1, Math.max(0.45, bits / BITS_OF_FULL_WEIGHT));
  return (flags & TOKEN_PATRONYMIC) !== 0 ? weight * PATRONYMIC_SHARE : weight;
}

/** Whether a part can carry a match at all: particles and initials only support one. */
export function isCore(flags: number, particlesCount = false): boolean {
  return (flags & (particlesCount ? TOKEN_INITIAL : MINOR | TOKEN_INITIAL)) === 0;
}

/** Whether the particles of a name with these parts count as full parts. */
export function doParticlesCount(flagsOfParts: readonly number[]): boolean {
  return flagsOfParts.filter((flags) => isCore(flags)).length < 2 && flagsOfParts.length >= 2;
}
