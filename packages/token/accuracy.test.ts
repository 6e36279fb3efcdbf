import { onlyWhenLong } from '@limen/testing/rounds.ts';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { Evaluator } from './evaluator/index.ts';
import { checkShape, reencrypt } from './keyholder/index.ts';
import { RING_DEGREE, unpackBody } from './shared/index.ts';
import { encryptBody, MODEL_ID, makeParty, openParties, type Parties, scoreOne } from './testing/parties.ts';
import { collectErrors, ERROR_BAND } from './testing/score-errors.ts';
import { randomVector, vectorNear } from './testing/vectors.ts';

let parties: Parties;
let evaluator: Evaluator;

beforeAll(async () => {
  parties = await openParties();
  evaluator = new Evaluator({ threads: 1, maxBytes: 2 ** 24 });
});

afterAll(async () => {
  await evaluator.close();
  parties.device.close();
});

function compare(left: Float32Array, right: Float32Array) {
  const { device, enrol: enroll, challenge } = parties;
  const rows = evaluator.compareOne(encryptBody(device, left, enroll), encryptBody(device, right, challenge));
  return scoreOne(rows, enroll.key, challenge.key);
}

test('keeps scores of adopted tokens within the documented band of cosines', async () => {
  const keySets = onlyWhenLong(40, 4);
  const errors = await collectErrors(parties.device, keySets, (token, probe) => evaluator.compareOne(token, probe));
  // Each bound is more than four standard deviations above the measured value.
  expect(errors.rootMeanSquare).toBeLessThan(onlyWhenLong(3e-3, 3.3e-3));
  expect(errors.largest).toBeLessThan(ERROR_BAND);
});

test('accepts vectors of any length with 128 to 512 numbers and scores their direction', () => {
  for (const dimensions of [128, 200, 512]) {
    const vector = randomVector(dimensions);
    const long = vector.map((value) => 37 * value);
    expect(Math.abs(compare(vector, long) - 1)).toBeLessThan(ERROR_BAND);
  }
});

test('rejects invalid vectors', () => {
  const { device, enrol: enroll } = parties;
  const withNaN = randomVector();
  withNaN[5] = Number.NaN;
  const infinite = randomVector();
  infinite[5] = Number.POSITIVE_INFINITY;
  for (const vector of [randomVector(127), new Float32Array(513).fill(1), new Float32Array(512), withNaN, infinite]) {
    expect(() => device.encrypt(vector, enroll.deviceKey, MODEL_ID)).toThrow(RangeError);
  }
});

test('rejects an invalid public key', () => {
  const { device, enrol: enroll } = parties;
  const { publicKey } = enroll.deviceKey;
  const outOfRange = publicKey.slice().fill(255, 1, 8);
  const otherSet = publicKey.slice();
  otherSet[0] = 2;
  for (const bytes of [new Uint8Array(0), publicKey.subarray(1), outOfRange, otherSet]) {
    expect(() => device.encrypt(randomVector(), { ...enroll.deviceKey, publicKey: bytes }, MODEL_ID)).toThrow(
      expect.objectContaining({ code: 'key' }),
    );
  }
});

test('makes tokens of one vector differ in every part', () => {
  const { device, enrol: enroll } = parties;
  const vector = randomVector();
  const bodies = Array.from({ length: 20 }, () => unpackBody(encryptBody(device, vector, enroll)));
  for (const part of ['c0', 'c1'] as const) {
    for (let index = 0; index < RING_DEGREE; index += 256) {
      expect(new Set(bodies.map((body) => body[part][index])).size).toBe(bodies.length);
    }
  }
});

test('keeps the score of a renewed token under the new key only', async () => {
  const { device, enrol: enroll, challenge } = parties;
  const renewed = await makeParty();
  const vector = randomVector();
  const { masked, unmask } = evaluator.maskForRenewal(encryptBody(device, vector, enroll));
  const body = await unmask(await reencrypt(masked, enroll.key, renewed.key));
  const probe = encryptBody(device, vectorNear(vector, 0.6), challenge);
  expect(Math.abs(scoreOne(evaluator.compareOne(body, probe), renewed.key, challenge.key) - 0.6)).toBeLessThan(
    ERROR_BAND,
  );
  expect(checkShape(await evaluator.shape(body), renewed.key)).toBe(true);
  expect(checkShape(await evaluator.shape(body), enroll.key)).toBe(false);
});
