// What the benchmarks print where there is nothing to print: they end with a sentence, never with a TypeError.
import { expect, it } from 'vitest';
import { milliseconds, quantile } from '../bench/shared/figures.ts';
import { sayLeftOut } from '../scripts/bring-up.ts';

it('a figure that nothing was measured for is shown as none', () => {
  expect(milliseconds(quantile([], 0.99))).toBe('none');
  expect(milliseconds(quantile([3, 1, 2], 0.99))).toBe('3.00 ms');
});

it('what is left out is said with how to have it', () => {
  expect(sayLeftOut('all of bench:launch', 'chromium')).toBe(
    'SKIPPED: all of bench:launch (no Chromium was found; install Debian’s chromium package)',
  );
});
