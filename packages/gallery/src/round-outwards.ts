// Rounds double to single precision in a given direction, so that stored bounds remain bounds.

const single = new Float32Array(1);
const bits = new Int32Array(single.buffer);

/** Returns the smallest single-precision number that is not below a finite number. */
export function roundUp(value: number): number {
  single[0] = value;
  if (single[0] < value) bits[0]! += single[0] < 0 ? -1 : 1;
  return single[0];
}

/** Returns the largest single-precision number that is not above it. */
export function roundDown(value: number): number {
  return -roundUp(-value);
}
