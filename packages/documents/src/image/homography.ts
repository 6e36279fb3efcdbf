// The projective map determined by four pairs of points.

export interface Point {
  readonly x: number;
  readonly y: number;
}

/** Clockwise from the top left. */
export type Quad = readonly [Point, Point, Point, Point];

/** Nine values by rows: x' = (m0 x + m1 y + m2) / (m6 x + m7 y + m8). */
export type Homography = Float64Array;

/** Returns the map from `from` to `to`, or null if three points are collinear. */
export function fitHomography(from: Quad, to: Quad): Homography | null {
  const rows: number[][] = [];
  for (let i = 0; i < 4; i += 1) {
    const { x, y } = from[i]!;
    const { x: u, y: v } = to[i]!;
    rows.push([x, y, 1, 0, 0, 0, -x * u, -y * u, u], [0, 0, 0, x, y, 1, -x * v, -y * v, v]);
  }
  const solution = solve(rows);
  return solution === null ? null : Float64Array.from([...solution, 1]);
}

export function applyHomography(map: Homography, x: number, y: number): Point {
  const w = map[6]! * x + map[7]! * y + map[8]!;
  return { x: (map[0]! * x + map[1]! * y + map[2]!) / w, y: (map[3]! * x + map[4]! * y + map[5]!) / w };
}

/** Eliminates in eight equations, with the right side as the last column. */
function solve(rows: number[][]): number[] | null {
  const size = rows.length;
  for (let column = 0; column < size; column += 1) {
    let pivot = column;
    for (let row = column + 1; row < size; row += 1) {
      if (Math.abs(rows[row]![column]!) > Math.abs(rows[pivot]![column]!)) pivot = row;
    }
    if (Math.abs(rows[pivot]![column]!) < 1e-9) return null;
    [rows[column], rows[pivot]] = [rows[pivot]!, rows[column]!];
    const head = rows[column]!;
    for (let row = 0; row < size; row += 1) {
      if (row === column) continue;
      const factor = rows[row]![column]! / head[column]!;
      if (factor === 0) continue;
      for (let k = column; k <= size; k += 1) rows[row]![k] = rows[row]![k]! - factor * head[k]!;
    }
  }
  return rows.map((row, i) => row[size]! / row[i]!);
}
