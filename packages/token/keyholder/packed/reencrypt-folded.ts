// The key-holder's folding of masked bodies: into blocks, and into a probe for them. It sees
// neither.
import { unpackBody } from '../../shared/pack-body.ts';
import { BLOCK_BYTES, type EpochPolynomials, NONCE_BYTES } from '../../shared/packed/block.ts';
import { BLOCK_PEOPLE, foldProbe, foldToken } from '../../shared/packed/fold.ts';
import { Q, RING_DEGREE } from '../../shared/parameters.ts';
import { POLYNOMIAL_BYTES, packPolynomial } from '../../shared/polynomial-bytes.ts';
import { fillGaussian } from '../../shared/random.ts';
import { multiply, reduce, transform, transformInverse } from '../../shared/ring.ts';
import { TokenError } from '../../shared/token-error.ts';
import type { SecretKey } from '../secret-key.ts';
import { openStreams, readShortSecret, STREAM_BYTES } from './short-secret.ts';

/** One-time key of a folded probe, in the form for scoring. */
export interface ProbeSecret {
  /** Signed. */
  coefficients: Int32Array;
  /** Coefficients of the second polynomials of blocks and of probes times this key, 0..q-1. */
  ofBoth: Int32Array;
}

/**
 * Folds four masked tokens under the enroll key into one block, still masked, under a unique key:
 * two blocks under one key would reveal the difference of their people. Only this role draws the
 * nonce, so no key repeats.
 */
export function packBlock(masked: readonly Uint8Array[], key: SecretKey, { ofBlocks }: EpochPolynomials): Uint8Array {
  if (masked.length !== BLOCK_PEOPLE) {
    throw new TokenError('length');
  }
  const folded = new Int32Array(RING_DEGREE);
  for (const [place, body] of masked.entries()) {
    const plain = decrypt(body, key);
    foldToken(plain, place, folded);
    plain.fill(0);
  }
  const nonce = crypto.getRandomValues(new Uint8Array(NONCE_BYTES));
  const stream = openStreams(key.blockKey, 1).make(nonce, NONCE_BYTES, 1);
  const secret = readShortSecret(stream);
  const values = toValues(secret);
  const block = new Uint8Array(BLOCK_BYTES);
  packPolynomial(encrypt(folded, ofBlocks, values), block, 0);
  block.set(nonce, POLYNOMIAL_BYTES);
  for (const part of [stream, secret, values]) part.fill(0);
  return block;
}

/**
 * Folds a masked probe under a newly drawn key: returns its first polynomial, still masked, and the
 * key, which the caller wipes.
 */
export function foldMaskedProbe(
  masked: Uint8Array,
  key: SecretKey,
  { ofBlocks, ofProbes }: EpochPolynomials,
): { folded: Uint8Array; secret: ProbeSecret } {
  const probe = new Int32Array(RING_DEGREE);
  const plain = decrypt(masked, key);
  foldProbe(plain, probe);
  plain.fill(0);
  const stream = crypto.getRandomValues(new Uint8Array(STREAM_BYTES));
  const coefficients = readShortSecret(stream);
  stream.fill(0);
  const values = toValues(coefficients);
  const folded = new Uint8Array(POLYNOMIAL_BYTES);
  packPolynomial(encrypt(probe, ofProbes, values), folded, 0);
  const ofBoth = values.map((value, index) => multiply(value, multiply(ofBlocks[index]!, ofProbes[index]!)));
  transformInverse(ofBoth);
  values.fill(0);
  return { folded, secret: { coefficients, ofBoth } };
}

export function wipeProbeSecret({ coefficients, ofBoth }: ProbeSecret): void {
  coefficients.fill(0);
  ofBoth.fill(0);
}

/** Coefficients, 0..q-1. Throws `TokenError` on an invalid body. */
function decrypt(body: Uint8Array, { values }: SecretKey): Int32Array {
  const { c0, c1 } = unpackBody(body);
  for (let index = 0; index < RING_DEGREE; index++)
    c0[index] = reduce(c0[index]! + reduce(c1[index]! * values[index]!));
  transformInverse(c0);
  return c0;
}

/** Converts coefficients 0..q-1 to the first polynomial, in place. */
function encrypt(coefficients: Int32Array, second: Int32Array, secret: Int32Array): Int32Array {
  const noise = new Int32Array(RING_DEGREE);
  fillGaussian(noise);
  for (let index = 0; index < RING_DEGREE; index++) coefficients[index] = reduce(coefficients[index]! + noise[index]!);
  noise.fill(0);
  transform(coefficients);
  for (let index = 0; index < RING_DEGREE; index++)
    coefficients[index] = reduce(coefficients[index]! - multiply(second[index]!, secret[index]!));
  return coefficients;
}

/** Signed coefficients in NTT form, 0..q-1. */
function toValues(coefficients: Int32Array): Int32Array {
  const values = coefficients.map((value) => (value < 0 ? value + Q : value));
  transform(values);
  return values;
}
