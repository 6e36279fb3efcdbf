// ROT13: the alphabet turned by half, and nothing else touched.
import { expect, it } from 'vitest';
import { rot13 } from './rot13.ts';

it('turns letters and leaves the rest', () => {
  const alphabet = 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ';
  expect(rot13(alphabet)).toBe('nopqrstuvwxyzabcdefghijklmNOPQRSTUVWXYZABCDEFGHIJKLM');
  expect(rot13(rot13(alphabet))).toBe(alphabet);
  expect(rot13('0189-_=ü@[`{')).toBe('0189-_=ü@[`{');
});
