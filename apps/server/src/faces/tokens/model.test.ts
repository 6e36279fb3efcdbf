// Names of the face model, and unbiased shuffling.
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { describeTokenModel } from './parts.ts';
import { shuffleInPlace } from './search/held-slots.ts';

it('names the model by the start of its digest, for a header and for a gallery', () => {
  const sha256 = '0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef';
  expect(describeTokenModel(sha256)).toEqual({
    modelId: Buffer.from(sha256.slice(0, 32), 'hex').toString('base64url'),
    modelVersion: 'LIMEN_0123456789ABCDEF',
    dimensions: 512,
  });
});

it('keeps the elements of a shuffled list', () => {
  fc.assert(
    fc.property(fc.uint32Array(), (things) => {
      const shuffled = things.slice();
      shuffleInPlace(shuffled);
      expect(shuffled.toSorted()).toEqual(things.toSorted());
    }),
  );
});

it('produces every order of a short list', () => {
  const seen = new Set<string>();
  for (let round = 0; round < 1_000; round++) {
    const things = Uint32Array.of(1, 2, 3);
    shuffleInPlace(things);
    seen.add(things.join(''));
  }
  expect(seen.size).toBe(6); // one in 10^78 runs misses an order
});
