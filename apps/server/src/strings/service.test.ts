// The pure rules of the string store.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { countRowsThatFit, decodeCursor, encodeCursor } from './service.ts';

describe('cursors', () => {
  it('survive a round trip', () => {
    fc.assert(
      fc.property(fc.uuid(), (id) => {
        expect(decodeCursor(encodeCursor(id))).toBe(id);
      }),
    );
  });

  it('refuse anything that the service did not issue', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        const id = decodeCursor(text);
        expect(id === undefined || encodeCursor(id) === text).toBe(true);
      }),
    );
    expect(decodeCursor(`${encodeCursor('01900000-0000-7000-8000-000000000000')}=`)).toBeUndefined();
  });
});

describe('countRowsThatFit', () => {
  it.each([
    { sizes: [], limit: 5, count: 0 },
    { sizes: [1, 1, 1], limit: 2, count: 2 },
    { sizes: [50, 60, 1], limit: 9, count: 2 },
    { sizes: [100, 1], limit: 9, count: 1 },
    { sizes: [5000, 1], limit: 9, count: 1 },
  ])('takes $count of $sizes with a limit of $limit', ({ sizes, limit, count }) => {
    expect(countRowsThatFit(sizes, limit, 100)).toBe(count);
  });
});
