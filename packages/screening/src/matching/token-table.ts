// What is asked of a listed part again and again, side by side: half a line of a core's cache for all of it, where as many
// arrays would each have to be waited for.
import { letterBit } from '../index/entity-flags.ts';
import type { ScreeningIndex } from '../index/screening-index.ts';
import { BITS_SCALE } from '../index/telling-bits.ts';
import { lettersOf } from '../names/edit-cost.ts';
import { TOKEN_INITIAL } from '../names/part-class.ts';
import { isCore, weightOf } from '../names/part-weight.ts';

/** Words of a token: a mark, its flags and lengths, letters, weight, and where its texts begin. */
const SIZE = 8;
const MARK = 0;
const SHAPE = 1;
const TEXT_LETTERS = 2;
const CANONICAL_LETTERS = 3;
const FIRST_LETTERS = 4;
const WEIGHT = 5;
const TEXT = 6;
const CANONICAL = 7;
/** Of the shape: flags, then the lengths of both texts, of which none has 256 letters (MAX_PART_LENGTH). */
const FLAG_BITS = 16;
const LENGTH_BITS = 8;

export interface TokenTable {
  /** A number of whoever uses the table, 0 at first. */
  markOf(token: number): number;
  setMark(token: number, mark: number): void;
  /** TOKEN_* flags. */
  flagsOf(token: number): number;
  /** In the name of a person; `particlesCount` where the name has little else. */
  weightOf(token: number, particlesCount: boolean): number;
  /** Whether it can carry a match there. */
  isCore(token: number, particlesCount: boolean): boolean;
  isInitial(token: number): boolean;
  /** All letters of the text and of its canonical spelling, and the first ones of both; bits as in edit-cost.ts. */
  textLettersOf(token: number): number;
  canonicalLettersOf(token: number): number;
  firstLettersOf(token: number): number;
  /** Where both lie in the index. */
  textFrom(token: number): number;
  textLength(token: number): number;
  canonicalFrom(token: number): number;
  canonicalLength(token: number): number;
}

export function createTokenTable({ sections, tokenCount }: ScreeningIndex): TokenTable {
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
    markOf: (token) => words[SIZE * token + MARK]!,
    setMark(token, mark) {
      words[SIZE * token + MARK] = mark;
    },
    flagsOf,
    weightOf: (token, particlesCount) =>
      particlesCount
        ? weightOf(tokenFlags[token]!, tokenBits[token]! / BITS_SCALE, true)
        : weights[SIZE * token + WEIGHT]!,
    isCore: (token, particlesCount) => isCore(flagsOf(token), particlesCount),
    isInitial: (token) => (words[SIZE * token + SHAPE]! & TOKEN_INITIAL) !== 0,
    textLettersOf: (token) => words[SIZE * token + TEXT_LETTERS]!,
    canonicalLettersOf: (token) => words[SIZE * token + CANONICAL_LETTERS]!,
    firstLettersOf: (token) => words[SIZE * token + FIRST_LETTERS]!,
    textFrom: (token) => words[SIZE * token + TEXT]!,
    textLength: (token) => (words[SIZE * token + SHAPE]! >>> FLAG_BITS) & ((1 << LENGTH_BITS) - 1),
    canonicalFrom: (token) => words[SIZE * token + CANONICAL]!,
    canonicalLength: (token) => words[SIZE * token + SHAPE]! >>> (FLAG_BITS + LENGTH_BITS),
  };
}
