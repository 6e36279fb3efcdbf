import { expect, test } from 'vitest';
import { foldName } from './fold-name.ts';
import { mayContainSeveralNames, namesWithin, withoutRepeat } from './several-names.ts';

test.each<[text: string, ...names: string[]]>([
  ['Evander Orvel aka John Smith', 'Evander Orvel', 'John Smith'],
  ['Evander Orvel (a.k.a. John Smith)', 'Evander Orvel', 'John Smith'],
  ['ORVEL, Evander A/K/A SMITH, John F/K/A ROE, Jane', 'ORVEL, Evander', 'SMITH, John', 'ROE, Jane'],
  ['Evander Orvel; alias: John Smith', 'Evander Orvel', 'John Smith'],
  ['Evander Orvel, also known as John Smith', 'Evander Orvel', 'John Smith'],
  ['Evander Orvel aka Falcon', 'Evander Orvel'],
  ['Anna Rivers née Malik', 'Anna Rivers', 'Anna Malik'],
  ['Anna Rivers ne\u0301e Malik', 'Anna Rivers', 'Anna Malik'],
  ['Rivers, Anna geb. Malik', 'Rivers, Anna', 'Anna Malik'],
  ['Anna née Malik', 'Anna Malik'],
  ['Evander Orvel & Jane Rivers', 'Evander Orvel', 'Jane Rivers'],
  ['Evander Orvel und Jane Rivers', 'Evander Orvel', 'Jane Rivers'],
  ['Evander Orvel/Jane Rivers', 'Evander Orvel', 'Jane Rivers'],
  ['习近平 & 王岐山', '习近平', '王岐山'],
])('splits %s', (text, ...names) => {
  expect(namesWithin(text)).toEqual(names);
});

test.each([
  ...['Evander Orvel', 'Anderson Undine', 'John & Jane Rivers', 'Mr & Mrs John Rivers', 'Ram Kumar s/o Mohan Lal'],
  ...['Smith & Sons Ltd', 'John Smith & Sons Ltd', 'Orvel Trading and Rivers Shipping', 'Ahmad Alias bin Ibrahim'],
  ...['Patrick Nee', 'Siew Nee Lim Tan', 'A. K. A. Rahman Khan', 'Anna née', 'née', '&', ''],
])('finds at most one name in %s', (text) => {
  expect(namesWithin(text)).toEqual([]);
});

test('limits the number of names', () => {
  const names = Array.from({ length: 20 }, (_, at) => `Evander Orv${'e'.repeat(at)}l`);
  expect(namesWithin(names.join(' aka '))).toEqual(names.slice(0, 5));
});

test.each<[text: string, once: string | undefined]>([
  ['Evander Orvel Evander Orvel', 'evander orvel'],
  ['Evander Orvel Orvel Evander', 'evander orvel'],
  ['Evander van Orvel Evander van Orvel Evander van Orvel', 'evander van orvel'],
  ['Dr Evander Orvel Evander Orvel', 'evander orvel'],
  ['Diyab al-Shaykh Diyab al-Shaykh', 'diyab al shaykh'],
  ['Boutros Boutros', undefined],
  ['Boutros Boutros Ghali', undefined],
  ['Evander Orvel Evander Rivers', undefined],
])('removes the repetition from %s', (text, once) => {
  const parts = withoutRepeat(foldName(text));
  expect(parts?.map((part) => part.text).join(' ')).toBe(once);
});

test.each(
  ['aka', 'a.k.a.', 'a/k/a', 'AKA', 'f/k/a', 'n.k.a.', 'alias', 'also known as', 'formerly known as'].concat([
    'née',
    'nee',
    'né',
    'NÉE',
    'geb.',
    'geborene',
    'Geborener',
    '&',
    '/',
    'and',
    'Und',
  ]),
)('examines a text with %s', (word) => {
  const text = `Evander Orvel ${word} Jane Rivers`;
  expect(namesWithin(text)).not.toEqual([]);
  expect(mayContainSeveralNames(text, foldName(text))).toBe(true);
  expect(mayContainSeveralNames('Evander Orvel', foldName('Evander Orvel'))).toBe(false);
});
