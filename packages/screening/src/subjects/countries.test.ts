// Countries by code and name, and texts that are no country.
import { describe, expect, it } from 'vitest';
import { readCountries, readCountry } from './countries.ts';
import { COUNTRY_TABLE, OTHER_CODES } from './country-table.ts';

const LINES = COUNTRY_TABLE.trim().split('\n');

it.each([
  ['LB', 'lb'],
  [' lb ', 'lb'],
  ['Lebanon', 'lb'],
  ['LEBANESE REPUBLIC', 'lb'],
  ['RUSSIAN FEDERATION', 'ru'],
  ['Russia', 'ru'],
  ['ru-cri', 'ru'],
  ['cy-trnc', 'cy'],
  ['Iran (Islamic Republic of)', 'ir'],
  ['Côte d’Ivoire', 'ci'],
  ["Cote d'Ivoire", 'ci'],
  ['Cote d Ivoire', 'ci'],
  ["Democratic People's Republic of Korea", 'kp'],
  ['Korea, North', 'kp'],
  ['Korea, Republic of', 'kr'],
  ['uk', 'gb'],
  ['U.S.A.', 'us'],
  ['U.S.', 'us'],
  ['Myanmar', 'mm'],
  ['Burma', 'mm'],
  ['Myanmar (Burma)', 'mm'],
  ['Congo, Democratic Republic of the', 'cd'],
  ['Congo (Kinshasa)', 'cd'],
  ['Congo, Republic of the', 'cg'],
  ['Congo', 'cg'],
  ['The Bahamas', 'bs'],
  ['Bahamas, The', 'bs'],
  ['Saint Kitts and Nevis', 'kn'],
  ['St. Kitts & Nevis', 'kn'],
  ['West Bank', 'ps'],
  ['Region: Gaza', 'ps'],
  ['Palestine, State of', 'ps'],
  ['Hong Kong', 'hk'],
  ['China, Hong Kong Special Administrative Region', 'hk'],
  ['Macau', 'mo'],
  ['Macao SAR China', 'mo'],
  ['Republic of China', 'tw'],
  ["People's Republic of China", 'cn'],
  ['Macedonia, The Former Yugoslav Republic of', 'mk'],
  ['Virgin Islands, British', 'vg'],
  ['Türkiye', 'tr'],
  ['Turkey', 'tr'],
  ['Bosnia and Herzegovina', 'ba'],
  ['Bosnia & Herzegovina', 'ba'],
  ['Kingdom of Saudi Arabia', 'sa'],
  ['xk', 'xk'],
])('reads %s as %s', (text, code) => {
  expect(readCountry(text)).toBe(code);
});

it.each(['', 'Atlantis', 'Narnia', 'zz', 'eu', 'unknown', '12', 'suhh', 'Korea', 'Republic', 'x'.repeat(200)])(
  'rejects %s',
  (text) => {
    expect(readCountry(text)).toBeNull();
  },
);

describe('withdrawn codes', () => {
  it.each([
    ['Germany', 'de', 'dd'],
    ['Yemen', 'ye', 'yd'],
    ['Zimbabwe', 'zw', 'rh'],
    ['Serbia', 'rs', 'cs'],
  ])('are not returned for %s', (name, code, withdrawn) => {
    expect([readCountry(name), readCountry(code)]).toEqual([code, code]);
    expect(readCountry(withdrawn)).not.toBe(withdrawn);
  });

  it('map to one present country or to none', () => {
    expect(new Set(Object.values(OTHER_CODES).map(readCountry))).toEqual(new Set(Object.values(OTHER_CODES)));
    expect(['su', 'yu', 'cs', 'an'].map(readCountry)).toEqual([null, null, null, null]);
  });
});

it('reads each country by both codes in any case and by every name', () => {
  expect(LINES).toHaveLength(250);
  for (const line of LINES) {
    const [two = '', three = ''] = line.split(' ');
    const written = [two, two.toUpperCase(), three, three.toUpperCase(), ...line.slice(7).split('|')];
    expect(readCountries(written), line).toEqual(new Set([two]));
  }
});

it('counts a country once, however it is written', () => {
  expect([...readCountries(['LB', 'LBN', 'Lebanon', 'Atlantis'])]).toEqual(['lb']);
});
