// Reads lines that could be a zone together: which length they have, which way up they are, whether one is missing.
import type { GrayImage } from '../image/gray.ts';
import type { Point } from '../image/homography.ts';
import { ZONE_CHARACTERS } from '../mrz/grammar.ts';
import { LINE_HEIGHT, LINE_WIDTH } from './alphabet.ts';
import { cutBand } from './cut-band.ts';
import type { FoundLine } from './find-lines.ts';
import { type Band, measureBands } from './measure-bands.ts';
import { guessLength, type LineReading, type Recognise, readLine } from './read-line.ts';

/** A line that ends early is looked at as far as its neighbours reach, but by no more than this share of its length. */
const MOST_ADDED = 0.4;

function alignEnds(lines: readonly FoundLine[]): FoundLine[] {
  const longest = lines.reduce((a, b) => (spanOf(b) > spanOf(a) ? b : a));
  const length = spanOf(longest);
  const along = { x: (longest.to.x - longest.from.x) / length, y: (longest.to.y - longest.from.y) / length };
  const place = (point: Point) => point.x * along.x + point.y * along.y;
  const begin = Math.min(...lines.map((line) => place(line.from)));
  const end = Math.max(...lines.map((line) => place(line.to)));
  return lines.map((line) => {
    const own = spanOf(line);
    const before = Math.min(place(line.from) - begin, own * MOST_ADDED) / own;
    const after = Math.min(end - place(line.to), own * MOST_ADDED) / own;
    return { from: between(line, -before), to: between(line, 1 + after), height: line.height };
  });
}

/** The line that would follow after `second` at the distance that it has from `first`. */
function continueBands(first: Band, second: Band): Band {
  const beyond = (a: Point, b: Point) => ({ x: b.x * 2 - a.x, y: b.y * 2 - a.y });
  return { ...second, from: beyond(first.from, second.from), to: beyond(first.to, second.to) };
}

/** The same zone seen with the picture upside down. */
function turnAround(bands: readonly Band[]): Band[] {
  return bands
    .map(({ from, to, heightFrom, heightTo }) => ({ from: to, to: from, heightFrom: heightTo, heightTo: heightFrom }))
    .reverse();
}

function spanOf(line: FoundLine): number {
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
  /** The lines run the other way than they were found: the document is upside down. */
  readonly isUpsideDown: boolean;
}

type Length = 30 | 36 | 44;

/** Mean probability of the characters read; a bonus for fillers is in the score. Measured on drawn specimens. */
const LEAST_SCORE = 0.55;
const CERTAIN_SCORE = 0.85;
/** What more fillers than fives are worth where it is doubtful which way up a line is. */
const FILLERS = 0.2;
/** No zone has fewer: there are two between the names. */
const LEAST_FILLERS = 2;
/** Of any line: the shortest name has one letter, and one more may be misread. */
const LEAST_LETTERS = 2;
const SHAPE = [1, 1, LINE_HEIGHT, LINE_WIDTH] as const;

interface Recognised {
  readonly line: GrayImage;
  readonly logits: Float32Array;
}

export function isCertain(score: number): boolean {
  return score >= CERTAIN_SCORE;
}

export function createGroupReader(recognise: Recognise, mostLines: number) {
  const values = new Float32Array(LINE_HEIGHT * LINE_WIDTH);
  let left = mostLines;

  async function look(image: GrayImage, band: Band): Promise<Recognised | null> {
    if (left <= 0) return null;
    const line = cutBand(image, band);
    if (line === null) return null;
    left -= 1;
    for (let i = 0; i < values.length; i += 1) values[i] = line.data[i]! / 255;
    return { line, logits: await recognise(values, SHAPE) };
  }

  async function lookAtAll(image: GrayImage, bands: readonly Band[]): Promise<(Recognised | null)[]> {
    const seen: (Recognised | null)[] = [];
    for (const band of bands) seen.push(await look(image, band));
    return seen;
  }

  /** Two lines of 30 are two of three: the third is above or below. */
  async function readTwoOfThree(image: GrayImage, bands: readonly Band[], seen: readonly (Recognised | null)[]) {
    const [upper, lower] = bands as [Band, Band];
    const below = readAs([...seen, await look(image, continueBands(upper, lower))], 30);
    const above = readAs([await look(image, continueBands(lower, upper)), ...seen], 30);
    return better(below, above);
  }

  /** As the first line seems to be, and only if that is not convincing as another line seems to be. */
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
    /** Nothing more will be recognised in this picture. */
    isSpent: (): boolean => left <= 0,
    /** Null where no way to read the lines is plausible, or the work that one picture may take is used up. */
    async read(image: GrayImage, group: readonly FoundLine[]): Promise<GroupReading | null> {
      // Measuring costs more than looking at a line, and would be in vain.
      if (left <= 0) return null;
      const bands = measureBands(image, alignEnds(group)).filter((band) => band !== null);
      if (bands.length < 2) return null;
      const turned = turnAround(bands);
      // One line says which way up it is: that spares recognising all of them twice. Fillers upside down look like a 5,
      // and the recogniser is sure of it: where it has seen more fillers than fives they are the right way up.
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

function readAs(seen: readonly (Recognised | null)[], length: Length): Scored | null {
  const lines: LineReading[] = [];
  let score = 0;
  for (const one of seen) {
    const reading = one === null ? null : readLine(one.line, length, one.logits);
    // What is all fillers is paper, or the document's edge.
    if (reading === null || countOf(reading.text, '<') > length - LEAST_LETTERS) return null;
    lines.push(reading);
    score += meanScore(reading) / seen.length;
  }
  const fillers = lines.reduce((sum, { text }) => sum + countOf(text, '<'), 0);
  if (fillers < LEAST_FILLERS || score < LEAST_SCORE) return null;
  return { reading: { lines }, score: score + Math.min(fillers, 10) * 0.005 };
}

interface Sighting {
  readonly seen: Recognised | null;
  readonly length: Length | null;
  readonly score: number;
  readonly hasFillers: boolean;
}

/** How sure the recogniser is of a single line, by the length that it guesses. */
function sight(seen: Recognised | null): Sighting {
  const length = seen === null ? null : guessLength(seen.logits);
  const reading = seen === null || length === null ? null : readLine(seen.line, length, seen.logits);
  if (reading === null) return { seen, length, score: 0, hasFillers: false };
  return {
    seen,
    length,
    score: meanScore(reading),
    hasFillers: countOf(reading.text, '<') > 1 + countOf(reading.text, '5'),
  };
}

function countOf(text: string, character: string): number {
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
