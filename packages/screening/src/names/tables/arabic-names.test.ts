// The Arabic name table must be well formed and unambiguous.
import { expect, test } from 'vitest';
import { unifyArabic } from '../arabic-script.ts';
import { NAMES_IN_ARABIC_SCRIPT } from './arabic-names.ts';
import { WORDS_IN_ARABIC_SCRIPT } from './organisation-synonyms.ts';
import { words } from './words.ts';

const forms = Object.values(NAMES_IN_ARABIC_SCRIPT).flatMap(words).map(unifyArabic);

test('has plain words as readings', () => {
  expect(Object.keys(NAMES_IN_ARABIC_SCRIPT).filter((text) => !/^[a-z]+$/.test(text))).toEqual([]);
});

test('has every form in Arabic script, once', () => {
  expect(forms.filter((form) => !/^\p{Script=Arabic}+$/u.test(form))).toEqual([]);
  expect(forms.filter((form, at) => forms.indexOf(form) !== at)).toEqual([]);
});

test('contains no generic words, which are translated', () => {
  const trade = new Set(Object.values(WORDS_IN_ARABIC_SCRIPT).flatMap(words).map(unifyArabic));
  expect(forms.filter((form) => trade.has(form))).toEqual([]);
});
