/** Returns NaN for an empty list. */
export function computeMedian(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2;
}

/** Returns NaN for an empty list. */
export function computeMean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

export function softmax(values: ArrayLike<number>): number[] {
  const inputs = Array.from(values);
  const top = Math.max(...inputs);
  const raised = inputs.map((value) => Math.exp(value - top));
  const sum = raised.reduce((a, b) => a + b, 0);
  return raised.map((value) => value / sum);
}
