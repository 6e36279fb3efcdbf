// Splitting and spelling of words in Arabic script.
import { expect, test } from 'vitest';
import { foldName } from './fold-name.ts';

/** A star marks a plain transliteration. */
const parts = (name: string) => foldName(name).map(({ text, vowelless }) => (vowelless ? `${text}*` : text));

test.each([
  ['the names that are known', 'يحيى مصطفى', ['yahya', 'mustafa']],
  ['particles', 'أبو بكر بن علي', ['abu', 'bakr', 'bin', 'ali']],
  ['the article and what is written onto it', 'عبدالرحمن الأورفلي', ['abd', 'al', 'rahman', 'al', 'awrfly*']],
  ['a father of', 'أبوغيث', ['abu', 'ghyth*']],
  ['Persian letters', 'ابراهیم کریمی', ['ibrahim', 'karimi']],
  ['Urdu letters', 'ظفر اللہ', ['zfrllh*']],
  ['one word for two', 'سراج‌الدین', ['siraj', 'al', 'din']],
  ['two names in one word', 'محمدعلي', ['muhammad', 'ali']],
  ['forms of letters for the press', '\uFEE3\uFEA4\uFEE4\uFEAA', ['muhammad']],
  ['vowel signs', 'مُحَمَّد', ['muhammad']],
  ['letters that are not the one which others write with h', 'صحراوي', ['sehrawy*']],
])('reads %s', (_what, name, expected) => {
  expect(parts(name)).toEqual(expected);
});

test('keeps the position of each piece of a word', () => {
  const name = 'محمد عبدالرحمن';
  expect(foldName(name).map(({ start, end }) => name.slice(start, end))).toEqual(['محمد', 'عبد', 'ال', 'رحمن']);
});
