// Measures zone lines in the full picture: their exact course and the character height at both
// ends.

import { boxBlur } from '../image/blur.ts';
import type { GrayImage } from '../image/gray.ts';
import type { Point, Quad } from '../image/homography.ts';
import { close } from '../image/morphology.ts';
import { halve } from '../image/resize.ts';
import { cutQuad } from '../image/warp.ts';
import type { FoundLine } from './find-lines.ts';

/** Middle of a line of text, and the height of its digits at both ends. */
export interface Band {
  readonly from: Point;
  readonly to: Point;
  readonly heightFrom: number;
  readonly heightTo: number;
}

const PROBE_WIDTH = 512;
const PROBE_HEIGHT = 48;
/** Half height of the probe in line heights, which excludes neighboring lines. */
const PROBE_REACH = 1.5;
const SEGMENTS = 8;

/** A piece of a line: position from 0 to 1, row of its middle in the probe, and height. */
interface Piece {
  readonly x: number;
  readonly middle: number;
  readonly height: number;
}

/**
 * Fillers are lower than digits, so digits on the left and fillers on the right look like
 * perspective. The distance between lines gives the true perspective, and the higher pieces give
 * the height.
 */
export function measureBands(image: GrayImage, lines: readonly FoundLine[]): (Band | null)[] {
  const measured = lines.map((line) => measureLine(image, line));
  const known = measured.filter((line) => line !== null);
  if (known.length === 0) return measured.map(() => null);
  const growth = known.length > 1 ? measureGrowth(known[0]!, known.at(-1)!) : 1;
  const scaleAt = (x: number) => (2 * (1 + (growth - 1) * x)) / (1 + growth);
  const heights = known.flatMap(({ pieces }) => pieces.map(({ x, height }) => height / scaleAt(x)));
  heights.sort((a, b) => a - b);
  const seen = heights[Math.floor(heights.length * 0.8)]!;
  const length = known.reduce((sum, { from, to }) => sum + Math.hypot(to.x - from.x, to.y - from.y), 0) / known.length;
  const height = settleHeight(seen, length);
  return measured.map((line) =>
    line === null
      ? null
      : { from: line.from, to: line.to, heightFrom: height * scaleAt(0), heightTo: height * scaleAt(1) },
  );
}

const LENGTHS = [30, 36, 44];
/** Approximate ratio of digit height and pitch in print. */
const HEIGHT_BY_PITCH = 1.02;

/**
 * Blur increases the apparent height and tilt decreases it, and a 0 differs from an O by height.
 * The line's length is independent of blur: if it matches a zone length, use a value between both
 * estimates.
 */
function settleHeight(seen: number, length: number): number {
  let best = seen;
  let least = 0.1;
  for (const characters of LENGTHS) {
    const expected = (length / (characters - 0.3)) * HEIGHT_BY_PITCH;
    const off = Math.abs(Math.log(seen / expected));
    if (off < least) [best, least] = [Math.sqrt(seen * expected), off];
  }
  return best;
}

interface Measured {
  readonly from: Point;
  readonly to: Point;
  /** Heights in pixels of the picture. */
  readonly pieces: readonly Piece[];
}

/** Returns the right end's scale relative to the left, by the distance of two lines. */
function measureGrowth(upper: Measured, lower: Measured): number {
  const growth = distanceTo(lower, upper.to) / Math.max(1, distanceTo(lower, upper.from));
  return Math.min(1.7, Math.max(0.6, growth));
}

function distanceTo({ from, to }: Measured, point: Point): number {
  const [x, y] = [to.x - from.x, to.y - from.y];
  return Math.abs((point.x - from.x) * y - (point.y - from.y) * x) / Math.hypot(x, y);
}

function measureLine(image: GrayImage, { from, to, height }: FoundLine): Measured | null {
  const length = Math.hypot(to.x - from.x, to.y - from.y);
  if (length < 30 || height < 3) return null;
  const reach = height * PROBE_REACH;
  const up = { x: ((to.y - from.y) / length) * reach, y: (-(to.x - from.x) / length) * reach };
  const around: Quad = [
    { x: from.x + up.x, y: from.y + up.y },
    { x: to.x + up.x, y: to.y + up.y },
    { x: to.x - up.x, y: to.y - up.y },
    { x: from.x - up.x, y: from.y - up.y },
  ];
  const probe = cutQuad(image, around, PROBE_WIDTH, PROBE_HEIGHT);
  if (probe === null) return null;
  const pieces = measurePieces(probe);
  const middle = fitMiddle(pieces);
  if (middle === null) return null;
  const place = (end: Point, row: number): Point => {
    const share = 1 - (2 * row) / PROBE_HEIGHT;
    return { x: end.x + up.x * share, y: end.y + up.y * share };
  };
  const row = (2 * reach) / PROBE_HEIGHT;
  return {
    from: place(from, middle.at),
    to: place(to, middle.at + middle.slope),
    pieces: pieces.map((piece) => ({ ...piece, height: piece.height * row })),
  };
}

