// Arithmetic modulo q, exact in float64, and the negacyclic transform in SEAL's order.
import { Q, RING_DEGREE, RING_DEGREE_BITS } from './parameters.ts';

/**
 * In NTT form. Value j is at the root's power 2·reverse(j) + 1, and -X is the power that is n
 * further: the last bit of j is flipped.
 */
export function conjugate(values: Int32Array): Int32Array {
  const swapped = new Int32Array(RING_DEGREE);
  for (let index = 0; index < RING_DEGREE; index++) swapped[index] = values[index ^ 1]!;
  return swapped;
}

const INVERSE_OF_Q = 1 / Q;

/** Reduces an integer of magnitude below 2^52 to 0..q-1. */
export function reduce(value: number) {
  // The quotient may be off by one, because 1/q is rounded.
  const rest = value - Math.floor(value * INVERSE_OF_Q) * Q;
  return rest < 0 ? rest + Q : rest >= Q ? rest - Q : rest;
}

export function multiply(left: number, right: number) {
  return reduce(left * right);
}

/** Returns the residue of 0..q-1 that is nearest to zero. */
export function center(residue: number) {
  return residue > Q / 2 ? residue - Q : residue;
}

export function power(base: number, exponent: number) {
  let result = 1;
  let square = reduce(base);
  for (let rest = exponent; rest > 0; rest = Math.floor(rest / 2)) {
    if (rest % 2 === 1) {
      result = multiply(result, square);
    }
    square = multiply(square, square);
  }
  return result;
}

/** Inverse of n modulo q. */
export const INVERSE_OF_N = power(RING_DEGREE, Q - 2);

interface Roots {
  /** Powers of the root in bit-reversed order, for the forward transform; 0..q-1. */
  forward: Int32Array;
  /** Powers of its inverse in the same order, for the inverse transform. */
  inverse: Int32Array;
}

let roots: Roots | undefined;

/** Created on first use, because a service starts without them. */
export function rootsOfUnity(): Roots {
  roots ??= { forward: tabulate(findRoot()), inverse: tabulate(power(findRoot(), Q - 2)) };
  return roots;
}

/**
 * Transforms coefficients to values in place. Value j is at the root's power 2·reverse(j) + 1, as
 * in SEAL, so that SEAL's data can be used directly.
 */
export function transform(values: Int32Array) {
  const { forward } = rootsOfUnity();
  for (let blocks = 1, half = RING_DEGREE / 2; half >= 1; blocks *= 2, half /= 2) {
    for (let block = 0; block < blocks; block++) {
      const root = forward[blocks + block]!;
      const from = 2 * block * half;
      for (let index = from; index < from + half; index++) {
        const upper = values[index]!;
        const lower = reduce(values[index + half]! * root);
        const sum = upper + lower;
        const difference = upper - lower;
        values[index] = sum >= Q ? sum - Q : sum;
        values[index + half] = difference < 0 ? difference + Q : difference;
      }
    }
  }
}

/** Transforms values to coefficients in place, including 1/n. */
export function transformInverse(values: Int32Array) {
  const { inverse } = rootsOfUnity();
  for (let blocks = RING_DEGREE / 2, half = 1; blocks >= 1; blocks /= 2, half *= 2) {
    for (let block = 0; block < blocks; block++) {
      const root = inverse[blocks + block]!;
      const from = 2 * block * half;
      for (let index = from; index < from + half; index++) {
        const upper = values[index]!;
        const lower = values[index + half]!;
        const sum = upper + lower;
        values[index] = sum >= Q ? sum - Q : sum;
        values[index + half] = reduce((upper - lower) * root);
      }
    }
  }
  for (let index = 0; index < RING_DEGREE; index++) {
    values[index] = reduce(values[index]! * INVERSE_OF_N);
  }
}

/** Smallest primitive 2n-th root of unity, as in SEAL. */
function findRoot() {
  let root = 0;
  for (let base = 2; power(root, RING_DEGREE) !== Q - 1; base++) {
    root = power(base, (Q - 1) / (2 * RING_DEGREE));
  }
  const square = multiply(root, root);
  let smallest = root;
  // The odd powers of one primitive root are all of them.
  for (let step = 0, odd = root; step < RING_DEGREE; step++, odd = multiply(odd, square)) {
    smallest = Math.min(smallest, odd);
  }
  return smallest;
}

function tabulate(root: number) {
  const table = new Int32Array(RING_DEGREE);
  for (let exponent = 0, value = 1; exponent < RING_DEGREE; exponent++, value = multiply(value, root)) {
    table[reverseBits(exponent)] = value;
  }
  return table;
}

function reverseBits(index: number) {
  let reversed = 0;
  for (let bit = 0; bit < RING_DEGREE_BITS; bit++) {
    reversed = (reversed << 1) | ((index >> bit) & 1);
  }
  return reversed;
}
