// Finds the outline of a card or page: four straight edges.
import { boxBlur } from '../image/blur.ts';
import { findGradient, type Gradient } from '../image/gradient.ts';
import type { GrayImage } from '../image/gray.ts';
import { shrinkToWidth } from '../image/resize.ts';
import { type EdgeLine, findEdgeLines } from './edge-lines.ts';

export interface Corner {
  readonly x: number;
  readonly y: number;
}

export type Corners = readonly [Corner, Corner, Corner, Corner];

const SEARCH_WIDTH = 320;
/** Share of a side that an edge must cover. A hand may cover the rest. */
const LEAST_COVERED = 0.3;
const LEAST_MEAN = 0.7;
const MOST_COVERED = 0.8;
/** Share of the picture's area. Smaller cards are unreadable. */
const LEAST_AREA = 0.08;
/** Aspect ratio: 1.42 for a passport page, 1.59 for a card, modified by tilt. */
const SQUAREST = 1.2;
const LONGEST = 1.95;
/** Minimum change between neighboring pixels, times four. */
const WEAKEST = 12;
/** Shares of all pixels: strong edges first, because weak ones include shadows. */
const EDGE_SHARES = [0.12, 0.3];

/** Returns the corners clockwise from the top left, or null unless the outline is certain. */
export function findCard(image: GrayImage): Corners | null {
  const small = boxBlur(shrinkToWidth(image, SEARCH_WIDTH), 1);
  const scale = image.width / small.width;
  const gradient = findGradient(small);
  for (const share of EDGE_SHARES) {
    const corners = findSides(small, gradient, Math.max(WEAKEST, strengthOfStrongest(gradient, share)));
    if (corners !== null) return enlarge(corners, scale);
  }
  return null;
}

function enlarge([a, b, c, d]: Corners, scale: number): Corners {
  const place = ({ x, y }: Corner) => ({ x: x * scale, y: y * scale });
  return [place(a), place(b), place(c), place(d)];
}

function findSides(small: GrayImage, gradient: Gradient, weakest: number): Corners | null {
  const lying = findEdgeLines(gradient, false, weakest).sort((a, b) => heightAt(a, small) - heightAt(b, small));
  const standing = findEdgeLines(gradient, true, weakest).sort((a, b) => sideAt(a, small) - sideAt(b, small));
  let best: { corners: Corners; score: number } | null = null;
  for (const [top, bottom] of pairsOf(lying)) {
    for (const [left, right] of pairsOf(standing)) {
      const found = rateSides(top, right, bottom, left, small);
      if (found !== null && (best === null || found.score > best.score)) best = found;
    }
  }
  return best?.corners ?? null;
}

function heightAt(line: EdgeLine, { width }: GrayImage): number {
  return line.at + (line.slope * width) / 2;
}

function sideAt(line: EdgeLine, { height }: GrayImage): number {
  return line.at + (line.slope * height) / 2;
}

function* pairsOf(lines: readonly EdgeLine[]): Generator<[EdgeLine, EdgeLine]> {
  for (let i = 0; i < lines.length; i += 1) for (let j = i + 1; j < lines.length; j += 1) yield [lines[i]!, lines[j]!];
}

/** Returns the change that `share` of all pixels exceed. */
function strengthOfStrongest({ across, down }: Gradient, share: number): number {
  const counts = new Int32Array(1024);
  for (let i = 0; i < across.length; i += 1) {
    const size = Math.min(1023, Math.max(Math.abs(across[i]!), Math.abs(down[i]!)));
    counts[size] = counts[size]! + 1;
  }
  let above = 0;
  for (let size = 1023; size > 0; size -= 1) {
    above += counts[size]!;
    if (above > across.length * share) return size;
  }
  return 0;
}

function rateSides(
  top: EdgeLine,
  right: EdgeLine,
  bottom: EdgeLine,
  left: EdgeLine,
  { width, height }: GrayImage,
): { corners: Corners; score: number } | null {
  const corners: Corners = [cross(top, left), cross(top, right), cross(bottom, right), cross(bottom, left)];
  const slack = width * 0.01;
  for (const { x, y } of corners) {
    if (x < -slack || y < -slack || x > width + slack || y > height + slack) return null;
  }
  const sides = corners.map((corner, i) => distance(corner, corners[(i + 1) % 4]!)) as [number, number, number, number];
  const [across, down] = [(sides[0] + sides[2]) / 2, (sides[1] + sides[3]) / 2];
  const area = across * down;
  const aspect = Math.max(across, down) / Math.min(across, down);
  if (area < width * height * LEAST_AREA || aspect < SQUAREST || aspect > LONGEST) return null;
  // Perspective makes opposite sides differ, but not by half.
  if (ratio(sides[0], sides[2]) < 0.65 || ratio(sides[1], sides[3]) < 0.65) return null;
  const spans: [EdgeLine, number, number][] = [
    [top, corners[0].x, corners[1].x],
    [right, corners[1].y, corners[2].y],
    [bottom, corners[3].x, corners[2].x],
    [left, corners[0].y, corners[3].y],
  ];
  const covered = spans.map(([line, from, to]) => coverage(line, from, to));
  // Above this coverage, more does not matter: a card's heading may have the table's brightness.
  const mean = covered.reduce((sum, value) => sum + Math.min(1, value / MOST_COVERED), 0) / 4;
  if (Math.min(...covered) < LEAST_COVERED || mean < LEAST_MEAN) return null;
  // A side ends at its corner. A side that continues belongs to a larger object.
  const beyond = spans.map(([line, from, to]) => {
    const more = (to - from) * 0.1;
    return Math.max(coverage(line, from - more, from - 2), coverage(line, to + 2, to + more));
  });
  const whole = 1 - beyond.reduce((sum, value) => sum + value, 0) / 8;
  // All sides of a document are usually brighter than its background, or all darker, except a
  // colored heading.
  const brighter = top.brighter - bottom.brighter + left.brighter - right.brighter;
  const agreement = Math.abs(brighter) === 4 ? 1 : Math.abs(brighter) >= 2 ? 0.97 : 0.9;
  return { corners, score: mean * agreement * whole * (area / (width * height)) ** 0.7 };
}

function ratio(a: number, b: number): number {
  return Math.min(a, b) / Math.max(a, b);
}

function distance(a: Corner, b: Corner): number {
  return Math.hypot(a.x - b.x, a.y - b.y);
}

/** Intersects y = a + b x and x = c + d y. */
function cross(lying: EdgeLine, standing: EdgeLine): Corner {
  const y = (lying.at + lying.slope * standing.at) / (1 - lying.slope * standing.slope);
  return { x: standing.at + standing.slope * y, y };
}

function coverage({ support }: EdgeLine, from: number, to: number): number {
  const last = support.length - 1;
  const [begin, end] = [Math.min(last, Math.max(0, Math.round(from))), Math.min(last, Math.max(0, Math.round(to)))];
  return end <= begin ? 0 : (support[end]! - support[begin]!) / (end - begin);
}
