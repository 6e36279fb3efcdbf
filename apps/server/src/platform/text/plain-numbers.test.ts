import { expect, it } from 'vitest';
import { readPlainDecimal, readPlainInteger } from './plain-numbers.ts';

it.each([
  ['0', 0],
  ['5', 5],
  ['200', 200],
  ['9999999999', 9_999_999_999],
])('accepts the integer %s', (text, value) => {
  expect(readPlainInteger(text)).toBe(value);
});

it.each(['', ' 5', '5 ', '+5', '-5', '05', '00', '5.0', '5.', '1e1', '0x10', '0b1', '٣', '5\n', '99999999999', 'NaN'])(
  'rejects the integer %j',
  (text) => {
    expect(readPlainInteger(text)).toBeUndefined();
  },
);

it('accepts more digits only if the maximum has more', () => {
  expect(readPlainInteger('1700000000000', Number.MAX_SAFE_INTEGER)).toBe(1_700_000_000_000);
  expect(readPlainInteger('1700000000000', 200)).toBeUndefined();
});

it.each([
  ['0', 0],
  ['1', 1],
  ['.95', 0.95],
  ['0.95', 0.95],
  ['1.0', 1],
  ['1.', 1],
  ['00.5', 0.5],
])('accepts the decimal %s', (text, value) => {
  expect(readPlainDecimal(text)).toBe(value);
});

it.each(['', '.', ' 1', '1 ', '+1', '-0', '-1', '1e0', '0x1', '0.9.5', '0,95', 'Infinity', 'NaN', '1\n'])(
  'rejects the decimal %j',
  (text) => {
    expect(readPlainDecimal(text)).toBeUndefined();
  },
);
