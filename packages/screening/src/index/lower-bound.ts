// Searches in ascending numbers.

/** Returns the first position in `from`…`to` with a value of at least `wanted`, or `to`. */
export function lowerBound(values: Uint32Array, from: number, to: number, wanted: number): number {
  let low = from;
  let high = to;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (values[middle]! < wanted) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Numbers per CPU cache line. */
const LINE = 16;

/**
 * Like lowerBound, for values spread roughly evenly between `least` and `most`. Starts at the
 * expected position and moves outward. This mostly touches two cache lines, where binary search
 * touches one per step.
 */
export function evenBound(
  values: Uint32Array,
  from: number,
  to: number,
  wanted: number,
  least: number,
  most: number,
): number {
  if (to - from <= LINE || wanted <= least || wanted >= most) return lowerBound(values, from, to, wanted);
  const guess = from + Math.floor(((wanted - least) / (most - least)) * (to - from));
  let step = LINE;
  if (values[guess]! < wanted) {
    let low = guess + 1;
    while (low + step <= to && values[low + step - 1]! < wanted) {
      low += step;
      step *= 2;
    }
    return lowerBound(values, low, Math.min(to, low + step), wanted);
  }
  let high = guess;
  while (high - step >= from && values[high - step]! >= wanted) {
    high -= step;
    step *= 2;
  }
  return lowerBound(values, Math.max(from, high - step), high, wanted);
}
