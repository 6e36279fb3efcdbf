// Reads candidate lines together: determines their length and orientation, and a missing line.
import type { GrayImage } from '../image/gray.ts';
import type { Point } from '../image/homography.ts';
import { ZONE_CHARACTERS } from '../mrz/grammar.ts';
import { LINE_HEIGHT, LINE_WIDTH } from './alphabet.ts';
import { cutBand } from './cut-band.ts';
import type { FoundLine } from './find-lines.ts';
import { type Band, measureBands } from './measure-bands.ts';
import { guessLength, type LineReading, type Recognize, readLine } from './read-line.ts';

/** Share of its length by which a short line is extended to its neighbors' ends. */
const MOST_ADDED = 0.4;

function alignEnds(lines: readonly FoundLine[]): FoundLine[] {
  const longest = lines.reduce((a, b) => (measureSpan(b) > measureSpan(a) ? b : a));
  const length = measureSpan(longest);
  const along = { x: (longest.to.x - longest.from.x) / length, y: (longest.to.y - longest.from.y) / length };
  const place = (point: Point) => point.x * along.x + point.y * along.y;
  const begin = Math.min(...lines.map((line) => place(line.from)));
  const end = Math.max(...lines.map((line) => place(line.to)));
  return lines.map((line) => {
    const own = measureSpan(line);
    const before = Math.min(place(line.from) - begin, own * MOST_ADDED) / own;
    const after = Math.min(end - place(line.to), own * MOST_ADDED) / own;
    return { from: between(line, -before), to: between(line, 1 + after), height: line.height };
  });
}

/** Returns the line that follows `second` at its distance from `first`. */
function continueBands(first: Band, second: Band): Band {
  const beyond = (a: Point, b: Point) => ({ x: b.x * 2 - a.x, y: b.y * 2 - a.y });
  return { ...second, from: beyond(first.from, second.from), to: beyond(first.to, second.to) };
}

/** Returns the same zone for an upside-down picture. */
function turnAround(bands: readonly Band[]): Band[] {
  return bands
    .map(({ from, to, heightFrom, heightTo }) => ({ from: to, to: from, heightFrom: heightTo, heightTo: heightFrom }))
    .reverse();
}

function measureSpan(line: FoundLine): number {
  return Math.hypot(line.to.x - line.from.x, line.to.y - line.from.y);
}

function between(line: FoundLine, share: number): Point {
  return {
    x: line.from.x + (line.to.x - line.from.x) * share,
    y: line.from.y + (line.to.y - line.from.y) * share,
  };
}

export type GroupReader = ReturnType<typeof createGroupReader>;

/** Lines from top to bottom: 3 of 30 characters, 2 of 36 or 2 of 44. */
export interface ZoneReading {
  readonly lines: readonly LineReading[];
}

export interface GroupReading {
  readonly reading: ZoneReading;
  readonly score: number;
  /** Whether the document is upside down. */
  readonly isUpsideDown: boolean;
}

type Length = 30 | 36 | 44;

/** Minimum mean score, including a bonus for fillers. Measured on specimens. */
const LEAST_SCORE = 0.55;
const CERTAIN_SCORE = 0.85;
/** Bonus for more fillers than fives, if the orientation is unclear. */
const FILLERS = 0.2;
/** Every zone has at least two, between the names. */
const LEAST_FILLERS = 2;
/** Minimum letters of a line: a name has at least one, and another may be misread. */
const LEAST_LETTERS = 2;
const SHAPE = [1, 1, LINE_HEIGHT, LINE_WIDTH] as const;

interface Recognized {
  readonly line: GrayImage;
  readonly logits: Float32Array;
}

export function isCertain(score: number): boolean {
  return score >= CERTAIN_SCORE;
}

