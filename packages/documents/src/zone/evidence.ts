// Combines the evidence of several frames for each character of a zone.
import { type Grammar, ZONE_CHARACTERS } from '../mrz/grammar.ts';
import type { ZoneReading } from './read-group.ts';

const KINDS = ZONE_CHARACTERS.length;
/** Minimum score, because a recognizer is overconfident and must not rule a character out. */
const LEAST = 1e-4;
/** Minimum for traces: a confidently wrong recognizer still leaves a faint trace of the truth. */
const FAINTEST = 1e-12;
/** Maximum frames per document; older ones are dropped. */
const MAX_FRAMES = 12;
/** Frames through one camera share errors, so any number of them weighs at most this much. */
const MOST_WEIGHT = 3;
/** Below this mean score, a frame shows no zone or an unreadable one. */
const MIN_MEAN_SCORE = 0.5;
/** Score of a certain character in a frame, for distinguishing documents. */
const SURE_SCORE = 0.8;
/** Margin of a certain character in the accumulated evidence: e² times as likely as any other. */
const SURE_MARGIN = 2;
/** Frames of the same document differ in fewer characters; other documents in many more. */
const MIN_DIFFERENCES = 4;

const EVERY_KIND = Uint8Array.from({ length: KINDS }, (_, kind) => kind);
/** One entry per distinct character set of the grammars: about ten. */
const kindsByCharacters = new Map<string, Uint8Array>();

/** One frame: log scores with both minimums, its likeliest characters, and their scores. */
export interface Frame {
  readonly lines: number;
  readonly width: number;
  readonly logs: Float32Array;
  readonly traces: Float32Array;
  readonly best: Uint8Array;
  readonly bestScores: Float32Array;
}

/** Frames of one document, newest last. */
export type Pile = Frame[];

/** Likeliest character of a position, its margin, and its number of agreeing frames. */
export type Decision = ReturnType<typeof decide>;

/** Second choice of a position. Log scores, averaged over the frames. */
export interface Second {
  readonly character: string;
  /** Log ratio of the chosen character over this one. */
  readonly loss: number;
  /** Log ratio over the third choice: small if only noise is left. */
  readonly lead: number;
}

/** Returns null for readings without a zone's shape or with a low score. */
export function takeFrame(reading: ZoneReading): Frame | null {
  const lines = reading.lines.length;
  const width = reading.lines[0]?.text.length ?? 0;
  if (!((lines === 3 && width === 30) || (lines === 2 && (width === 36 || width === 44)))) return null;
  if (reading.lines.some(({ scores }) => scores.length !== width * KINDS)) return null;
  const logs = new Float32Array(lines * width * KINDS);
  const traces = new Float32Array(logs.length);
  const best = new Uint8Array(lines * width);
  const bestScores = new Float32Array(lines * width);
  let sum = 0;
  for (let position = 0; position < best.length; position += 1) {
    const { scores } = reading.lines[Math.floor(position / width)]!;
    const from = (position % width) * KINDS;
    for (let kind = 0; kind < KINDS; kind += 1) {
      // Treats NaN as the minimum.
      const score = scores[from + kind]! > LEAST ? Math.min(1, scores[from + kind]!) : LEAST;
      logs[position * KINDS + kind] = Math.log(score);
      traces[position * KINDS + kind] = score > LEAST ? Math.log(score) : Math.log(limitTrace(scores[from + kind]!));
      if (score > bestScores[position]!) {
        bestScores[position] = score;
        best[position] = kind;
      }
    }
    sum += bestScores[position]!;
  }
  return sum / best.length < MIN_MEAN_SCORE ? null : { lines, width, logs, traces, best, bestScores };
}

/** Treats NaN as the minimum. */
function limitTrace(score: number): number {
  return score > FAINTEST ? score : FAINTEST;
}

export function addFrame(pile: Pile, frame: Frame): void {
  pile.push(frame);
  if (pile.length > MAX_FRAMES) pile.shift();
}

