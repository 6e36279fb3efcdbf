// Converts the recognizer's output of a line to characters with probabilities.
import type { GrayImage } from '../image/gray.ts';
import { ZONE_CHARACTERS } from '../mrz/grammar.ts';
import { type Alignment, alignLine } from './align-line.ts';
import { BETWEEN, CLASSES, COLUMN_WIDTH, COLUMNS } from './alphabet.ts';

/** Input: LINE_HEIGHT × LINE_WIDTH values, 1 is white. Output: CLASSES × COLUMNS logits. */
export type Recognize = (values: Float32Array, shape: readonly number[]) => Promise<Float32Array>;

export type LineLength = 30 | 36 | 44;

/** `scores`: probabilities of each of ZONE_CHARACTERS for each character. */
export interface LineReading {
  readonly text: string;
  readonly scores: Float32Array;
}

const LENGTHS = [30, 36, 44] as const;
/** Minimum share of visible characters in a zone's line. */
const LEAST_SEEN = 0.6;
/** Minimum contrast. Below it, a line is empty, even if the recognizer sees grain as text. */
const LEAST_CONTRAST = 24;
/** Half width of a character's analyzed columns, as a share of the pitch. */
const LOOK = 0.36;

/** Returns the best alignment of that many characters; null if implausible. */
export function readLine(line: GrayImage, length: LineLength, logits: Float32Array): LineReading | null {
  if (!hasInk(line)) return null;
  const [alignment] = alignLine(logits, [length]);
  if (!alignment || alignment.seen < LEAST_SEEN) return null;
  return readAlong(alignment, logits);
}

export function guessLength(logits: Float32Array): LineLength | null {
  let best: Alignment | null = null;
  for (const alignment of alignLine(logits, LENGTHS))
    if (alignment && alignment.seen >= LEAST_SEEN && alignment.score > (best?.score ?? 0)) best = alignment;
  return (best?.centers.length as LineLength | undefined) ?? null;
}

function hasInk({ data }: GrayImage): boolean {
  let lightest = 0;
  let darkest = 255;
  for (const value of data) {
    if (value > lightest) lightest = value;
    if (value < darkest) darkest = value;
  }
  return lightest - darkest >= LEAST_CONTRAST;
}

function readAlong({ centers, pitch }: Alignment, logits: Float32Array): LineReading {
  const scores = new Float32Array(centers.length * BETWEEN);
  const sums = new Float32Array(CLASSES);
  let text = '';
  for (const [index, center] of centers.entries()) {
    addUp(logits, center, pitch * LOOK, sums);
    const own = scores.subarray(index * BETWEEN, (index + 1) * BETWEEN);
    toProbabilities(sums, own);
    let best = 0;
    for (let at = 1; at < BETWEEN; at += 1) if (own[at]! > own[best]!) best = at;
    text += ZONE_CHARACTERS[best];
  }
  return { text, scores };
}

/** Adds the columns around a character's middle with weights. */
function addUp(logits: Float32Array, center: number, reach: number, sums: Float32Array): void {
  sums.fill(0);
  let total = 0;
  const first = Math.max(0, Math.ceil((center - reach) / COLUMN_WIDTH - 0.5));
  const last = Math.min(COLUMNS - 1, Math.floor((center + reach) / COLUMN_WIDTH - 0.5));
  for (let column = first; column <= last; column += 1) {
    const weight = 1 - Math.abs((column + 0.5) * COLUMN_WIDTH - center) / reach;
    total += weight;
    for (let index = 0; index < CLASSES; index += 1) sums[index]! += weight * logits[index * COLUMNS + column]!;
  }
  if (total > 0) for (let index = 0; index < CLASSES; index += 1) sums[index]! /= total;
}

/** Distributes the probability of "no character" equally over all characters. */
function toProbabilities(sums: Float32Array, own: Float32Array): void {
  let largest = sums[0]!;
  for (let index = 1; index < CLASSES; index += 1) largest = Math.max(largest, sums[index]!);
  let any = 0;
  for (let index = 0; index < BETWEEN; index += 1) {
    own[index] = Math.exp(sums[index]! - largest);
    any += own[index]!;
  }
  const none = Math.exp(sums[BETWEEN]! - largest);
  for (let index = 0; index < BETWEEN; index += 1) own[index] = (own[index]! + none / BETWEEN) / (any + none);
}