export function createGroupReader(recognize: Recognize, mostLines: number) {
  const values = new Float32Array(LINE_HEIGHT * LINE_WIDTH);
  let left = mostLines;

  async function look(image: GrayImage, band: Band): Promise<Recognized | null> {
    if (left <= 0) return null;
    const line = cutBand(image, band);
    if (line === null) return null;
    left -= 1;
    for (let i = 0; i < values.length; i += 1) values[i] = line.data[i]! / 255;
    return { line, logits: await recognize(values, SHAPE) };
  }

  async function lookAtAll(image: GrayImage, bands: readonly Band[]): Promise<(Recognized | null)[]> {
    const seen: (Recognized | null)[] = [];
    for (const band of bands) seen.push(await look(image, band));
    return seen;
  }

  /** Two lines of 30 belong to three; the third is above or below. */
  async function readTwoOfThree(image: GrayImage, bands: readonly Band[], seen: readonly (Recognized | null)[]) {
    const [upper, lower] = bands as [Band, Band];
    const below = readAs([...seen, await look(image, continueBands(upper, lower))], 30);
    const above = readAs([await look(image, continueBands(lower, upper)), ...seen], 30);
    return better(below, above);
  }

  /** Uses the length of the first line, and of other lines only if that is not convincing. */
  async function readOneWay(image: GrayImage, bands: readonly Band[], first: Sighting) {
    const seen = [first.seen, ...(await lookAtAll(image, bands.slice(1)))];
    const tried = new Set<Length>();
    let best: Scored | null = null;
    for (let i = 0; i < seen.length && (best === null || !isCertain(best.score)); i += 1) {
      const length = i === 0 ? first.length : seen[i] ? guessLength(seen[i]!.logits) : null;
      if (length === null || tried.has(length)) continue;
      tried.add(length);
      if (length !== 30) {
        for (let k = 0; k + 1 < seen.length; k += 1) best = better(best, readAs(seen.slice(k, k + 2), length));
      } else {
        best = better(best, seen.length === 3 ? readAs(seen, 30) : await readTwoOfThree(image, bands, seen));
      }
    }
    return best;
  }

  return {
    /** Whether the limit of recognized lines for this picture is reached. */
    isSpent: (): boolean => left <= 0,
    /** Returns null if no interpretation is plausible or the picture's limit is reached. */
    async read(image: GrayImage, group: readonly FoundLine[]): Promise<GroupReading | null> {
      // Measuring costs more than recognizing a line, so skip it if no line may be recognized.
      if (left <= 0) return null;
      const bands = measureBands(image, alignEnds(group)).filter((band) => band !== null);
      if (bands.length < 2) return null;
      const turned = turnAround(bands);
      // One line decides the orientation, which saves recognizing all of them twice. Upside-down
      // fillers look like a confident 5, so more fillers than fives mean upright.
      const upright = sight(await look(image, bands[0]!));
      if (isCertain(upright.score) && upright.hasFillers)
        return directed(await readOneWay(image, bands, upright), false);
      const upside = sight(await look(image, turned[0]!));
      const flip = upside.score + FILLERS * +upside.hasFillers > upright.score + FILLERS * +upright.hasFillers;
      return directed(await (flip ? readOneWay(image, turned, upside) : readOneWay(image, bands, upright)), flip);
    },
  };
}

interface Scored {
  reading: ZoneReading;
  score: number;
}

function directed(scored: Scored | null, isUpsideDown: boolean): GroupReading | null {
  return scored && { ...scored, isUpsideDown };
}

function better(a: Scored | null, b: Scored | null): Scored | null {
  if (a === null || b === null) return a ?? b;
  return b.score > a.score ? b : a;
}

function readAs(seen: readonly (Recognized | null)[], length: Length): Scored | null {
  const lines: LineReading[] = [];
  let score = 0;
  for (const recognized of seen) {
    const reading = recognized === null ? null : readLine(recognized.line, length, recognized.logits);
    // Only fillers means paper, or the document's edge.
    if (reading === null || countCharacter(reading.text, '<') > length - LEAST_LETTERS) return null;
    lines.push(reading);
    score += meanScore(reading) / seen.length;
  }
  const fillers = lines.reduce((sum, { text }) => sum + countCharacter(text, '<'), 0);
  if (fillers < LEAST_FILLERS || score < LEAST_SCORE) return null;
  return { reading: { lines }, score: score + Math.min(fillers, 10) * 0.005 };
}

interface Sighting {
  readonly seen: Recognized | null;
  readonly length: Length | null;
  readonly score: number;
  readonly hasFillers: boolean;
}

/** Returns the recognizer's confidence in a line, with its guessed length. */
function sight(seen: Recognized | null): Sighting {
  const length = seen === null ? null : guessLength(seen.logits);
  const reading = seen === null || length === null ? null : readLine(seen.line, length, seen.logits);
  if (reading === null) return { seen, length, score: 0, hasFillers: false };
  return {
    seen,
    length,
    score: meanScore(reading),
    hasFillers: countCharacter(reading.text, '<') > 1 + countCharacter(reading.text, '5'),
  };
}

function countCharacter(text: string, character: string): number {
  return text.split(character).length - 1;
}

function meanScore({ text, scores }: LineReading): number {
  let sum = 0;
  for (let i = 0; i < text.length; i += 1) {
    const character = ZONE_CHARACTERS.indexOf(text[i]!);
    sum += character < 0 ? 0 : scores[i * ZONE_CHARACTERS.length + character]!;
  }
  return sum / text.length;
}
