// Finds a place in ascending numbers.

/** The first position from `from` up to `to` whose value is at least `wanted`; `to` where there is none. */
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
