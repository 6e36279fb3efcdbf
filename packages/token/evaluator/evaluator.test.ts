import { onlyWhenLong } from '@limen/testing/rounds.ts';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { measureShape } from '../keyholder/check-shape.ts';
import { checkShape, reencrypt, scoreRows } from '../keyholder/index.ts';
import {
  BODY_BYTES,
  center,
  INVERSE_OF_N,
  M_SQUARED,
  multiply,
  POLYNOMIAL_BYTES,
  packBody,
  Q,
  RING_DEGREE,
  ROUNDED_RANGE,
  ROW_BYTES,
  ROW_LEFT_AT,
  ROW_PRODUCT_AT,
  ROW_RIGHT_AT,
  reduce,
  SCORE_NOISE,
  transformInverse,
  unpackBody,
} from '../shared/index.ts';
import { encryptBody, makeParty, openParties, type Parties, scoreOne } from '../testing/parties.ts';
import { blindShape, multiplyBodies } from '../testing/plain-evaluator.ts';
import { collectErrors, ERROR_BAND } from '../testing/score-errors.ts';
import { dotProduct, randomVector, rootMeanSquare, vectorNear } from '../testing/vectors.ts';
import { Evaluator } from './index.ts';

let parties: Parties;
let evaluator: Evaluator;

beforeAll(async () => {
  parties = await openParties();
  evaluator = new Evaluator({ threads: 2 });
});

afterAll(() => evaluator.close());

function makePair(cosine: number) {
  const { device, enrol: enroll, challenge } = parties;
  const vector = randomVector();
  const other = vectorNear(vector, cosine);
  const pair = { token: encryptBody(device, vector, enroll), probe: encryptBody(device, other, challenge) };
  return { ...pair, cosine: dotProduct(vector, other) };
}

/** Distance of a number from zero modulo `modulus`. */
function distance(value: number, modulus: number): number {
  return Math.abs(value - Math.round(value / modulus) * modulus);
}

test('computes every coefficient of a row as plain arithmetic does, up to documented rounding', () => {
  for (let round = 0; round < 8; round++) {
    const { token, probe } = makePair(0.5);
    const { bytes } = evaluator.compareOne(token, probe);
    const [o0, o1, o2, o3] = multiplyBodies(token, probe);
    for (const term of [o0, o1, o2]) transformInverse(term);
    const word = new Int32Array(bytes.buffer, 0, 1)[0]!;
    expect(distance(word - o0[0]!, Q)).toBeLessThan(6 * SCORE_NOISE * M_SQUARED + 1);
    expect([...bytes.subarray(4, 16)]).toEqual(Array(12).fill(0));
    for (const [term, at] of [[o1, ROW_LEFT_AT] as const, [o2, ROW_RIGHT_AT] as const]) {
      const rounded = new Int16Array(bytes.buffer, at, RING_DEGREE);
      // Slightly more than a half: the kernel's factor has 40 fractional bits.
      const off = term.map((value, index) =>
        distance((value * ROUNDED_RANGE) / Q - rounded[index]!, ROUNDED_RANGE) <= 0.5 + 2 ** -12 ? 0 : 1,
      );
      expect(off.indexOf(1)).toBe(-1);
    }
    const product = new Int32Array(bytes.buffer, ROW_PRODUCT_AT, RING_DEGREE);
    expect(product.map(reduce)).toEqual(o3.map((value) => multiply(value, INVERSE_OF_N)));
  }
});

