// Long thin regions as straight lines of text: course, height, and which belong together.
import type { Component } from '../image/components.ts';

/** For lines flatter than 45°, in pixels of the searched picture. */
export interface LineShape {
  readonly left: number;
  readonly right: number;
  /** The middle follows y = at + slope * x. */
  readonly at: number;
  readonly slope: number;
  readonly height: number;
  readonly component: Component;
}

const STEEPEST = Math.tan((30 * Math.PI) / 180);

export function measureShape(component: Component): LineShape | null {
  const { left, right, runs } = component;
  const columns = right - left + 1;
  const tops = new Int32Array(columns).fill(-1);
  const bottoms = new Int32Array(columns);
  for (let i = 0; i < runs.length; i += 3) {
    for (let x = runs[i + 1]! - left; x <= runs[i + 2]! - left; x += 1) {
      if (tops[x] === -1) tops[x] = runs[i]!;
      bottoms[x] = runs[i]!;
    }
  }
  const heights: number[] = [];
  for (let x = 0; x < columns; x += 1) if (tops[x] !== -1) heights.push(bottoms[x]! - tops[x]! + 1);
  heights.sort((a, b) => a - b);
  const height = heights[heights.length >> 1]!;
  const middle = (x: number) => (tops[x]! + bottoms[x]! + 1) / 2;
  // Columns with dirt or adjacent text are higher. Excluding them improves the fit.
  const usable = (x: number) => tops[x] !== -1 && bottoms[x]! - tops[x]! + 1 <= height * 1.5;
  const first = fitLine(columns, usable, middle);
  if (first === null) return null;
  const near = (x: number) => usable(x) && Math.abs(middle(x) - first.at - first.slope * x) < Math.max(1.5, height / 3);
  const { at, slope } = fitLine(columns, near, middle) ?? first;
  if (Math.abs(slope) > STEEPEST) return null;
  return { left, right, at: at - slope * left, slope, height: height / Math.hypot(1, slope), component };
}

function fitLine(
  count: number,
  usable: (x: number) => boolean,
  value: (x: number) => number,
): { at: number; slope: number } | null {
  let [n, sumX, sumY, sumXX, sumXY] = [0, 0, 0, 0, 0];
  for (let x = 0; x < count; x += 1) {
    if (!usable(x)) continue;
    const y = value(x);
    n += 1;
    sumX += x;
    sumY += y;
    sumXX += x * x;
    sumXY += x * y;
  }
  const spread = n * sumXX - sumX * sumX;
  if (spread <= 0) return null;
  const slope = (n * sumXY - sumX * sumY) / spread;
  return { at: (sumY - slope * sumX) / n, slope };
}

export function measureLength(shape: LineShape): number {
  return (shape.right - shape.left) * Math.hypot(1, shape.slope);
}

/** Joins collinear pieces, broken by glare and gaps. `longestGap`: in line heights. */
export function joinPieces(components: readonly Component[], longestGap: number): LineShape[] {
  const shapes = components.map(measureShape).filter((shape) => shape !== null);
  shapes.sort((a, b) => a.left - b.left);
  for (let i = 0; i < shapes.length; i += 1) {
    for (let j = i + 1; j < shapes.length; j += 1) {
      const joined = continues(shapes[i]!, shapes[j]!, longestGap) ? measureShape(merge(shapes[i]!, shapes[j]!)) : null;
      if (joined === null) continue;
      shapes[i] = joined;
      shapes.splice(j, 1);
      // The longer line may reach pieces that the shorter one did not.
      j = i;
    }
  }
  return shapes;
}

function continues(a: LineShape, b: LineShape, longestGap: number): boolean {
  const height = Math.max(a.height, b.height);
  const gap = b.left - a.right;
  if (gap > height * longestGap || gap < -height) return false;
  if (height > Math.min(a.height, b.height) * 1.9) return false;
  const longer = measureLength(a) > measureLength(b) ? a : b;
  const shorter = longer === a ? b : a;
  const x = (shorter.left + shorter.right) / 2;
  return Math.abs(longer.at + longer.slope * x - shorter.at - shorter.slope * x) < height * 0.6;
}

function merge(a: LineShape, b: LineShape): Component {
  const runs = new Int32Array(a.component.runs.length + b.component.runs.length);
  // In row order, as measuring expects.
  const [first, second] = [a.component.runs, b.component.runs];
  for (let i = 0, j = 0, at = 0; at < runs.length; at += 3) {
    const takeFirst = j >= second.length || (i < first.length && first[i]! <= second[j]!);
    const from = takeFirst ? first : second;
    const index = takeFirst ? i : j;
    runs[at] = from[index]!;
    runs[at + 1] = from[index + 1]!;
    runs[at + 2] = from[index + 2]!;
    if (takeFirst) i += 3;
    else j += 3;
  }
  return {
    left: Math.min(a.left, b.left),
    right: Math.max(a.right, b.right),
    top: Math.min(a.component.top, b.component.top),
    bottom: Math.max(a.component.bottom, b.component.bottom),
    area: a.component.area + b.component.area,
    runs,
  };
}
