// Whose face it is, with vectors of two numbers: an angle between two of them is how unlike they are.
import { describe, expect, it } from 'vitest';
import { createIdentity } from './identity.ts';

/** Cosines of 37°, 53° and 73°. */
const THRESHOLDS = { falseMatch1In1000: 0.3, falseMatch1In10000: 0.6, falseMatch1In100000: 0.8 };
const faceAt = (degrees: number) =>
  Float32Array.of(Math.cos((degrees * Math.PI) / 180), Math.sin((degrees * Math.PI) / 180));

function start() {
  const identity = createIdentity({ thresholds: new Map([['embedding', THRESHOLDS]]) });
  const ahead = (degrees: number) => identity.admit(faceAt(degrees), true);
  const moving = (degrees: number) => identity.admit(faceAt(degrees), false);
  return { identity, ahead, moving };
}

describe('the person of an attempt', () => {
  it('is who was there at rest, in two frames that are alike', () => {
    const { ahead } = start();
    expect([ahead(0), ahead(40), ahead(30)]).toEqual([true, false, true]);
  });

  it('may turn further from what they look like at rest than look ahead', () => {
    const { ahead, moving } = start();
    ahead(0);
    ahead(0);
    expect([ahead(36), ahead(38), moving(38), moving(72), moving(74)]).toEqual([true, false, true, true, false]);
  });

  it('cannot become somebody else in small steps', () => {
    const { ahead } = start();
    const steps = [0, 0, 20, 30, 40, 50];
    expect(steps.map(ahead)).toEqual([true, true, true, true, false, false]);
  });

  it('is nobody before rest, and nobody again once forgotten', () => {
    const { identity, ahead, moving } = start();
    expect(moving(0)).toBe(false);
    ahead(0);
    ahead(0);
    identity.forget();
    expect([moving(0), ahead(90), ahead(90), ahead(0)]).toEqual([false, true, true, false]);
  });

  it('is not a face that is no numbers', () => {
    const { identity, ahead } = start();
    ahead(0);
    expect(identity.admit(Float32Array.of(Number.NaN, 0), true)).toBe(false);
  });

  it('keeps no vector that was handed in, and leaves those alone', () => {
    const { identity } = start();
    const vectors = [faceAt(0), faceAt(10)];
    for (const vector of vectors) identity.admit(vector, true);
    vectors[0]!.fill(0);
    expect(identity.admit(faceAt(5), true)).toBe(true);
    identity.forget();
    expect(vectors[1]).toEqual(faceAt(10));
  });
});
