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

/** Numbers that one line of a core's cache has. */
const LINE = 16;

/**
 * The same for values that lie about evenly between `least` and `most`: it looks where the place should be and then farther and
 * farther from there. Halving would touch a line of memory with every step; this mostly touches two in all.
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
