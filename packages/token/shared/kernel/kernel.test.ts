import { beforeAll, expect, test } from 'vitest';
import { scoreRows } from '../../keyholder/index.ts';
import { encryptBody, openParties, type Parties } from '../../testing/parties.ts';
import { blindComparison } from '../../testing/plain-evaluator.ts';
import { scorePlainly } from '../../testing/plain-scorer.ts';
import { openSealReference } from '../../testing/seal-reference.ts';
import { randomVector, vectorNear } from '../../testing/vectors.ts';
import {
  center,
  fillUniform,
  Q,
  RING_DEGREE,
  ROW_BYTES,
  reduce,
  transform,
  transformInverse,
  unpackBody,
} from '../index.ts';
import { FACTOR_WORDS, writeFactor } from './factor.ts';
import { tabulateForward } from './kernel-tables.ts';
import { loadKernel } from './load-kernel.ts';

const POLYNOMIAL_BYTES = 4 * RING_DEGREE;
const FACTOR_AT = POLYNOMIAL_BYTES;
const OUT_AT = 3 * POLYNOMIAL_BYTES;
const TABLE_AT = 4 * POLYNOMIAL_BYTES;

const memory = new WebAssembly.Memory({ initial: 2, maximum: 2, shared: true });
const kernel = loadKernel(memory);
const words = (at: number, length: number) => new Int32Array(memory.buffer, at, length);
const forwardTable = tabulateForward();
words(TABLE_AT, forwardTable.length).set(forwardTable);

let parties: Parties;

beforeAll(async () => {
  parties = await openParties();
});

/** The kernel's product of two polynomials in NTT form, 0..q-1. */
function multiply(left: Int32Array, right: Int32Array): Int32Array {
  words(0, RING_DEGREE).set(left.map(center));
  writeFactor(right, 1, words(FACTOR_AT, FACTOR_WORDS));
  kernel.multiply(0, FACTOR_AT, OUT_AT);
  return words(OUT_AT, RING_DEGREE).map(reduce).slice();
}

test('multiplies as SEAL does, coefficient by coefficient', async () => {
  const { device, challenge } = parties;
  const seal = await openSealReference(challenge.key);
  const secret = challenge.key.values.map(reduce);
  for (let round = 0; round < 10; round++) {
    const vector = randomVector();
    const left = encryptBody(device, vector, challenge);
    const right = encryptBody(device, vectorNear(vector, round / 10), challenge);
    const { c0, c1 } = unpackBody(left);
    const { c0: d0, c1: d1 } = unpackBody(right);
    const [o0, o1, o2, o3] = [multiply(c0, d0), multiply(c1, d0), multiply(c0, d1), multiply(c1, d1)];
    const linear = multiply(
      o1.map((value, index) => reduce(value + o2[index]!)),
      secret,
    );
    const square = multiply(multiply(o3, secret), secret);
    const decrypted = o0.map((value, index) => reduce(value + linear[index]! + square[index]!));
    transformInverse(decrypted);
    expect(decrypted).toEqual(seal.multiplyAndDecrypt(left, right));
  }
});

test('multiplies exactly at the ends of the range', () => {
  const ends = [0, 1, 2, (Q - 1) / 2, (Q + 1) / 2, Q - 2, Q - 1];
  const left = Int32Array.from({ length: RING_DEGREE }, (_, index) => ends[index % ends.length]!);
  const right = Int32Array.from({ length: RING_DEGREE }, (_, index) => ends[Math.floor(index / 7) % ends.length]!);
  const product = left.map((value, index) => Number((BigInt(value) * BigInt(right[index]!)) % BigInt(Q)));
  expect(multiply(left, right)).toEqual(product);
});

test('transforms forward as the ring does, with companions that yield quotients', () => {
  const values = new Int32Array(RING_DEGREE);
  for (const fill of [fillUniform, (out: Int32Array) => out.fill((Q - 1) / 2), (out: Int32Array) => out.fill(Q - 1)]) {
    fill(values);
    const factor = words(FACTOR_AT, FACTOR_WORDS);
    factor.set(values.map(center));
    kernel.makeFactor(FACTOR_AT, TABLE_AT);
    transform(values);
    expect(factor.subarray(0, RING_DEGREE).map(reduce)).toEqual(values);
    const error = Array.from(values, (value, index) =>
      Math.abs(factor[RING_DEGREE + index]! - (center(value) * 2 ** 32) / Q),
    );
    expect(Math.max(...error)).toBeLessThan(1.5);
  }
});

test('scores as plain arithmetic does, for any bytes', () => {
  const { device, enrol: enroll, challenge } = parties;
  const honest = blindComparison(
    encryptBody(device, randomVector(), enroll),
    encryptBody(device, randomVector(), challenge),
  );
  const scores = new Float64Array(3);
  scoreRows(honest, enroll.key, challenge.key, scores);
  expect(scores[0]).toBeCloseTo(scorePlainly(honest, enroll.key, challenge.key)[0]!, 9);
  const hostile = { count: 3, bytes: crypto.getRandomValues(new Uint8Array(3 * ROW_BYTES)) };
  hostile.bytes.fill(255, ROW_BYTES, 2 * ROW_BYTES);
  scoreRows(hostile, enroll.key, challenge.key, scores);
  for (const score of scores) expect(Math.abs(score)).toBeLessThan(1.11);
});
