// The dot product that ranks hits.

/**
 * Double precision, in which products of single-precision numbers are exact. Uses four sums to
 * avoid dependent additions. All callers use this order, so that equal vectors get equal
 * similarities.
 */
export function multiply(query: Float32Array, vectors: Float32Array, from: number): number {
  const { length } = query;
  const whole = length - (length % 4);
  let first = 0;
  let second = 0;
  let third = 0;
  let fourth = 0;
  let at = 0;
  for (; at < whole; at += 4) {
    first += query[at]! * vectors[from + at]!;
    second += query[at + 1]! * vectors[from + at + 1]!;
    third += query[at + 2]! * vectors[from + at + 2]!;
    fourth += query[at + 3]! * vectors[from + at + 3]!;
  }
  for (; at < length; at += 1) first += query[at]! * vectors[from + at]!;
  return first + second + (third + fourth);
}
