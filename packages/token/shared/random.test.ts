import { expect, test } from 'vitest';
import { Q, RING_DEGREE } from './parameters.ts';
import { drawProjection, EVEN_PROJECTIONS, PROJECTION_VARIANCE } from './projection.ts';
import { fillBounded, fillGaussian, fillUniform } from './random.ts';

const MANY = 40_000;
const mean = (values: Int32Array) => values.reduce((sum, value) => sum + value, 0) / values.length;
const spread = (values: Int32Array) => Math.sqrt(values.reduce((sum, value) => sum + value * value, 0) / values.length);

/** Six standard deviations of the mean: a correct generator fails once in 500 million runs. */
test('fills 0..q-1 with uniform values', () => {
  const values = new Int32Array(MANY);
  fillUniform(values);
  expect(values.every((value) => value >= 0 && value < Q)).toBe(true);
  expect(Math.abs(mean(values) / Q - 0.5)).toBeLessThan((6 * 0.289) / Math.sqrt(MANY));
  const quarters = [0, 1, 2, 3].map(
    (quarter) => values.filter((value) => Math.floor((4 * value) / Q) === quarter).length,
  );
  for (const count of quarters) expect(Math.abs(count - MANY / 4)).toBeLessThan(6 * Math.sqrt((MANY * 3) / 16));
});

test('draws all ternary and bounded values equally often', () => {
  const values = new Int32Array(MANY);
  fillBounded(values, 1);
  for (const wanted of [-1, 0, 1]) {
    const count = values.filter((value) => value === wanted).length;
    expect(Math.abs(count - MANY / 3)).toBeLessThan(6 * Math.sqrt((MANY * 2) / 9));
  }
  fillBounded(values, 1023);
  expect(Math.max(...values)).toBe(1023);
  expect(Math.min(...values)).toBe(-1023);
  expect(Math.abs(spread(values) / Math.sqrt(PROJECTION_VARIANCE) - 1)).toBeLessThan(0.02);
});

test('draws Gaussian values with their standard deviation and without far tails', () => {
  const values = new Int32Array(MANY);
  fillGaussian(values);
  expect(Math.abs(spread(values) - 3.2)).toBeLessThan(0.08);
  expect(Math.abs(mean(values))).toBeLessThan((6 * 3.2) / Math.sqrt(MANY));
  expect(Math.max(...values.map(Math.abs))).toBeLessThanOrEqual(20);
});

test('never repeats a draw', () => {
  const first = new Int32Array(64);
  const second = new Int32Array(64);
  for (const fill of [fillUniform, (out: Int32Array) => fillBounded(out, 1), fillGaussian]) {
    fill(first);
    fill(second);
    expect(first).not.toEqual(second);
  }
});

test('makes even projections vanish on odd polynomials, and odd ones on even polynomials', () => {
  const projection = new Int32Array(RING_DEGREE);
  for (const number of [0, EVEN_PROJECTIONS]) {
    drawProjection(number, projection);
    const sign = number === 0 ? -1 : 1;
    for (let index = 1; index < RING_DEGREE; index++) {
      expect(projection[RING_DEGREE - index]! + 0).toBe(sign * projection[index]! + 0);
    }
    expect(number === 0 ? projection[RING_DEGREE / 2] : projection[0]).toBe(0);
  }
});