function measurePieces(probe: GrayImage): Piece[] {
  const paper = estimatePaper(probe);
  const pieces: Piece[] = [];
  const rows = new Float64Array(PROBE_HEIGHT);
  for (let segment = 0; segment < SEGMENTS; segment += 1) {
    const left = Math.round((segment * PROBE_WIDTH) / SEGMENTS);
    const right = Math.round(((segment + 1) * PROBE_WIDTH) / SEGMENTS);
    for (let y = 0; y < PROBE_HEIGHT; y += 1) {
      let ink = 0;
      const row = (y >> 1) * paper.width;
      for (let x = left; x < right; x += 1) ink += paper.data[row + (x >> 1)]! - probe.data[y * PROBE_WIDTH + x]!;
      rows[y] = ink;
    }
    const band = findBand(rows);
    if (band === null) continue;
    const { top, bottom } = band;
    pieces.push({ x: (segment + 0.5) / SEGMENTS, middle: (top + bottom) / 2, height: bottom - top });
  }
  return pieces;
}

/** Finds the rows around the middle of the ink with clearly more of it than between lines. */
function findBand(rows: Float64Array): { top: number; bottom: number } | null {
  let [most, least] = [0, Number.POSITIVE_INFINITY];
  for (let y = 0; y < rows.length; y += 1) {
    least = Math.min(least, rows[y]!);
    // The line is in the middle, and its neighbors at the border.
    if (y > rows.length * 0.25 && y < rows.length * 0.75) most = Math.max(most, rows[y]!);
  }
  const limit = least + (most - least) * 0.35;
  const start = rows.length >> 1;
  let [top, bottom] = [start, start];
  // Two rows may be empty between a character's bars.
  const inked = (y: number, step: number) =>
    rows[y]! > limit || (rows[y + step] ?? 0) > limit || (rows[y + 2 * step] ?? 0) > limit;
  while (top > 0 && inked(top - 1, -1)) top -= 1;
  while (bottom < rows.length - 1 && inked(bottom + 1, 1)) bottom += 1;
  if (bottom - top < rows.length / 8 || top === 0 || bottom === rows.length - 1) return null;
  // The edge is where the ink crosses the limit.
  const cross = (inside: number, outside: number) => {
    const [a, b] = [rows[inside]!, rows[outside]!];
    return a === b ? 0 : Math.min(1, Math.max(0, (a - limit) / (a - b)));
  };
  return { top: top + 0.5 - cross(top, top - 1), bottom: bottom + 0.5 + cross(bottom, bottom + 1) };
}

/** Fits a line to most middles: the pair with the least median distance, refined. */
function fitMiddle(pieces: readonly Piece[]): { at: number; slope: number } | null {
  if (pieces.length < 3) return null;
  let best = { at: 0, slope: 0, off: Number.POSITIVE_INFINITY };
  for (let i = 0; i < pieces.length; i += 1) {
    for (let j = i + 1; j < pieces.length; j += 1) {
      const slope = (pieces[j]!.middle - pieces[i]!.middle) / (pieces[j]!.x - pieces[i]!.x);
      const at = pieces[i]!.middle - slope * pieces[i]!.x;
      const off = pieces.map(({ x, middle }) => Math.abs(middle - at - slope * x)).sort((a, b) => a - b);
      const median = off[off.length >> 1]!;
      if (median < best.off) best = { at, slope, off: median };
    }
  }
  const near = pieces.filter(
    ({ x, middle }) => Math.abs(middle - best.at - best.slope * x) <= Math.max(1, best.off * 2),
  );
  const meanX = near.reduce((sum, { x }) => sum + x, 0) / near.length;
  const meanY = near.reduce((sum, { middle }) => sum + middle, 0) / near.length;
  let [along, spread] = [0, 0];
  for (const { x, middle } of near) {
    along += (x - meanX) * (middle - meanY);
    spread += (x - meanX) ** 2;
  }
  if (spread < 0.05) return best;
  return { slope: along / spread, at: meanY - (along / spread) * meanX };
}

/** Estimates at half resolution. The window fits a character but not a shadow. */
export function estimatePaper(strip: GrayImage): GrayImage {
  return boxBlur(close(halve(strip), 13, 13), 4);
}
