// Which lines of text could be a zone together: two or three, parallel, equally long, evenly apart.
import { type LineShape, lengthOf } from './line-shapes.ts';

/** From top to bottom. */
export type LineGroup = readonly LineShape[];

/** Distance of neighbouring lines in heights of a line. In print it is about 2.6; blur makes lines look higher. */
const CLOSEST = 1.2;
const FARTHEST = 4.5;
/** Sine of the angle that perspective may put between two lines. */
const LEAST_PARALLEL = 0.09;
const MAX_LINES = 24;

/** The likeliest first. */
export function groupLines(shapes: readonly LineShape[]): LineGroup[] {
  const lines = shapes.toSorted((a, b) => lengthOf(b) - lengthOf(a)).slice(0, MAX_LINES);
  lines.sort((a, b) => middleOf(a) - middleOf(b));
  const groups: { lines: LineGroup; score: number }[] = [];
  for (let i = 0; i < lines.length; i += 1) {
    for (let j = i + 1; j < lines.length; j += 1) {
      const upper = matchPair(lines[i]!, lines[j]!);
      if (upper === null) continue;
      const pair = [lines[i]!, lines[j]!];
      groups.push({ lines: pair, score: upper.likeness * lengthOf(pair[0]!) });
      for (let k = j + 1; k < lines.length; k += 1) {
        const lower = matchPair(lines[j]!, lines[k]!);
        if (lower === null) continue;
        const evenness = Math.min(upper.distance, lower.distance) / Math.max(upper.distance, lower.distance);
        if (evenness < 0.7) continue;
        // Three that fit are rarer than two: they go first, and the reading falls back to two of them.
        const score = 1.3 * evenness * Math.min(upper.likeness, lower.likeness) * lengthOf(lines[j]!);
        groups.push({ lines: [...pair, lines[k]!], score });
      }
    }
  }
  return groups.sort((a, b) => b.score - a.score).map((group) => group.lines);
}

function middleOf(shape: LineShape): number {
  return shape.at + (shape.slope * (shape.left + shape.right)) / 2;
}

function matchPair(upper: LineShape, lower: LineShape): { distance: number; likeness: number } | null {
  if (Math.abs(upper.slope - lower.slope) > LEAST_PARALLEL) return null;
  const ratio = Math.min(lengthOf(upper), lengthOf(lower)) / Math.max(lengthOf(upper), lengthOf(lower));
  if (ratio < 0.7) return null;
  const tall = Math.max(upper.height, lower.height);
  if (tall > Math.min(upper.height, lower.height) * 1.8) return null;
  const x = (upper.left + upper.right + lower.left + lower.right) / 4;
  const apart = (lower.at + lower.slope * x - upper.at - upper.slope * x) / Math.hypot(1, upper.slope);
  const height = (upper.height + lower.height) / 2;
  if (apart < height * CLOSEST || apart > height * FARTHEST) return null;
  // Where the lower line would begin and end if the lines stood straight below each other.
  const shift = apart * upper.slope;
  const offset = Math.abs(lower.left - (upper.left - shift)) + Math.abs(lower.right - (upper.right - shift));
  const aligned = 1 - offset / (lengthOf(upper) + lengthOf(lower));
  if (aligned < 0.75) return null;
  return { distance: apart, likeness: ratio * aligned };
}
