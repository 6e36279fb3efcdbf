// Values of fixed width in a row of bytes, lowest bit first; nothing between them.

/** Writes `values` with `width` bits each (at most 27), from bit `atBit` on. `bytes` must hold zeros there. */
export function packBits(values: Int32Array, width: number, bytes: Uint8Array, atBit: number) {
  let bit = atBit;
  for (let index = 0; index < values.length; index++, bit += width) {
    const at = bit >>> 3;
    // At most 27 + 7 bits, which a float64 holds and a shift of 32 bits would not.
    let rest = values[index]! * 2 ** (bit & 7);
    for (let byte = at; rest > 0; byte++) {
      const low = rest % 256;
      bytes[byte]! |= low;
      rest = (rest - low) / 256;
    }
  }
}

/** Reads values of `width` bits from bit `atBit` on. True when all of them are below `limit`. */
export function unpackBits(bytes: Uint8Array, atBit: number, width: number, limit: number, out: Int32Array) {
  const size = 2 ** width;
  let inRange = true;
  let bit = atBit;
  for (let index = 0; index < out.length; index++, bit += width) {
    const at = bit >>> 3;
    const low = (bytes[at]! | (bytes[at + 1]! << 8) | (bytes[at + 2]! << 16)) >>> 0;
    const high = bytes[at + 3]! + (bytes[at + 4] ?? 0) * 256;
    const value = Math.floor((low + high * 2 ** 24) / 2 ** (bit & 7)) % size;
    inRange = inRange && value < limit;
    out[index] = value;
  }
  return inRange;
}