test('is exact for the largest and the smallest coefficients', () => {
  const extreme = (seed: number) =>
    Int32Array.from({ length: RING_DEGREE }, (_, index) => [1, (Q - 1) / 2, (Q + 1) / 2, Q - 1][(index * seed) % 4]!);
  for (const seed of [1, 2, 4]) {
    const [token, probe] = [packBody(extreme(seed), extreme(3)), packBody(extreme(1), extreme(seed))];
    const { bytes } = evaluator.compareOne(token, probe);
    const [, o1, o2, o3] = multiplyBodies(token, probe);
    for (const [term, at] of [[o1, ROW_LEFT_AT] as const, [o2, ROW_RIGHT_AT] as const]) {
      transformInverse(term);
      const rounded = new Int16Array(bytes.buffer, at, RING_DEGREE);
      for (let index = 0; index < RING_DEGREE; index++)
        expect(distance((term[index]! * ROUNDED_RANGE) / Q - rounded[index]!, ROUNDED_RANGE)).toBeLessThan(0.501);
    }
    const product = new Int32Array(bytes.buffer, ROW_PRODUCT_AT, RING_DEGREE);
    expect(product.map(reduce)).toEqual(o3.map((value) => multiply(value, INVERSE_OF_N)));
  }
});

test('keeps scores within the documented band of cosines', async () => {
  // accuracy.test.ts measures the average over many keys.
  const { largest } = await collectErrors(parties.device, 1, (token, probe) => evaluator.compareOne(token, probe));
  expect(largest).toBeLessThan(ERROR_BAND);
});

test('adds individual noise to each row, so that rows of the same pair differ', () => {
  const { token, probe } = makePair(0.5);
  const rows = Array.from({ length: 40 }, () => evaluator.compareOne(token, probe).bytes);
  const words = rows.map(({ buffer }) => new Int32Array(buffer, 0, 1)[0]!);
  const [o0] = multiplyBodies(token, probe);
  transformInverse(o0);
  const noise = words.map((word) => center(reduce(word - o0[0]!)) / M_SQUARED);
  expect(rootMeanSquare(noise)).toBeGreaterThan(SCORE_NOISE / 2);
  expect(rootMeanSquare(noise)).toBeLessThan(SCORE_NOISE * 2);
  expect(new Set(rows.map((bytes) => Buffer.from(bytes.subarray(16)).toString('base64'))).size).toBe(1);
});

test('accepts the shape of a legitimate body, refuses that of another key, and draws each differently', async () => {
  const { device, enrol: enroll, challenge } = parties;
  const body = Buffer.from(encryptBody(device, randomVector(), challenge));
  const before = Buffer.from(body);
  const shapes = await Promise.all(Array.from({ length: 4 }, () => evaluator.shape(body)));
  expect(body.equals(before)).toBe(true);
  for (const shape of shapes) {
    expect(checkShape(shape, challenge.key)).toBe(true);
    expect(checkShape(shape, enroll.key)).toBe(false);
  }
  const drawn = shapes.map(({ bytes }) => Buffer.from(bytes.subarray(ROW_BYTES, ROW_BYTES + 64)).toString('base64'));
  expect(new Set(drawn).size).toBe(shapes.length);
  const covered = shapes.map(({ bytes }) => Buffer.from(bytes.subarray(ROW_PRODUCT_AT, ROW_BYTES)).toString('base64'));
  expect(new Set(covered).size).toBe(shapes.length);
});

