// One side of a face is nearly always brighter. A screen adds equally to both; paint follows the
// picture.
import { describe, expect, test } from 'vitest';
import { judgeSides, type Place } from './judge-sides.ts';
import { MIRRORED, PATCHES } from './patches.ts';

const LIGHTER = [0.4, 0.4, 0.6, 0.5];
const NOISE = 0.03;

interface Face {
  /** Log brightness of the left side relative to the right, by pair. */
  lighter?: readonly number[];
  /** Power of the brightness used for painting; 0 is a screen. */
  power?: number;
  /** Rotation of the screen or head to one side. */
  askew?: number;
  noise?: number;
}

function judge({ lighter = LIGHTER, power = 0, askew = 0, noise = NOISE }: Face) {
  const places: Place[] = PATCHES.map(() => ({ share: 1, noise, level: 0.3 }));
  for (const [i, { sides, slant }] of MIRRORED.entries()) {
    const half = lighter[i]! / 2;
    for (const [side, sign] of [1, -1].entries()) {
      const level = 0.3 * Math.exp(sign * half);
      // Added light, next to the existing one.
      const added = Math.exp(sign * (power * half + (askew * slant) / 2));
      places[sides[side]!] = { level, share: (0.3 * added) / level, noise };
    }
  }
  return judgeSides(places);
}

describe('a lamp on one side', () => {
  test('finds that a screen adds equally to both sides', () => {
    expect(judge({})).toBeGreaterThan(1);
    expect(judge({ askew: -0.2 })).toBeGreaterThan(1);
    // Toward the lamp's side, like paint: less certain, but still not paint.
    expect(judge({ askew: 0.2 })).toBeGreaterThan(0);
  });

  test.each([
    ['a factor', 1],
    ['a color that is mixed in', 0.57],
  ])('finds that %s adds more on the brighter side', (_, power) => {
    expect(judge({ power, lighter: LIGHTER.map((lead) => 2 * lead) })).toBeLessThan(-1);
  });

  test('works for a lamp on either side', () => {
    for (const power of [0, 1]) {
      const [left, right] = [judge({ power }), judge({ power, lighter: LIGHTER.map((lead) => -lead) })];
      expect(left).toBeCloseTo(right!, 6);
    }
  });

  test('finds no paint if neither explains the sides', () => {
    expect(judge({ power: 8, lighter: LIGHTER.map((lead) => lead / 3) })).toBeGreaterThan(-1);
  });
});

test('finds nothing in light from both sides', () => {
  for (const power of [0, 0.57, 1]) {
    expect(judge({ power, lighter: [0.02, -0.01, 0.03, 0] })).toBeCloseTo(0, 0);
  }
});

test('finds nothing if the noise is as large as the difference', () => {
  expect(judge({ power: 1, noise: 0.6 })).toBeGreaterThan(-1);
});

test('finds no paint with hair over one side, which reflects less of lamp and screen', () => {
  const hairOver = (pairs: readonly number[]) => {
    const places: Place[] = PATCHES.map(() => ({ share: 1, noise: NOISE, level: 0.3 }));
    for (const pair of pairs) places[MIRRORED[pair]!.sides[0]]!.level = 0.06;
    return judgeSides(places);
  };
  for (const pairs of [[0], [2], [2, 3], [0, 2, 3], [0, 1, 2, 3]])
    expect([pairs, hairOver(pairs)! > -1]).toEqual([pairs, true]);
});

test('finds no paint with a mark on one place, however bright', () => {
  for (const pair of MIRRORED) {
    const places: Place[] = PATCHES.map(() => ({ share: 1, noise: NOISE, level: 0.3 }));
    places[pair.sides[1]]!.level = 0.55;
    expect(judgeSides(places)).toBeGreaterThan(-1);
  }
});

test('finds nothing if a side was not visible or responded inversely', () => {
  const places: (Place | null)[] = PATCHES.map((_, i) => ({ share: 1, noise: NOISE, level: 0.1 * (1 + i) }));
  expect(judgeSides(places.with(7, null))).toBeNull();
  expect(judgeSides(places.with(7, { share: -0.1, noise: NOISE, level: 0.3 }))).toBeNull();
});
