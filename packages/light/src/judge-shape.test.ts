// A head is recognized by its uneven response. Noise is measured too, and unevenness clearly above
// it counts.

import { createRandom } from '@limen/face-geometry/testing/random.ts';
import { describe, expect, test } from 'vitest';
import { judgeShape } from './judge-shape.ts';
import { MIRRORED, PATCHES } from './patches.ts';
import type { Series } from './read-series.ts';

const FRAMES = 60;

/** Simulates twelve places with the given shares and relative noise. */
function judge(
  computeShare: (place: number) => number,
  noise: number,
  levelOf: (place: number) => number = () => 0.3,
  unseen: readonly number[] = [],
) {
  const random = createRandom(7);
  const normal = () => Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
  const fitted = Float64Array.from({ length: FRAMES * 3 }, (_, i) => [1, -0.5, -0.5][i % 3]! * Math.sin(i / 9));
  const strength = Math.hypot(...fitted);
  const patches = Array.from({ length: 12 }, (_, place) =>
    fitted.map((value) => computeShare(place) * value + noise * strength * Math.sqrt(2 / 3) * normal()),
  );
  const levels = patches.map((_, place) => levelOf(place));
  const seen = patches.map((patch, place) => (unseen.includes(place) ? null : patch));
  const series: Series = { times: [], disturbances: [], face: fitted, patches: seen, levels, hasRoom: true };
  return judgeShape(series, fitted).looks;
}

const even = () => 1;
const uneven = (place: number) => 0.6 + 0.8 * (place / 11);

test.each<[string, (place: number) => number, number, string]>([
  ['a head with little noise', uneven, 0.01, 'head'],
  ['a flat thing with little noise', even, 0.01, 'flat'],
  ['a head with noise far below its unevenness', uneven, 0.09, 'head'],
  ['a head with noise as large as its unevenness', uneven, 0.3, 'unknown'],
  ['a flat thing with much noise', even, 0.12, 'unknown'],
  ['neither as even as a flat thing nor as uneven as a head', (place) => 0.85 + 0.3 * (place / 11), 0.01, 'unknown'],
])('%s', (_, computeShare, noise, looks) => {
  expect(judge(computeShare, noise)).toBe(looks);
});

describe('a lamp on one side', () => {
  const isLeft = (place: number) => MIRRORED.some(({ sides }) => sides[0] === place);
  const isRight = (place: number) => MIRRORED.some(({ sides }) => sides[1] === place);
  const byHeight = (place: number) => 0.6 + 0.8 * (PATCHES[place]!.y / 100);
  const lamp = (by: number) => (place: number) =>
    0.3 * (isLeft(place) ? Math.exp(by) : isRight(place) ? Math.exp(-by) : 1);

  test('makes a head respond more on the shaded side', () => {
    const level = lamp(0.4);
    expect(judge((place) => (byHeight(place) * 0.3) / level(place), 0.01, level)).toBe('head');
  });

  test('does not make paint respond more on the shaded side', () => {
    expect(judge(byHeight, 0.01, lamp(0.4))).toBe('painted');
  });

  test('is unknown if a place was not visible, because a white dot could hide paint', () => {
    expect(judge(byHeight, 0.01, lamp(0.4), [7])).toBe('unknown');
    expect(judge(uneven, 0.01, undefined, [7])).toBe('unknown');
  });
});
