import fc from 'fast-check';
import { expect, test } from 'vitest';
import { Q, RING_DEGREE } from './parameters.ts';
import { fillUniform } from './random.ts';
import { center, multiply, reduce, rootsOfUnity, transform, transformInverse } from './ring.ts';

const residue = fc.oneof(fc.integer({ min: 0, max: Q - 1 }), fc.constantFrom(0, 1, Q - 1, Q - 2, (Q - 1) / 2));

test('multiplies as big integers do', () => {
  fc.assert(
    fc.property(residue, residue, (left, right) => {
      expect(multiply(left, right)).toBe(Number((BigInt(left) * BigInt(right)) % BigInt(Q)));
      expect(reduce(-left * right)).toBe(Number((BigInt(Q) ** 2n - BigInt(left) * BigInt(right)) % BigInt(Q)));
    }),
    { numRuns: 2000 },
  );
});

test('centers residues around zero', () => {
  expect([0, 1, (Q - 1) / 2, (Q + 1) / 2, Q - 1].map(center)).toEqual([0, 1, (Q - 1) / 2, -(Q - 1) / 2, -1]);
});

test('inverts the transform', () => {
  const values = new Int32Array(RING_DEGREE);
  fillUniform(values);
  const copy = values.slice();
  transform(copy);
  expect(copy).not.toEqual(values);
  transformInverse(copy);
  expect(copy).toEqual(values);
});

test('multiplies polynomials modulo X^n + 1 by multiplying values', () => {
  const left = new Int32Array(RING_DEGREE);
  const right = new Int32Array(RING_DEGREE);
  fillUniform(left);
  // A few terms suffice to show shifts and the change of sign.
  const terms = new Map([
    [0, 5],
    [1, Q - 3],
    [RING_DEGREE - 1, 12_345_678],
  ]);
  for (const [exponent, factor] of terms) right[exponent] = factor;
  const expected = new Int32Array(RING_DEGREE);
  for (const [exponent, factor] of terms) {
    for (let index = 0; index < RING_DEGREE; index++) {
      const at = (index + exponent) % RING_DEGREE;
      const sign = index + exponent < RING_DEGREE ? 1 : -1;
      expected[at] = reduce(expected[at]! + sign * multiply(left[index]!, factor));
    }
  }
  transform(left);
  transform(right);
  const product = left.map((value, index) => multiply(value, right[index]!));
  transformInverse(product);
  expect(product).toEqual(expected);
});

test('uses a primitive 2n-th root', () => {
  let value = 1;
  // The middle of the table holds the root itself, because index 1 reversed is n/2.
  const root = rootsOfUnity().forward[RING_DEGREE / 2]!;
  for (let step = 0; step < RING_DEGREE; step++) value = multiply(value, root);
  expect(value).toBe(Q - 1);
});
