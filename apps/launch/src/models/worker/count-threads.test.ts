import { expect, test } from 'vitest';
import { countThreads } from './count-threads.ts';

test.each([
  [undefined, 1, 1],
  [1, 1, 1],
  [2, 1, 1],
  [4, 3, 1],
  [6, 4, 2],
  [8, 4, 3],
  [16, 4, 4],
])('of %s cores', (hardwareConcurrency, alone, ofTwo) => {
  const navigator = hardwareConcurrency === undefined ? {} : { hardwareConcurrency };
  expect(countThreads({ crossOriginIsolated: true, navigator }, 1)).toBe(alone);
  expect(countThreads({ crossOriginIsolated: true, navigator }, 2)).toBe(ofTwo);
  expect(countThreads({ crossOriginIsolated: false, navigator }, 1)).toBe(1);
  expect(countThreads({ navigator }, 1)).toBe(1);
});
