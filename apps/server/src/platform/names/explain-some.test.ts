import { expect, it, vi } from 'vitest';
import { explainSome } from './name-finder.ts';

function* countUp() {
  for (let number = 1; ; number += 1) yield number;
}

it('explains the first items of an endless list and reads one more', () => {
  const explain = vi.fn(String);
  expect(explainSome(countUp(), 3, explain)).toEqual({ explained: ['1', '2', '3'], hasMore: true });
  expect(explain).toHaveBeenCalledTimes(3);
});

it('ends after the last item of a short list', () => {
  expect(explainSome([1, 2, 3], 3, String)).toEqual({ explained: ['1', '2', '3'], hasMore: false });
  expect(explainSome([], 3, String)).toEqual({ explained: [], hasMore: false });
});
