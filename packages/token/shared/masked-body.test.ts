import { expect, test } from 'vitest';
import { createRenewalMask } from '../evaluator/renewal-mask.ts';
import { reencrypt } from '../keyholder/index.ts';
import { encryptBody, openParties } from '../testing/parties.ts';
import { randomVector } from '../testing/vectors.ts';
import { drawSecondPolynomial, Q, RING_DEGREE, SHARE_BYTES, unpackBody } from './index.ts';

const share = (value: number) => new Uint8Array(SHARE_BYTES).fill(value);

test('draws the same polynomial on both sides, which either share changes', async () => {
  const drawn = await drawSecondPolynomial(share(1), share(2));
  expect(await drawSecondPolynomial(share(1), share(2))).toEqual(drawn);
  for (const other of [
    await drawSecondPolynomial(share(1), share(3)),
    await drawSecondPolynomial(share(3), share(2)),
    await drawSecondPolynomial(share(2), share(1)),
  ]) {
    expect(other.filter((value, index) => value === drawn[index]).length).toBeLessThan(3);
  }
});

test('draws uniformly modulo q for any shares', async () => {
  for (const [left, right] of [
    [share(0), share(0)],
    [share(255), share(0)],
  ] as const) {
    const drawn = await drawSecondPolynomial(left, right);
    expect(drawn.every((value) => value >= 0 && value < Q)).toBe(true);
    // One eighth of the values in each eighth of the range, within five standard deviations.
    for (let part = 0; part < 8; part++) {
      const count = drawn.filter((value) => Math.floor((8 * value) / Q) === part).length;
      expect(Math.abs(count - RING_DEGREE / 8)).toBeLessThan(75);
    }
  }
});

test('gives a masked body that is moved twice two second polynomials, so that repetition does not remove the noise', async () => {
  const { device, enrol: enroll, challenge } = await openParties();
  const { masked } = createRenewalMask(encryptBody(device, randomVector(), challenge));
  const [first, second] = [
    await reencrypt(masked, challenge.key, enroll.key),
    await reencrypt(masked, challenge.key, enroll.key),
  ];
  expect(first.subarray(-SHARE_BYTES)).not.toEqual(second.subarray(-SHARE_BYTES));
  device.close();
});

test('uses the jointly drawn second polynomial for a moved body', async () => {
  const { device, enrol: enroll, challenge } = await openParties();
  const { masked, unmask } = createRenewalMask(encryptBody(device, randomVector(), challenge));
  const fresh = await reencrypt(masked, challenge.key, enroll.key);
  const { c1 } = unpackBody(await unmask(fresh));
  expect(c1).toEqual(await drawSecondPolynomial(masked.subarray(-SHARE_BYTES), fresh.subarray(-SHARE_BYTES)));
  device.close();
});
