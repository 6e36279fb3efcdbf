// Tests with vectors of two numbers: the angle between two vectors is their dissimilarity.
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

describe('createIdentity', () => {
  it('admits two similar faces at rest', () => {
    const { ahead } = start();
    expect([ahead(0), ahead(40), ahead(30)]).toEqual([true, false, true]);
  });

  it('allows more difference for a turned head than for one that looks ahead', () => {
    const { ahead, moving } = start();
    ahead(0);
    ahead(0);
    expect([ahead(36), ahead(38), moving(38), moving(72), moving(74)]).toEqual([true, false, true, true, false]);
  });

  it('does not drift to another person in small steps', () => {
    const { ahead } = start();
    const steps = [0, 0, 20, 30, 40, 50];
    expect(steps.map(ahead)).toEqual([true, true, true, true, false, false]);
  });

  it('admits no turned face before rest or after forgetting', () => {
    const { identity, ahead, moving } = start();
    expect(moving(0)).toBe(false);
    ahead(0);
    ahead(0);
    identity.forget();
    expect([moving(0), ahead(90), ahead(90), ahead(0)]).toEqual([false, true, true, false]);
  });

  it('rejects a vector of NaN', () => {
    const { identity, ahead } = start();
    ahead(0);
    expect(identity.admit(Float32Array.of(Number.NaN, 0), true)).toBe(false);
  });

  it('neither keeps nor changes the vectors it was given', () => {
    const { identity } = start();
    const vectors = [faceAt(0), faceAt(10)];
    for (const vector of vectors) identity.admit(vector, true);
    vectors[0]!.fill(0);
    expect(identity.admit(faceAt(5), true)).toBe(true);
    identity.forget();
    expect(vectors[1]).toEqual(faceAt(10));
  });
});
