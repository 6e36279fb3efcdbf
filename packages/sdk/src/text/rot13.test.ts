// ROT13 of letters only.
import { expect, it } from 'vitest';
import { rot13 } from './rot13.ts';

it('rotates letters and keeps everything else', () => {
  const alphabet = 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ';
  expect(rot13(alphabet)).toBe('nopqrstuvwxyzabcdefghijklmNOPQRSTUVWXYZABCDEFGHIJKLM');
  expect(rot13(rot13(alphabet))).toBe(alphabet);
  expect(rot13('0189-_=ü@[`{')).toBe('0189-_=ü@[`{');
});
