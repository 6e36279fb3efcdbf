import fc from 'fast-check';
import { expect, test } from 'vitest';
import { packBody, unpackBody } from './pack-body.ts';
import { BODY_BYTES, Q, RING_DEGREE } from './parameters.ts';
import { fillUniform } from './random.ts';

function drawBody() {
  const c0 = new Int32Array(RING_DEGREE);
  const c1 = new Int32Array(RING_DEGREE);
  fillUniform(c0);
  fillUniform(c1);
  return { c0, c1 };
}

test('restores a packed body', () => {
  const { c0, c1 } = drawBody();
  c0.set([Q - 1, 1, 0]);
  c1.set([0, Q - 1], RING_DEGREE - 2);
  const body = packBody(c0, c1);
  expect(body.length).toBe(BODY_BYTES);
  expect(unpackBody(body)).toEqual({ c0, c1 });
});

test('stores coefficients lowest bit first, 26 bits each', () => {
  const { c0, c1 } = drawBody();
  const body = packBody(c0, c1);
  let bits = 0n;
  for (let index = 12; index >= 0; index--) bits = (bits << 8n) | BigInt(body[index]!);
  expect([0n, 26n, 52n, 78n].map((at) => Number((bits >> at) & 0x3ffffffn))).toEqual([...c0.subarray(0, 4)]);
});

test('refuses a coefficient of q or more in any position', () => {
  const values = fc.integer({ min: Q, max: 2 ** 26 - 1 });
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 2 * RING_DEGREE - 1 }), values, (at, value) => {
      const { c0, c1 } = drawBody();
      (at < RING_DEGREE ? c0 : c1)[at % RING_DEGREE] = value;
      expect(() => unpackBody(packBody(c0, c1))).toThrow(expect.objectContaining({ code: 'range' }));
    }),
    { numRuns: 40 },
  );
});

test('refuses another length', () => {
  for (const length of [0, BODY_BYTES - 1, BODY_BYTES + 1]) {
    expect(() => unpackBody(new Uint8Array(length))).toThrow(expect.objectContaining({ code: 'length' }));
  }
});

test('refuses unencrypted bodies: zeros as the first, the second or both polynomials', () => {
  const { c0, c1 } = drawBody();
  const zeros = new Int32Array(RING_DEGREE);
  const nearlyZeros = zeros.slice().fill(1, 0, RING_DEGREE - 9);
  for (const body of [packBody(c0, zeros), packBody(zeros, c1), packBody(zeros, zeros), packBody(c0, nearlyZeros)]) {
    expect(() => unpackBody(body)).toThrow(expect.objectContaining({ code: 'transparent' }));
  }
});
