// A polynomial of a body as 26-bit values, lowest bit first. These loops dominate loading a
// gallery.
import { Q, Q_BITS, RING_DEGREE } from './parameters.ts';

/** Bytes of a polynomial. Four values take thirteen bytes. */
export const POLYNOMIAL_BYTES: number = (RING_DEGREE * Q_BITS) / 8;

/** Values 0..q-1, from byte `at` on. */
export function packPolynomial(values: Int32Array, bytes: Uint8Array, at: number): void {
  for (let index = 0, to = at; index < RING_DEGREE; index += 4, to += 13) {
    const first = values[index]!;
    const second = values[index + 1]!;
    const third = values[index + 2]!;
    const fourth = values[index + 3]!;
    bytes[to] = first;
    bytes[to + 1] = first >> 8;
    bytes[to + 2] = first >> 16;
    bytes[to + 3] = (first >> 24) | (second << 2);
    bytes[to + 4] = second >> 6;
    bytes[to + 5] = second >> 14;
    bytes[to + 6] = (second >> 22) | (third << 4);
    bytes[to + 7] = third >> 4;
    bytes[to + 8] = third >> 12;
    bytes[to + 9] = (third >> 20) | (fourth << 6);
    bytes[to + 10] = fourth >> 2;
    bytes[to + 11] = fourth >> 10;
    bytes[to + 12] = fourth >> 18;
  }
}

/** Returns whether all values are below q. Takes a tenth of the time of reading value by value. */
export function unpackPolynomial(bytes: Uint8Array, at: number, out: Int32Array): boolean {
  let most = 0;
  for (let index = 0, from = at; index < RING_DEGREE; index += 4, from += 13) {
    const b3 = bytes[from + 3]!;
    const b6 = bytes[from + 6]!;
    const b9 = bytes[from + 9]!;
    const first = bytes[from]! | (bytes[from + 1]! << 8) | (bytes[from + 2]! << 16) | ((b3 & 3) << 24);
    const second = (b3 >> 2) | (bytes[from + 4]! << 6) | (bytes[from + 5]! << 14) | ((b6 & 15) << 22);
    const third = (b6 >> 4) | (bytes[from + 7]! << 4) | (bytes[from + 8]! << 12) | ((b9 & 63) << 20);
    const fourth = (b9 >> 6) | (bytes[from + 10]! << 2) | (bytes[from + 11]! << 10) | (bytes[from + 12]! << 18);
    out[index] = first;
    out[index + 1] = second;
    out[index + 2] = third;
    out[index + 3] = fourth;
    most = Math.max(most, first, second, third, fourth);
  }
  return most < Q;
}
