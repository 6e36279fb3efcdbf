// Separates a turning head from a moved flat picture by the motion that no flat object can make.

import { applyAffine, createLeastSquares, fitSimilarity, type Points } from '@limen/face-geometry';

export interface Motion extends Stretch {
  /** RMS residual of the best similarity: total motion apart from shift, rotation and scale. */
  beyondSimilarity: number;
  /** RMS residual of the best homography: motion that a flat picture cannot make. */
  beyondHomography: number;
}

/** Nine numbers by rows; the last one is 1. */
export type Homography = Float64Array;

/** Measures the motion between two sets of the same points, in units of `unit`. */
export function measureMotion(before: Points, after: Points, unit: number): Motion {
  const similarity = fitSimilarity(before, after);
  const homography = fitHomography(before, after);
  const beyondSimilarity = measureRest(before, after, (x, y) => applyAffine(similarity, x, y)) / unit;
  const beyondHomography = homography
    ? measureRest(before, after, (x, y) => applyHomography(homography, x, y)) / unit
    : 0;
  // If the fit diverged, the smaller residual counts, which means flat.
  return {
    beyondSimilarity,
    beyondHomography: Math.min(beyondSimilarity, beyondHomography),
    ...measureStretch(before, after),
  };
}

export interface Stretch {
  /** Anisotropic scale: 1 for none, 0.5 for a picture seen at 60 degrees. */
  squeeze: number;
  /** Change of width relative to height. */
  widening: number;
}

/** Measures the best affine map: its squeeze and its widening. */
export function measureStretch(before: Points, after: Points): Stretch {
  const across = createLeastSquares(3);
  const down = createLeastSquares(3);
  for (let i = 0; i < before.length; i += 2) {
    const factors = [before[i]!, before[i + 1]!, 1];
    across.add(factors, after[i]!);
    down.add(factors, after[i + 1]!);
  }
  const first = across.solve();
  const second = down.solve();
  if (!first || !second) return { squeeze: 0, widening: 0 };
  const [a, b, c, d] = [first[0]!, first[1]!, second[0]!, second[1]!];
  const sum = Math.hypot(a + d, b - c);
  const difference = Math.hypot(a - d, b + c);
  return { squeeze: Math.abs(sum - difference) / (sum + difference), widening: Math.hypot(a, c) / Math.hypot(b, d) };
}

export function applyHomography(h: Homography, x: number, y: number): [number, number] {
  const depth = h[6]! * x + h[7]! * y + h[8]!;
  return [(h[0]! * x + h[1]! * y + h[2]!) / depth, (h[3]! * x + h[4]! * y + h[5]!) / depth];
}

const REFINEMENTS = 3;

/** Fits by least squares. Returns null if the points are on a line or in one place. */
export function fitHomography(from: Points, to: Points): Homography | null {
  // Normalized for numerical stability.
  const a = normalize(from);
  const b = normalize(to);
  if (!a || !b) return null;

  // Solves the linear problem first, then refines with equations weighted by the previous depth.
  let h: Homography | null = null;
  for (let round = 0; round <= REFINEMENTS; round += 1) {
    const squares = createLeastSquares(8);
    for (let i = 0; i < from.length; i += 2) {
      const [x, y, u, v] = [a.points[i]!, a.points[i + 1]!, b.points[i]!, b.points[i + 1]!];
      if (!h) {
        squares.add([x, y, 1, 0, 0, 0, -u * x, -u * y], u);
        squares.add([0, 0, 0, x, y, 1, -v * x, -v * y], v);
        continue;
      }
      const [p, q] = applyHomography(h, x, y);
      const w = 1 / (h[6]! * x + h[7]! * y + 1);
      squares.add([w * x, w * y, w, 0, 0, 0, -p * w * x, -p * w * y], u - p);
      squares.add([0, 0, 0, w * x, w * y, w, -q * w * x, -q * w * y], v - q);
    }
    const solution = squares.solve();
    if (!solution?.every(Number.isFinite)) return null;
    const before: Homography = h ?? new Float64Array([0, 0, 0, 0, 0, 0, 0, 0, 1]);
    h = Float64Array.from(before, (value, i) => (i < 8 ? value + solution[i]! : 1));
  }
  return h && undoNormalization(h, a, b);
}

interface Normalized {
  points: Float64Array;
  x: number;
  y: number;
  scale: number;
}

function normalize(points: Points): Normalized | null {
  const count = points.length / 2;
  let [x, y, spread] = [0, 0, 0];
  for (let i = 0; i < points.length; i += 2) {
    x += points[i]! / count;
    y += points[i + 1]! / count;
  }
  for (let i = 0; i < points.length; i += 2) spread += (points[i]! - x) ** 2 + (points[i + 1]! - y) ** 2;
  const scale = Math.sqrt(spread / count);
  if (!(scale > 0) || !Number.isFinite(scale)) return null;
  const moved = Float64Array.from({ length: points.length }, (_, i) => (points[i]! - (i % 2 === 0 ? x : y)) / scale);
  return { points: moved, x, y, scale };
}

function undoNormalization(h: Homography, a: Normalized, b: Normalized): Homography | null {
  const toA = [1 / a.scale, 0, -a.x / a.scale, 0, 1 / a.scale, -a.y / a.scale, 0, 0, 1];
  const fromB = [b.scale, 0, b.x, 0, b.scale, b.y, 0, 0, 1];
  const product = multiply(multiply(fromB, h), toA);
  const last = product[8]!;
  return Math.abs(last) > 1e-12 ? Float64Array.from(product, (value) => value / last) : null;
}

function multiply(a: ArrayLike<number>, b: ArrayLike<number>): number[] {
  return Array.from({ length: 9 }, (_, i) => {
    const [row, column] = [Math.floor(i / 3) * 3, i % 3];
    return a[row]! * b[column]! + a[row + 1]! * b[column + 3]! + a[row + 2]! * b[column + 6]!;
  });
}

function measureRest(before: Points, after: Points, map: (x: number, y: number) => [number, number]): number {
  let sum = 0;
  for (let i = 0; i < before.length; i += 2) {
    const [x, y] = map(before[i]!, before[i + 1]!);
    sum += (x - after[i]!) ** 2 + (y - after[i + 1]!) ** 2;
  }
  return Math.sqrt(sum / (before.length / 2));
}
