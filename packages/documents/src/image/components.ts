// Connected bright regions of a picture, stored as pixel runs for further analysis.
import type { GrayImage } from './gray.ts';

export interface Component {
  readonly left: number;
  readonly top: number;
  /** Inclusive, like `bottom`. */
  readonly right: number;
  readonly bottom: number;
  readonly area: number;
  /** Triples of row, first and last column. */
  readonly runs: Int32Array;
}

/** More runs are noise. The limit bounds work and memory. */
const MAX_RUNS = 200_000;

/** Finds regions above `threshold` that touch by side or corner, from `leastArea` on. */
export function findComponents(image: GrayImage, threshold: number, leastArea: number): Component[] {
  const { runs, count } = collectRuns(image, threshold);
  const parents = joinRuns(runs, count);
  const areas = new Int32Array(count);
  const sizes = new Int32Array(count);
  for (let i = 0; i < count; i += 1) {
    const root = findRoot(parents, i);
    areas[root] = areas[root]! + runs[i * 3 + 2]! - runs[i * 3 + 1]! + 1;
    sizes[root] = sizes[root]! + 1;
  }
  const own = new Map<number, { runs: Int32Array; filled: number }>();
  for (let i = 0; i < count; i += 1) {
    const root = findRoot(parents, i);
    if (areas[root]! < leastArea) continue;
    let entry = own.get(root);
    if (entry === undefined) {
      entry = { runs: new Int32Array(sizes[root]! * 3), filled: 0 };
      own.set(root, entry);
    }
    entry.runs[entry.filled] = runs[i * 3]!;
    entry.runs[entry.filled + 1] = runs[i * 3 + 1]!;
    entry.runs[entry.filled + 2] = runs[i * 3 + 2]!;
    entry.filled += 3;
  }
  return Array.from(own, ([root, entry]) => boundComponent(entry.runs, areas[root]!));
}

function boundComponent(runs: Int32Array, area: number): Component {
  let [left, right] = [runs[1]!, runs[2]!];
  for (let i = 0; i < runs.length; i += 3) {
    left = Math.min(left, runs[i + 1]!);
    right = Math.max(right, runs[i + 2]!);
  }
  return { left, right, top: runs[0]!, bottom: runs[runs.length - 3]!, area, runs };
}

function collectRuns(image: GrayImage, threshold: number): { runs: Int32Array; count: number } {
  const { width, height, data } = image;
  let runs = new Int32Array(3 * 4096);
  let count = 0;
  for (let y = 0; y < height && count < MAX_RUNS; y += 1) {
    const row = y * width;
    for (let x = 0; x < width; x += 1) {
      if (data[row + x]! <= threshold) continue;
      const from = x;
      while (x + 1 < width && data[row + x + 1]! > threshold) x += 1;
      if (count * 3 === runs.length) {
        const larger = new Int32Array(runs.length * 2);
        larger.set(runs);
        runs = larger;
      }
      runs[count * 3] = y;
      runs[count * 3 + 1] = from;
      runs[count * 3 + 2] = x;
      count += 1;
    }
  }
  return { runs, count };
}

/** Runs are in reading order, so two pointers move along adjacent rows. */
function joinRuns(runs: Int32Array, count: number): Int32Array {
  const parents = new Int32Array(count);
  for (let i = 0; i < count; i += 1) parents[i] = i;
  let above = 0;
  for (let i = 0; i < count; i += 1) {
    const y = runs[i * 3]!;
    while (above < i && runs[above * 3]! < y - 1) above += 1;
    let j = above;
    while (j < i && runs[j * 3]! === y - 1 && runs[j * 3 + 1]! <= runs[i * 3 + 2]! + 1) {
      if (runs[j * 3 + 2]! + 1 >= runs[i * 3 + 1]!) join(parents, i, j);
      j += 1;
    }
    // A run above that ends earlier cannot touch anything further right in this row.
    while (above < i && runs[above * 3]! === y - 1 && runs[above * 3 + 2]! + 1 < runs[i * 3 + 1]!) above += 1;
  }
  return parents;
}

function join(parents: Int32Array, a: number, b: number): void {
  const rootA = findRoot(parents, a);
  const rootB = findRoot(parents, b);
  if (rootA < rootB) parents[rootB] = rootA;
  else parents[rootA] = rootB;
}

function findRoot(parents: Int32Array, start: number): number {
  let i = start;
  while (parents[i] !== i) {
    parents[i] = parents[parents[i]!]!;
    i = parents[i]!;
  }
  return i;
}
