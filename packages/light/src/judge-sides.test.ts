// One side of a face is nearly always brighter than the other. A screen adds to both alike; paint goes with the picture.
import { describe, expect, test } from 'vitest';
import { judgeSides, type Place } from './judge-sides.ts';
import { MIRRORED, PATCHES } from './patches.ts';

const LIGHTER = [0.4, 0.4, 0.6, 0.5];
const NOISE = 0.03;

interface Face {
  /** Logarithms, pair by pair: how much brighter the left side is. */
  lighter?: readonly number[];
  /** By what power of the brightness it was painted; 0 is a screen before the face. */
  power?: number;
  /** Of the screen, or of the head: to one side. */
  askew?: number;
  noise?: number;
}

function judge({ lighter = LIGHTER, power = 0, askew = 0, noise = NOISE }: Face) {
  const places: Place[] = PATCHES.map(() => ({ share: 1, noise, level: 0.3 }));
  for (const [i, { sides, slant }] of MIRRORED.entries()) {
    const half = lighter[i]! / 2;
    for (const [side, sign] of [1, -1].entries()) {
      const level = 0.3 * Math.exp(sign * half);
      // What is added, beside what was there.
      const added = Math.exp(sign * (power * half + (askew * slant) / 2));
      places[sides[side]!] = { level, share: (0.3 * added) / level, noise };
    }
  }
  return judgeSides(places);
}

describe('a lamp on one side', () => {
  test('a screen before the face adds to both sides alike', () => {
    expect(judge({})).toBeGreaterThan(1);
    expect(judge({ askew: -0.2 })).toBeGreaterThan(1);
    // On the side of the lamp, as paint would be: less sure, and still no paint.
    expect(judge({ askew: 0.2 })).toBeGreaterThan(0);
  });

  test.each([
    ['a factor', 1],
    ['a colour that is mixed in', 0.57],
  ])('%s adds more where the picture is brighter', (_, power) => {
    expect(judge({ power, lighter: LIGHTER.map((one) => 2 * one) })).toBeLessThan(-1);
  });

  test('on either side', () => {
    for (const power of [0, 1]) {
      const [left, right] = [judge({ power }), judge({ power, lighter: LIGHTER.map((one) => -one) })];
      expect(left).toBeCloseTo(right!, 6);
    }
  });

  test('what neither explains is no evidence for paint', () => {
    expect(judge({ power: 8, lighter: LIGHTER.map((one) => one / 3) })).toBeGreaterThan(-1);
  });
});

test('light from both sides tells nothing', () => {
  for (const power of [0, 0.57, 1]) {
    expect(judge({ power, lighter: [0.02, -0.01, 0.03, 0] })).toBeCloseTo(0, 0);
  }
});

test('noise as large as the difference tells nothing', () => {
  expect(judge({ power: 1, noise: 0.6 })).toBeGreaterThan(-1);
});

test('hair over one side is no paint: it gives back less of the lamp and of the screen', () => {
  const hairOver = (pairs: readonly number[]) => {
    const places: Place[] = PATCHES.map(() => ({ share: 1, noise: NOISE, level: 0.3 }));
    for (const pair of pairs) places[MIRRORED[pair]!.sides[0]]!.level = 0.06;
    return judgeSides(places);
  };
  for (const pairs of [[0], [2], [2, 3], [0, 2, 3], [0, 1, 2, 3]])
    expect([pairs, hairOver(pairs)! > -1]).toEqual([pairs, true]);
});

test('a mark on one place is none either, however bright', () => {
  for (const pair of MIRRORED) {
    const places: Place[] = PATCHES.map(() => ({ share: 1, noise: NOISE, level: 0.3 }));
    places[pair.sides[1]]!.level = 0.55;
    expect(judgeSides(places)).toBeGreaterThan(-1);
  }
});

test('a side that was not seen, or answered the wrong way round, leaves it open', () => {
  const places: (Place | null)[] = PATCHES.map((_, i) => ({ share: 1, noise: NOISE, level: 0.1 * (1 + i) }));
  expect(judgeSides(places.with(7, null))).toBeNull();
  expect(judgeSides(places.with(7, { share: -0.1, noise: NOISE, level: 0.3 }))).toBeNull();
});
