import { expect, test } from 'vitest';
import { readReturnCode } from './hand-back.ts';

test.each([
  ['271828', '271828'],
  ['271 828', '271828'],
  [' 271-828\n', '271828'],
  ['٢٧١٨٢٨', '271828'],
  ['۲۷۱۸۲۸', '271828'],
  ['२७१८२८', '271828'],
  ['২৭১৮২৮', '271828'],
  ['๒๗๑๘๒๘', '271828'],
  ['２７１８２８', '271828'],
  ['\u2066271828\u2069', '271828'],
  ['000000', '000000'],
  ['27182', null],
  ['2718281', null],
  ['27182a', null],
  ['', null],
])('reads %o as %o', (typed, code) => {
  expect(readReturnCode(typed)).toBe(code);
});
