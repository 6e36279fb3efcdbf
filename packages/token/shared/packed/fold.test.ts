import { expect, test } from 'vitest';
import { randomPolynomial } from '../../testing/forge.ts';
import { center, multiply, RING_DEGREE, reduce, transform, transformInverse } from '../index.ts';
import { BLOCK_PEOPLE, FOLDED_LENGTH, foldProbe, foldToken } from './fold.ts';

/** Even, as the encoder's output; whole numbers, 0..q-1. */
function drawEven(): Int32Array {
  const half = randomPolynomial(2000, 'even');
  return Int32Array.from({ length: RING_DEGREE }, (_, index) => {
    if (index === 0) return reduce(Math.round(100 + half[0]!));
    const value = Math.round(half[Math.min(index, RING_DEGREE - index)]!);
    return reduce(index <= RING_DEGREE / 2 ? value : -value);
  });
}

function multiplyPolynomials(left: Int32Array, right: Int32Array): Int32Array {
  const [a, b] = [left.slice(), right.slice()];
  transform(a);
  transform(b);
  const product = a.map((value, index) => multiply(value, b[index]!));
  transformInverse(product);
  return product.map(center);
}

test('yields scores of exactly twice the products of the even-place coefficients, for each of the four', () => {
  const tokens = Array.from({ length: BLOCK_PEOPLE }, drawEven);
  const probe = drawEven();
  const [block, folded] = [new Int32Array(RING_DEGREE), new Int32Array(RING_DEGREE)];
  for (const [place, token] of tokens.entries()) foldToken(token, place, block);
  foldProbe(probe, folded);
  const product = multiplyPolynomials(block, folded);
  for (const [place, token] of tokens.entries()) {
    let sum = 0;
    for (let index = 0; index < RING_DEGREE; index += 2) sum += center(probe[index]!) * center(token[index]!);
    expect(product[place * FOLDED_LENGTH]).toBe(center(reduce(2 * sum)));
  }
});

test('ignores everything that is not even, or at odd places', () => {
  const disturb = (polynomial: Int32Array) =>
    polynomial.map((value, index) => {
      if (index % 2 === 1) return reduce(value + index);
      return index === 0 ? value : reduce(value + ((index * (RING_DEGREE - index)) % 1000));
    });
  const [probe, clean, disturbed] = [drawEven(), new Int32Array(RING_DEGREE), new Int32Array(RING_DEGREE)];
  foldProbe(probe, clean);
  foldProbe(disturb(probe), disturbed);
  expect(disturbed).toEqual(clean);
});
