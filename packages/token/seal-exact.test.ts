import { onlyWhenLong } from '@limen/testing/rounds.ts';
import { beforeAll, expect, test } from 'vitest';
import type { SecretKey } from './keyholder/index.ts';
import { center, M, RING_DEGREE, reduce, transform, transformInverse, unpackBody } from './shared/index.ts';
import { encryptPolynomial } from './testing/forge.ts';
import { encryptBody, openParties, type Parties } from './testing/parties.ts';
import { multiplyBodies } from './testing/plain-evaluator.ts';
import { openSealReference, type SealReference } from './testing/seal-reference.ts';
import { randomVector, rootMeanSquare, vectorNear } from './testing/vectors.ts';

let parties: Parties;
let seal: SealReference;

beforeAll(async () => {
  parties = await openParties();
  seal = await openSealReference(parties.challenge.key);
});

/** Coefficients of the decrypted product, computed only by our arithmetic. */
function multiplyAndDecrypt(left: Uint8Array, right: Uint8Array, key: SecretKey) {
  const [o0, o1, o2, o3] = multiplyBodies(left, right);
  const values = o0.map((value, index) => {
    const s = key.values[index]!;
    return reduce(value + reduce((o1[index]! + o2[index]!) * s) + reduce(reduce(o3[index]! * s) * s));
  });
  transformInverse(values);
  return values;
}

test('computes products and decryptions exactly as SEAL does', () => {
  const { device, challenge } = parties;
  for (let round = 0; round < onlyWhenLong(500, 50); round++) {
    const vector = randomVector();
    const left = encryptBody(device, vector, challenge);
    const right = encryptBody(device, vectorNear(vector, 0.6), challenge);
    expect(multiplyAndDecrypt(left, right, challenge.key)).toEqual(seal.multiplyAndDecrypt(left, right));
  }
});

test('is exact for polynomials that no device creates', () => {
  const { challenge } = parties;
  const long = Float64Array.from({ length: RING_DEGREE }, (_, index) => (index * 7_654_321) % 30_000_000);
  const left = encryptPolynomial(long, challenge.key);
  const right = encryptPolynomial(long.toReversed(), challenge.key);
  expect(multiplyAndDecrypt(left, right, challenge.key)).toEqual(seal.multiplyAndDecrypt(left, right));
});

test('uses SEAL’s order in the transform: encodings are even, of length M, with noise of about 11', () => {
  const { device, challenge } = parties;
  const body = encryptBody(device, randomVector(), challenge);
  const decrypted = Array.from(seal.decrypt(body), center);
  const oddPart = decrypted.slice(1).map((value, index) => (value + decrypted[RING_DEGREE - 1 - index]!) / Math.SQRT2);
  expect(rootMeanSquare(decrypted) * Math.sqrt(RING_DEGREE)).toBeGreaterThan(0.9 * M);
  expect(rootMeanSquare(decrypted) * Math.sqrt(RING_DEGREE)).toBeLessThan(1.1 * M);
  expect(rootMeanSquare(oddPart)).toBeGreaterThan(8);
  expect(rootMeanSquare(oddPart)).toBeLessThan(14);
  const { c0, c1 } = unpackBody(body);
  const ours = c0.map((value, index) => reduce(value + reduce(c1[index]! * challenge.key.values[index]!)));
  const values = Int32Array.from(decrypted, (value) => reduce(value));
  transform(values);
  expect(values).toEqual(ours);
});
