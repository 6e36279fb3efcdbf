// Finds candidate lines of a machine-readable zone.
import { type Component, findComponents } from '../image/components.ts';
import { type GrayImage, makeGray } from '../image/gray.ts';
import type { Point } from '../image/homography.ts';
import { blackhat, close, open } from '../image/morphology.ts';
import { shrinkToWidth } from '../image/resize.ts';
import { countLevels, findThreshold } from '../image/threshold.ts';
import { joinPieces, type LineShape, measureLength } from './line-shapes.ts';

/** From top to bottom. */
type LineGroup = readonly LineShape[];

/** Distance of neighboring lines in line heights. About 2.6 in print; blur increases the height. */
const CLOSEST = 1.2;
const FARTHEST = 4.5;
/** Sine of the maximum angle between two lines under perspective. */
const LEAST_PARALLEL = 0.09;
const MAX_LINES = 24;

/** Groups lines, likeliest first. */
function groupLines(shapes: readonly LineShape[]): LineGroup[] {
  const lines = shapes.toSorted((a, b) => measureLength(b) - measureLength(a)).slice(0, MAX_LINES);
  lines.sort((a, b) => getMiddle(a) - getMiddle(b));
  const groups: { lines: LineGroup; score: number }[] = [];
  for (let i = 0; i < lines.length; i += 1) {
    for (let j = i + 1; j < lines.length; j += 1) {
      const upper = matchPair(lines[i]!, lines[j]!);
      if (upper === null) continue;
      const pair = [lines[i]!, lines[j]!];
      groups.push({ lines: pair, score: upper.likeness * measureLength(pair[0]!) });
      for (let k = j + 1; k < lines.length; k += 1) {
        const lower = matchPair(lines[j]!, lines[k]!);
        if (lower === null) continue;
        const evenness = Math.min(upper.distance, lower.distance) / Math.max(upper.distance, lower.distance);
        if (evenness < 0.7) continue;
        // Three matching lines are rarer than two, so they come first. Reading falls back to two.
        const score = 1.3 * evenness * Math.min(upper.likeness, lower.likeness) * measureLength(lines[j]!);
        groups.push({ lines: [...pair, lines[k]!], score });
      }
    }
  }
  return groups.sort((a, b) => b.score - a.score).map((group) => group.lines);
}

function getMiddle(shape: LineShape): number {
  return shape.at + (shape.slope * (shape.left + shape.right)) / 2;
}

function matchPair(upper: LineShape, lower: LineShape): { distance: number; likeness: number } | null {
  if (Math.abs(upper.slope - lower.slope) > LEAST_PARALLEL) return null;
  const ratio =
    Math.min(measureLength(upper), measureLength(lower)) / Math.max(measureLength(upper), measureLength(lower));
  if (ratio < 0.7) return null;
  const tall = Math.max(upper.height, lower.height);
  if (tall > Math.min(upper.height, lower.height) * 1.8) return null;
  const x = (upper.left + upper.right + lower.left + lower.right) / 4;
  const apart = (lower.at + lower.slope * x - upper.at - upper.slope * x) / Math.hypot(1, upper.slope);
  const height = (upper.height + lower.height) / 2;
  if (apart < height * CLOSEST || apart > height * FARTHEST) return null;
  // Ends of the lower line if the lines were directly below each other.
  const shift = apart * upper.slope;
  const offset = Math.abs(lower.left - (upper.left - shift)) + Math.abs(lower.right - (upper.right - shift));
  const aligned = 1 - offset / (measureLength(upper) + measureLength(lower));
  if (aligned < 0.75) return null;
  return { distance: apart, likeness: ratio * aligned };
}

/** A line of text in pixels: ends of its middle, and approximate height of its capitals. */
export interface FoundLine {
  readonly from: Point;
  readonly to: Point;
  readonly height: number;
}

const BANDS_WIDTH = 320;
const MAX_GROUPS = 6;
/** Minimum share of the picture's width, and minimum line heights. */
const LEAST_LENGTH = 0.25;
const LEAST_ASPECT = 8;
/** In heights: two or three lost fillers; in a second attempt ten, lost to a reflection. */
const GAPS = [4, 14];

/**
 * Finds groups of two or three lines from top to bottom, likeliest first; a line may be in several.
 * Smaller widths are faster but need larger documents: 640 px for a document that fills the frame,
 * 960 px for half of it.
 */
export function findLines(image: GrayImage, width: number): FoundLine[][] {
  const small = shrinkToWidth(image, width);
  const scale = image.width / small.width;
  const narrower = Math.max(1, Math.round(small.width / BANDS_WIDTH));
  const bands = bandsOfText(small, narrower);
  const threshold = Math.max(findThreshold(countLevels(bands)), 4);
  // Minimum length, in any number of pieces.
  const pieces = findComponents(bands, threshold, 30).map((piece) => widen(piece, narrower));
  pieces.sort((a, b) => b.area - a.area);
  for (const gap of GAPS) {
    const long = joinPieces(pieces.slice(0, 150), gap).filter(
      (shape) =>
        measureLength(shape) >= small.width * LEAST_LENGTH && measureLength(shape) >= shape.height * LEAST_ASPECT,
    );
    const groups = groupLines(long).slice(0, MAX_GROUPS);
    if (groups.length === 0) continue;
    const lines = new Map(long.map((shape) => [shape, enlarge(shape, scale)]));
    return groups.map((group) => group.map((shape) => lines.get(shape)!));
  }
  return [];
}

/** Joins small dark strokes along x, which also removes the edges of a card. */
function bandsOfText(small: GrayImage, narrower: number): GrayImage {
  const strokes = narrow(blackhat(small, 11, 1), narrower);
  return open(close(strokes, 9, 3), 9, 3);
}

/** Takes the maximum of neighbors, because runs of strokes need no finer picture. */
function narrow(image: GrayImage, times: number): GrayImage {
  const out = makeGray(Math.floor(image.width / times), image.height);
  for (let y = 0, i = 0; y < image.height; y += 1) {
    for (let x = 0, from = y * image.width; x < out.width; x += 1, i += 1) {
      let most = 0;
      for (const end = from + times; from < end; from += 1) if (image.data[from]! > most) most = image.data[from]!;
      out.data[i] = most;
    }
  }
  return out;
}

function widen(narrowed: Component, times: number): Component {
  const runs = narrowed.runs.slice();
  for (let i = 0; i < runs.length; i += 3) {
    runs[i + 1] = runs[i + 1]! * times;
    runs[i + 2] = runs[i + 2]! * times + times - 1;
  }
  const { left, right, area } = narrowed;
  return { ...narrowed, left: left * times, right: right * times + times - 1, area: area * times, runs };
}

function enlarge(shape: LineShape, scale: number): FoundLine {
  const point = (x: number) => ({ x: x * scale, y: (shape.at + shape.slope * x) * scale });
  return { from: point(shape.left), to: point(shape.right + 1), height: shape.height * scale };
}