test('measures the same shape as the plain evaluator: norm 1, energy 1, nothing in the odd part', async () => {
  const { device, challenge } = parties;
  const bodies = Array.from({ length: 6 }, () => encryptBody(device, randomVector(), challenge));
  const mean = (values: number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;
  // The plain evaluator takes seconds each.
  const plain = async (body: Uint8Array) => blindShape(body);
  const compared = (body: Uint8Array) => evaluator.shape(body);
  for (const shapeOf of onlyWhenLong([compared, plain], [compared])) {
    const made = await Promise.all(bodies.map((body) => shapeOf(body)));
    const shapes = made.map((shape) => measureShape(shape, challenge.key));
    expect(mean(shapes.map(({ norm }) => norm))).toBeCloseTo(1, 1);
    expect(Math.abs(mean(shapes.map(({ even }) => even)) - 1)).toBeLessThan(0.3);
    expect(mean(shapes.map(({ odd }) => odd))).toBeLessThan(0.006);
  }
});

test('keeps the score of a renewed token that no one saw', async () => {
  const { device, enrol: enroll, challenge } = parties;
  const renewed = await makeParty();
  const vector = randomVector();
  const body = encryptBody(device, vector, enroll);
  const mask = evaluator.maskForRenewal(body);
  const fresh = await reencrypt(mask.masked, enroll.key, renewed.key);
  const token = await mask.unmask(fresh);
  const probe = encryptBody(device, vectorNear(vector, 0.6), challenge);
  const score = scoreOne(evaluator.compareOne(token, probe), renewed.key, challenge.key);
  expect(Math.abs(score - 0.6)).toBeLessThan(ERROR_BAND);
  expect(checkShape(await evaluator.shape(token), renewed.key)).toBe(true);
  await expect(mask.unmask(fresh)).rejects.toThrow('already used');
});

test('masks every value and leaves decryptions uniform', () => {
  const { device, enrol: enroll } = parties;
  const body = encryptBody(device, randomVector(), enroll);
  const [plain, masked] = [body, evaluator.maskForRenewal(body).masked.subarray(0, BODY_BYTES)].map((bytes) =>
    unpackBody(bytes!),
  );
  expect(masked!.c1).toEqual(plain!.c1);
  const mask = masked!.c0.map((value, index) => reduce(value - plain!.c0[index]!));
  transformInverse(mask);
  // Uniform: one eighth of the coefficients in each eighth of the range, within five standard
  // deviations.
  const eighths = Array.from(
    { length: 8 },
    (_, part) => mask.filter((value) => Math.floor((8 * value) / Q) === part).length,
  );
  for (const count of eighths) expect(Math.abs(count - 256)).toBeLessThan(75);
});

test('refuses a reply to a mask unless it is a polynomial and a share', async () => {
  const { device, enrol: enroll } = parties;
  const { masked, unmask } = evaluator.maskForRenewal(encryptBody(device, randomVector(), enroll));
  const fresh = await reencrypt(masked, enroll.key, enroll.key);
  await expect(unmask(fresh.subarray(1))).rejects.toThrow(expect.objectContaining({ code: 'length' }));
  await expect(unmask(new Uint8Array(fresh.length + POLYNOMIAL_BYTES))).rejects.toThrow(
    expect.objectContaining({ code: 'length' }),
  );
  const tooLarge = fresh.slice().fill(255, 0, 20);
  await expect(unmask(tooLarge)).rejects.toThrow(expect.objectContaining({ code: 'range' }));
  expect(checkShape(await evaluator.shape(await unmask(fresh)), enroll.key)).toBe(true);
});

test('refuses invalid bodies in every call and leaves no trace of them', async () => {
  const { token, probe } = makePair(0.7);
  const tooLarge = token.slice().fill(255, 100, 120);
  const transparent = token.slice().fill(0, token.length / 2);
  const arena = evaluator.createArena();
  const slot = arena.add(token);
  for (const [bad, code] of [
    [token.subarray(1), 'length'],
    [new Uint8Array(token.length + 1), 'length'],
    [new Uint8Array(0), 'length'],
    [tooLarge, 'range'],
    [transparent, 'transparent'],
  ] as const) {
    const refusal = expect.objectContaining({ code });
    expect(() => evaluator.compareOne(bad, probe)).toThrow(refusal);
    expect(() => evaluator.compareOne(token, bad)).toThrow(refusal);
    await expect(evaluator.shape(bad)).rejects.toThrow(refusal);
    expect(() => evaluator.maskForRenewal(bad)).toThrow(refusal);
    expect(() => arena.add(bad)).toThrow(refusal);
    const taken = evaluator.compareMany(arena, Uint32Array.of(slot), bad, async () => undefined);
    await expect(taken).rejects.toMatchObject(code === 'length' ? { code } : { message: expect.any(String) });
  }
  expect(arena.size).toBe(1);
  const scores = new Float64Array(1);
  await evaluator.compareMany(arena, Uint32Array.of(slot), probe, async (rows) => {
    scoreRows(rows, parties.enrol.key, parties.challenge.key, scores);
  });
  expect(Math.abs(scores[0]! - 0.7)).toBeLessThan(ERROR_BAND);
  arena.close();
});
