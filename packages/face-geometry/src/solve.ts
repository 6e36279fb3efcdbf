// Solves small dense linear systems and least-squares problems.

/** Eliminates with pivoting. `matrix`: n × n by rows. Returns null without a unique solution. */
export function solveLinear(matrix: Float64Array, right: Float64Array): Float64Array | null {
  const n = right.length;
  const rows = matrix.slice();
  const x = right.slice();
  for (let column = 0; column < n; column += 1) {
    let pivot = column;
    for (let row = column + 1; row < n; row += 1)
      if (Math.abs(rows[row * n + column]!) > Math.abs(rows[pivot * n + column]!)) pivot = row;
    const size = rows[pivot * n + column]!;
    if (!(Math.abs(size) > 1e-12)) return null;
    if (pivot !== column) swapRows(rows, x, n, pivot, column);
    for (let row = column + 1; row < n; row += 1) {
      const factor = rows[row * n + column]! / size;
      if (factor === 0) continue;
      for (let k = column; k < n; k += 1) rows[row * n + k]! -= factor * rows[column * n + k]!;
      x[row]! -= factor * x[column]!;
    }
  }
  for (let row = n - 1; row >= 0; row -= 1) {
    let sum = x[row]!;
    for (let k = row + 1; k < n; k += 1) sum -= rows[row * n + k]! * x[k]!;
    x[row] = sum / rows[row * n + row]!;
  }
  return x;
}

function swapRows(rows: Float64Array, x: Float64Array, n: number, a: number, b: number): void {
  for (let k = 0; k < n; k += 1) [rows[a * n + k], rows[b * n + k]] = [rows[b * n + k]!, rows[a * n + k]!];
  [x[a], x[b]] = [x[b]!, x[a]!];
}

/** Returns the dot product of two vectors of equal length. */
export function dot(first: ArrayLike<number>, second: ArrayLike<number>): number {
  let sum = 0;
  for (let i = 0; i < first.length; i += 1) sum += first[i]! * second[i]!;
  return sum;
}

/** Accumulates the normal equations, so its memory does not grow with the number of equations. */
export function createLeastSquares(unknowns: number) {
  const matrix = new Float64Array(unknowns * unknowns);
  const right = new Float64Array(unknowns);
  return {
    /** Adds an equation: the factors of the unknowns, and their result. */
    add(factors: readonly number[], value: number): void {
      for (let i = 0; i < unknowns; i += 1) {
        const factor = factors[i]!;
        if (factor === 0) continue;
        for (let j = 0; j < unknowns; j += 1) matrix[i * unknowns + j]! += factor * factors[j]!;
        right[i]! += factor * value;
      }
    },
    solve: (): Float64Array | null => solveLinear(matrix, right),
  };
}
