// Where the lines of a zone must be by where its other lines are: all begin and end together and are evenly apart.
import type { Point } from '../image/homography.ts';
import type { FoundLine } from './find-lines.ts';
import type { Band } from './measure-bands.ts';

/** A line that ends early is looked at as far as its neighbours reach, but by no more than this share of its length. */
const MOST_ADDED = 0.4;

export function alignEnds(lines: readonly FoundLine[]): FoundLine[] {
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
export function continueBands(first: Band, second: Band): Band {
  const beyond = (a: Point, b: Point) => ({ x: b.x * 2 - a.x, y: b.y * 2 - a.y });
  return { ...second, from: beyond(first.from, second.from), to: beyond(first.to, second.to) };
}

/** The same zone seen with the picture upside down. */
export function turnAround(bands: readonly Band[]): Band[] {
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
