import { MOVEMENTS } from '@limen/plan';
import { expect, it } from 'vitest';
import { drawChallenges } from './draw-plan.ts';

it('draws as many movements as are wanted, each at most once', () => {
  for (const count of [1, 2, 3, MOVEMENTS.length]) {
    const drawn = drawChallenges(count);
    expect(drawn).toHaveLength(count);
    expect(new Set(drawn).size).toBe(count);
  }
});

it.each([0, -1, Number.NaN, MOVEMENTS.length + 1])('refuses a plan with %s movements', (count) => {
  expect(() => drawChallenges(count)).toThrow(RangeError);
});
