// Weight of a name part: high for rare ones, low for words that are often omitted.
import { TOKEN_BUSINESS, TOKEN_INITIAL, TOKEN_PARTICLE, TOKEN_PATRONYMIC, TOKEN_TITLE } from './part-class.ts';

/** Weight of words that are often omitted, moved or attached. */
const MINOR = TOKEN_PARTICLE | TOKEN_TITLE;

const PARTICLE_WEIGHT = 0.1;
const INITIAL_WEIGHT = 0.35;
const BUSINESS_WEIGHT = 0.3;
const PATRONYMIC_SHARE = 0.5;
/** A part in at most one of eight thousand listed names has full weight. */
const BITS_OF_FULL_WEIGHT = 13;

/** `particlesCount` if a name has little else: the family name in `Ben Li` is not a particle. */
export function weightOf(flags: number, bits: number, particlesCount = false): number {
  if ((flags & MINOR) !== 0 && !particlesCount) return PARTICLE_WEIGHT;
  if ((flags & TOKEN_INITIAL) !== 0) return INITIAL_WEIGHT;
  if ((flags & TOKEN_BUSINESS) !== 0) return BUSINESS_WEIGHT;
  const weight = Math.min(1.1, Math.max(0.45, bits / BITS_OF_FULL_WEIGHT));
  return (flags & TOKEN_PATRONYMIC) !== 0 ? weight * PATRONYMIC_SHARE : weight;
}

/** Returns whether a part can carry a match. Particles and initials only support one. */
export function isCore(flags: number, particlesCount = false): boolean {
  return (flags & (particlesCount ? TOKEN_INITIAL : MINOR | TOKEN_INITIAL)) === 0;
}

/** Returns whether the particles of a name with these parts count as full parts. */
export function doParticlesCount(flagsOfParts: readonly number[]): boolean {
  return flagsOfParts.filter((flags) => isCore(flags)).length < 2 && flagsOfParts.length >= 2;
}
