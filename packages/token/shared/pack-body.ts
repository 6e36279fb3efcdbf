// Body of a token: two polynomials in SEAL's transformed order, 26 bits per coefficient, 13,312
// bytes.
import { BODY_BYTES, RING_DEGREE } from './parameters.ts';
import { POLYNOMIAL_BYTES, packPolynomial, unpackPolynomial } from './polynomial-bytes.ts';
import { TokenError } from './token-error.ts';

/**
 * Maximum number of zeros. Each value of a legitimate polynomial is zero with probability 1/q, so
 * more do not occur by chance. A second polynomial of zeros would mean no encryption: anyone could
 * read the first.
 */
const MAX_ZEROS = 8;

export interface UnpackedBody {
  c0: Int32Array;
  c1: Int32Array;
}

/** Values 0..q-1. */
export function packBody(c0: Int32Array, c1: Int32Array) {
  const body = new Uint8Array(BODY_BYTES);
  packPolynomial(c0, body, 0);
  packPolynomial(c1, body, POLYNOMIAL_BYTES);
  return body;
}

/** Throws `TokenError` on a wrong length, a coefficient not below q, or a polynomial of zeros. */
export function unpackBody(body: Uint8Array): UnpackedBody {
  const c0 = new Int32Array(RING_DEGREE);
  const c1 = new Int32Array(RING_DEGREE);
  unpackBodyInto(body, c0, c1);
  return { c0, c1 };
}

/** Unpacks into the caller's arrays. */
export function unpackBodyInto(body: Uint8Array, c0: Int32Array, c1: Int32Array) {
  if (body.length !== BODY_BYTES) {
    throw new TokenError('length');
  }
  const first = unpackPolynomial(body, 0, c0);
  const second = unpackPolynomial(body, POLYNOMIAL_BYTES, c1);
  if (!first || !second) {
    throw new TokenError('range');
  }
  if (countZeros(c0) > MAX_ZEROS || countZeros(c1) > MAX_ZEROS) {
    throw new TokenError('transparent');
  }
}

function countZeros(values: Int32Array) {
  let zeros = 0;
  for (let index = 0; index < values.length; index++) {
    zeros += values[index] === 0 ? 1 : 0;
  }
  return zeros;
}
