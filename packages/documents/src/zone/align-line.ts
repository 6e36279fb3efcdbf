// Finds the positions of a line's characters: the equally spaced row that best explains the
// recognizer's output.
import { BETWEEN, CLASSES, COLUMN_WIDTH, COLUMNS, LINE_WIDTH, MAX_PITCH, MIN_PITCH } from './alphabet.ts';

export interface Alignment {
  readonly centers: Float32Array;
  readonly pitch: number;
  /** Log-likelihood gain over an empty line. The length with the largest gain is right. */
  readonly score: number;
  /** Share of characters that the recognizer sees in their place. */
  readonly seen: number;
}

/** Tried pitches in pixels; drift covers the rest. */
const PITCH_STEP = 0.5;
/** Pixels between possible positions. */
const GRID = 2;
const PLACES = LINE_WIDTH / GRID;
/** Price of a longer or shorter step. A whole line must cost less than one character. */
const DRIFT_PRICE = 0.3;
/** Half width of a character as a share of the pitch, as labeled in training. */
const REACH = 0.32;
/** Limits the evidence of a column, so that a speck or glare does not shift the row. */
const MOST_EVIDENCE = 5;
/** Marks impossible positions. */
const NEVER = -1e9;

/** Returns the best row for each length; null if none fits. */
export function alignLine(logits: Float32Array, lengths: readonly number[]): (Alignment | null)[] {
  const evidence = sumEvidence(logits);
  const longest = Math.max(...lengths);
  const sums = new Float32Array(longest * (PLACES + 2));
  const best = lengths.map(() => ({ score: NEVER / 2, pitch: 0 }));
  for (let pitch = MIN_PITCH - PITCH_STEP; pitch <= MAX_PITCH + PITCH_STEP; pitch += PITCH_STEP) {
    walk(weighPlaces(evidence, pitch), pitch, longest, sums);
    for (const [index, length] of lengths.entries()) {
      const { score } = findBest(sums, length);
      if (score > best[index]!.score) best[index] = { score, pitch };
    }
  }
  return best.map(({ pitch }, index) => (pitch === 0 ? null : retrace(evidence, pitch, lengths[index]!, sums)));
}

/** Sums log-likelihood ratios of a character over none, up to each pixel. */
function sumEvidence(logits: Float32Array): Float32Array {
  const columns = new Float32Array(COLUMNS);
  for (let column = 0; column < COLUMNS; column += 1) {
    let largest = Number.NEGATIVE_INFINITY;
    for (let index = 0; index < CLASSES; index += 1) largest = Math.max(largest, logits[index * COLUMNS + column]!);
    let any = 1e-9;
    for (let index = 0; index < BETWEEN; index += 1) any += Math.exp(logits[index * COLUMNS + column]! - largest);
    const none = Math.exp(logits[BETWEEN * COLUMNS + column]! - largest) + 1e-9;
    columns[column] = Math.max(-MOST_EVIDENCE, Math.min(MOST_EVIDENCE, Math.log(any / none))) / COLUMN_WIDTH;
  }
  const sums = new Float32Array(LINE_WIDTH + 1);
  for (let x = 0; x < LINE_WIDTH; x += 1) {
    const at = Math.max(0, Math.min(COLUMNS - 1, (x + 0.5) / COLUMN_WIDTH - 0.5));
    const left = Math.floor(at);
    const right = Math.min(COLUMNS - 1, left + 1);
    sums[x + 1] = sums[x]! + columns[left]! + (columns[right]! - columns[left]!) * (at - left);
  }
  return sums;
}

/** Weighs a character centered at each position; never at the edge. */
function weighPlaces(evidence: Float32Array, pitch: number): Float32Array {
  const places = new Float32Array(PLACES).fill(NEVER);
  const reach = Math.round(pitch * REACH);
  for (let place = 0; place < PLACES; place += 1) {
    const x = place * GRID;
    if (x >= reach && x + reach <= LINE_WIDTH) places[place] = evidence[x + reach]! - evidence[x - reach]!;
  }
  return places;
}

/** Rounds positions cumulatively, so that fractions of the pitch are not lost. */
function stepTo(index: number, pitch: number): number {
  return Math.round((index * pitch) / GRID) - Math.round(((index - 1) * pitch) / GRID);
}

/** Computes the best sum that ends with the n-th character at each position. */
function walk(places: Float32Array, pitch: number, length: number, sums: Float32Array): void {
  const count = places.length;
  const row = count + 2;
  sums.fill(NEVER);
  for (let place = 0; place < count; place += 1) sums[place + 1] = places[place]!;
  for (let index = 1; index < length; index += 1) {
    const step = stepTo(index, pitch);
    const now = index * row + 1;
    const before = (index - 1) * row + 1 - step;
    for (let place = step; place < count; place += 1) {
      const shorter = sums[before + place + 1]!;
      const longer = sums[before + place - 1]!;
      const drifting = (shorter > longer ? shorter : longer) - DRIFT_PRICE;
      const straight = sums[before + place]!;
      sums[now + place] = (straight > drifting ? straight : drifting) + places[place]!;
    }
  }
}

function findBest(sums: Float32Array, length: number): { score: number; place: number } {
  let place = 0;
  const start = (length - 1) * (PLACES + 2) + 1;
  for (let next = 1; next < PLACES; next += 1) if (sums[start + next]! > sums[start + place]!) place = next;
  return { score: sums[start + place]!, place };
}

/** Traces the best path back from its end. */
function retrace(evidence: Float32Array, pitch: number, length: number, sums: Float32Array): Alignment {
  const places = weighPlaces(evidence, pitch);
  walk(places, pitch, length, sums);
  const { score, place: end } = findBest(sums, length);
  const centers = new Float32Array(length);
  let place = end;
  let seen = 0;
  for (let index = length - 1; index >= 0; index -= 1) {
    centers[index] = place * GRID;
    if (places[place]! > 0) seen += 1;
    if (index === 0) break;
    const before = (index - 1) * (PLACES + 2) + 1 + place - stepTo(index, pitch);
    const straight = sums[before]!;
    const shorter = sums[before + 1]! - DRIFT_PRICE;
    const longer = sums[before - 1]! - DRIFT_PRICE;
    place -= stepTo(index, pitch) + (straight >= shorter && straight >= longer ? 0 : shorter > longer ? -1 : 1);
  }
  return { centers, pitch, score, seen: seen / length };
}
