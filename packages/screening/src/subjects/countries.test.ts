// Countries by code and by name, and what is none.
import { expect, it } from 'vitest';
import { readCountries, readCountry } from './countries.ts';

it.each([
  ['LB', 'lb'],
  [' lb ', 'lb'],
  ['Lebanon', 'lb'],
  ['RUSSIAN FEDERATION', 'ru'],
  ['Russia', 'ru'],
  ['ru-cri', 'ru'],
  ['Iran (Islamic Republic of)', 'ir'],
  ['Côte d’Ivoire', 'ci'],
  ["Cote d'Ivoire", 'ci'],
  ["Democratic People's Republic of Korea", 'kp'],
  ['Korea, North', 'kp'],
  ['uk', 'gb'],
  ['U.S.A.', 'us'],
  ['Burma', 'mm'],
  ['Türkiye', 'tr'],
  ['Turkey', 'tr'],
  ['Bosnia and Herzegovina', 'ba'],
  ['Bosnia & Herzegovina', 'ba'],
  ['xk', 'xk'],
])('%s', (text, code) => {
  expect(readCountry(text)).toBe(code);
});

it.each(['', 'Atlantis', 'zz', 'unknown', '12', 'suhh'])('none: %s', (text) => {
  expect(readCountry(text)).toBeNull();
});

it('counts a country once, however it is written', () => {
  expect([...readCountries(['LB', 'Lebanon', 'Atlantis'])]).toEqual(['lb']);
});
