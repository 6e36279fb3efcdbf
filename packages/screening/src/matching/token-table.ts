// Frequently used facts of a token in adjacent memory: half a cache line, where separate arrays
// would cost one cache miss each.
import { letterBit } from '../index/entity-flags.ts';
import type { ScreeningIndex } from '../index/screening-index.ts';
import { BITS_SCALE } from '../index/telling-bits.ts';
import { lettersOf } from '../names/edit-cost.ts';
import { TOKEN_INITIAL } from '../names/part-class.ts';
import { isCore, weightOf } from '../names/part-weight.ts';

/** Words per token: mark, flags and lengths, letters, weight, and text offsets. */
const SIZE = 8;
const MARK = 0;
const SHAPE = 1;
const TEXT_LETTERS = 2;
const CANONICAL_LETTERS = 3;
const FIRST_LETTERS = 4;
const WEIGHT = 5;
const TEXT = 6;
const CANONICAL = 7;
/** Layout of the shape word: flags, then both lengths, all below 256 (MAX_PART_LENGTH). */
const FLAG_BITS = 16;
const LENGTH_BITS = 8;

export type TokenTable = ReturnType<typeof createTokenTable>;

export function createTokenTable({ sections, tokenCount }: ScreeningIndex) {
  const { tokenFlags, tokenBits, tokenText, tokenTextOffsets, canonText, canonTextOffsets } = sections;
  const words = new Uint32Array(SIZE * tokenCount);
  const weights = new Float32Array(words.buffer);
  for (let token = 0; token < tokenCount; token += 1) {
    const at = SIZE * token;
    const flags = tokenFlags[token]!;
    const [text, textEnd] = [tokenTextOffsets[token]!, tokenTextOffsets[token + 1]!];
    const [canonical, canonicalEnd] = [canonTextOffsets[token]!, canonTextOffsets[token + 1]!];
    words[at + SHAPE] =
      flags | ((textEnd - text) << FLAG_BITS) | ((canonicalEnd - canonical) << (FLAG_BITS + LENGTH_BITS));
    words[at + TEXT_LETTERS] = lettersOf(tokenText, text, textEnd);
    words[at + CANONICAL_LETTERS] = lettersOf(canonText, canonical, canonicalEnd);
    words[at + FIRST_LETTERS] = letterBit(tokenText[text]!) | letterBit(canonText[canonical]!);
    weights[at + WEIGHT] = weightOf(flags, tokenBits[token]! / BITS_SCALE);
    words[at + TEXT] = text;
    words[at + CANONICAL] = canonical;
  }
  const flagsOf = (token: number) => words[SIZE * token + SHAPE]! & ((1 << FLAG_BITS) - 1);
  return {
    /** A number for the table's user, initially 0. */
    markOf: (token: number): number => words[SIZE * token + MARK]!,
    setMark(token: number, mark: number): void {
      words[SIZE * token + MARK] = mark;
    },
    /** TOKEN_* flags. */
    flagsOf,
    /** Weight in a person's name. `particlesCount` if the name has little else. */
    weightOf: (token: number, particlesCount: boolean): number =>
      particlesCount
        ? weightOf(tokenFlags[token]!, tokenBits[token]! / BITS_SCALE, true)
        : weights[SIZE * token + WEIGHT]!,
    /** Whether the token can carry a match there. */
    isCore: (token: number, particlesCount: boolean): boolean => isCore(flagsOf(token), particlesCount),
    isInitial: (token: number): boolean => (words[SIZE * token + SHAPE]! & TOKEN_INITIAL) !== 0,
    /** All letters, and first letters, of both spellings. Bits as in edit-cost.ts. */
    textLettersOf: (token: number): number => words[SIZE * token + TEXT_LETTERS]!,
    canonicalLettersOf: (token: number): number => words[SIZE * token + CANONICAL_LETTERS]!,
    firstLettersOf: (token: number): number => words[SIZE * token + FIRST_LETTERS]!,
    /** Offsets of both texts in the index. */
    textFrom: (token: number): number => words[SIZE * token + TEXT]!,
    textLength: (token: number): number => (words[SIZE * token + SHAPE]! >>> FLAG_BITS) & ((1 << LENGTH_BITS) - 1),
    canonicalFrom: (token: number): number => words[SIZE * token + CANONICAL]!,
    canonicalLength: (token: number): number => words[SIZE * token + SHAPE]! >>> (FLAG_BITS + LENGTH_BITS),
  };
}
