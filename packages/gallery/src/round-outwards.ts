// Rounds double precision to single precision in a known direction, so that a stored bound stays a bound.

const single = new Float32Array(1);
const bits = new Int32Array(single.buffer);

/** The least single-precision number that is not below a finite number. */
export function roundUp(value: number): number {
  single[0] = value;
  if (single[0] < value) bits[0]! += single[0] < 0 ? -1 : 1;
  return single[0];
}

/** The greatest single-precision number that is not above it. */
export function roundDown(value: number): number {
  return -roundUp(-value);
}