/** Returns whether a frame may belong to the pile's document. */
export function fits(pile: Pile, frame: Frame): boolean {
  const [first] = pile;
  if (!first) return true;
  if (first.lines !== frame.lines || first.width !== frame.width) return false;
  const sums = sumUp(pile);
  let differences = 0;
  for (let at = 0; at < frame.best.length; at += 1) {
    if (frame.bestScores[at]! < SURE_SCORE) continue;
    const best = findBest(sums, at, EVERY_KIND);
    if (best === frame.best[at] || computeMargin(sums, at, best, EVERY_KIND) < SURE_MARGIN) continue;
    differences += 1;
  }
  return differences < MIN_DIFFERENCES;
}

/** Multiplies the frames' scores over the characters allowed by the grammar. */
export function decide(pile: Pile, grammar: Grammar) {
  const sums = sumUp(pile);
  const margins = new Float64Array(grammar.length);
  const agreeing = new Uint8Array(grammar.length);
  let text = '';
  for (let at = 0; at < grammar.length; at += 1) {
    const kinds = listKinds(grammar[at]!);
    const best = findBest(sums, at, kinds);
    margins[at] = computeMargin(sums, at, best, kinds);
    for (const { logs } of pile) if (findBest(logs, at, kinds) === best) agreeing[at]! += 1;
    text += ZONE_CHARACTERS[best];
  }
  function computeLoss(position: number, character: string): number {
    const from = position * KINDS;
    return sums[from + ZONE_CHARACTERS.indexOf(text[position]!)]! - sums[from + ZONE_CHARACTERS.indexOf(character)]!;
  }
  function findSecond(position: number): Second | null {
    const chosen = ZONE_CHARACTERS.indexOf(text[position]!);
    const ranked = [...listKinds(grammar[position]!)]
      .filter((kind) => kind !== chosen)
      .map((kind) => ({ kind, trace: meanTrace(pile, position, kind) }))
      .sort((a, b) => b.trace - a.trace);
    const [second, third] = ranked;
    if (!second) return null;
    return {
      character: ZONE_CHARACTERS[second.kind]!,
      loss: meanTrace(pile, position, chosen) - second.trace,
      lead: third ? second.trace - third.trace : Number.POSITIVE_INFINITY,
    };
  }
  return {
    text,
    /** Log ratio of the chosen character over the next, by position. */
    margins,
    agreeing,
    /** Log ratio of the chosen character over the given one. */
    computeLoss,
    findSecond,
  };
}

function meanTrace(pile: Pile, position: number, kind: number): number {
  return pile.reduce((sum, { traces }) => sum + traces[position * KINDS + kind]!, 0) / pile.length;
}

function sumUp(pile: Pile): Float64Array {
  const weight = Math.min(pile.length, MOST_WEIGHT) / pile.length;
  const sums = new Float64Array(pile[0]!.logs.length);
  for (const { logs } of pile) for (let at = 0; at < sums.length; at += 1) sums[at]! += logs[at]! * weight;
  return sums;
}

function findBest(sums: Float64Array | Float32Array, position: number, kinds: Uint8Array): number {
  const from = position * KINDS;
  let best = kinds[0]!;
  for (let at = 1; at < kinds.length; at += 1) if (sums[from + kinds[at]!]! > sums[from + best]!) best = kinds[at]!;
  return best;
}

/** Infinite if no other character is allowed. */
function computeMargin(sums: Float64Array, position: number, best: number, kinds: Uint8Array): number {
  const from = position * KINDS;
  let next = Number.NEGATIVE_INFINITY;
  for (let at = 0; at < kinds.length; at += 1) {
    if (kinds[at] !== best) next = Math.max(next, sums[from + kinds[at]!]!);
  }
  return sums[from + best]! - next;
}

function listKinds(characters: string): Uint8Array {
  const known = kindsByCharacters.get(characters);
  if (known) return known;
  const made = Uint8Array.from(characters, (character) => ZONE_CHARACTERS.indexOf(character));
  kindsByCharacters.set(characters, made);
  return made;
}
