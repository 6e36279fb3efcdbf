// What is asked of every part of every name that a search opens, side by side: one look into memory for all of it.
import type { ScreeningIndex } from '../index/screening-index.ts';
import { BITS_SCALE } from '../index/telling-bits.ts';
import { TOKEN_INITIAL } from '../names/part-class.ts';
import { isCore, weightOf } from '../names/part-weight.ts';

const IS_CORE = 1 << 24;
const IS_CORE_WITH_PARTICLES = 1 << 25;
const IS_INITIAL = 1 << 26;
const ENTRY = (1 << 24) - 1;

/** Of names of people; `particlesCount` where a name has little else. */
export interface TokenTable {
  /** A number of the search that is under way, 0 for none; at most 24 bits. */
  entryOf(token: number): number;
  setEntry(token: number, entry: number): void;
  weightOf(token: number, particlesCount: boolean): number;
  /** Whether it can carry a match. */
  isCore(token: number, particlesCount: boolean): boolean;
  isInitial(token: number): boolean;
}

export function createTokenTable({ sections, tokenCount }: ScreeningIndex): TokenTable {
  const { tokenFlags, tokenBits } = sections;
  const words = new Uint32Array(2 * tokenCount);
  const weights = new Float32Array(words.buffer);
  for (let token = 0; token < tokenCount; token += 1) {
    const flags = tokenFlags[token]!;
    words[2 * token] =
      (isCore(flags) ? IS_CORE : 0) |
      (isCore(flags, true) ? IS_CORE_WITH_PARTICLES : 0) |
      ((flags & TOKEN_INITIAL) !== 0 ? IS_INITIAL : 0);
    weights[2 * token + 1] = weightOf(flags, tokenBits[token]! / BITS_SCALE);
  }
  return {
    entryOf: (token) => words[2 * token]! & ENTRY,
    setEntry(token, entry) {
      words[2 * token] = (words[2 * token]! & ~ENTRY) | entry;
    },
    weightOf: (token, particlesCount) =>
      particlesCount ? weightOf(tokenFlags[token]!, tokenBits[token]! / BITS_SCALE, true) : weights[2 * token + 1]!,
    isCore: (token, particlesCount) => (words[2 * token]! & (particlesCount ? IS_CORE_WITH_PARTICLES : IS_CORE)) !== 0,
    isInitial: (token) => (words[2 * token]! & IS_INITIAL) !== 0,
  };
}
