// Which certificate is meant by how its fingerprint begins.
import { expect, it } from 'vitest';
import { chooseFingerprint } from './choose-fingerprint.ts';

const [A, B] = [`abcdef01${'0'.repeat(56)}`, `abcdef02${'0'.repeat(56)}`];

it('takes what means one, and refuses what means several, none, or is no fingerprint', () => {
  expect(chooseFingerprint([A, B], 'abcdef01')).toBe(A);
  expect(chooseFingerprint([A, A], 'AB:CD:EF')).toBe(A);
  expect(() => chooseFingerprint([A, B], 'abcdef0')).toThrow('Several authorities');
  expect(() => chooseFingerprint([A, B], 'abcdef03')).toThrow('No trusted authority');
  for (const wrong of ['', 'abcde', 'hello-there', `${A}0`.replace('a', 'x')]) {
    expect(() => chooseFingerprint([A, B], wrong)).toThrow('at least 6');
  }
});
