// The word lists of organizations must be well formed and contain no names.
import { expect, test } from 'vitest';
import { GENERIC_BUSINESS_WORDS } from './business-words.ts';
import { COMMON, VERY_COMMON } from './common-parts.ts';
import { LEGAL_FORM_WORDS } from './legal-forms.ts';

const lists = [
  ['LEGAL_FORM_WORDS', LEGAL_FORM_WORDS],
  ['GENERIC_BUSINESS_WORDS', GENERIC_BUSINESS_WORDS],
] as const;

test.each(lists)('%s contains single plain words, each once', (_name, list) => {
  expect(list.filter((word) => !/^[a-z]+$/.test(word))).toEqual([]);
  expect(list.filter((word, i) => list.indexOf(word) !== i)).toEqual([]);
});

test('keeps legal forms and generic words apart', () => {
  expect(LEGAL_FORM_WORDS.filter((word) => GENERIC_BUSINESS_WORDS.includes(word))).toEqual([]);
});

test.each(lists)('%s contains no common name', (_name, list) => {
  const names = new Set([...VERY_COMMON, ...COMMON]);
  expect(list.filter((word) => names.has(word))).toEqual([]);
});

test.each(['llc', 'gmbh', 'ooo', 'fze', 'spzoo', 'doo', 'kk', 'bhd'])('contains %s as a legal form', (word) => {
  expect(LEGAL_FORM_WORDS).toContain(word);
});
