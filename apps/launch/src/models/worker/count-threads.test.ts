// Threads by what the browser says about itself.
import { expect, test } from 'vitest';
import { countThreads } from './count-threads.ts';

test.each([
  [undefined, 1],
  [1, 1],
  [2, 1],
  [4, 3],
  [8, 4],
])('of %s cores', (hardwareConcurrency, threads) => {
  const navigator = hardwareConcurrency === undefined ? {} : { hardwareConcurrency };
  expect(countThreads({ crossOriginIsolated: true, navigator })).toBe(threads);
  expect(countThreads({ crossOriginIsolated: false, navigator })).toBe(1);
  expect(countThreads({ navigator })).toBe(1);
});
