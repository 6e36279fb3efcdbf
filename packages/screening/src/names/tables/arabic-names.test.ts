// Checks that the names in Arabic script are well formed and that none is read in two ways.
import { expect, test } from 'vitest';
import { unifyArabic } from '../arabic-script.ts';
import { NAMES_IN_ARABIC_SCRIPT } from './arabic-names.ts';
import { WORDS_IN_ARABIC_SCRIPT } from './organisation-synonyms.ts';
import { words } from './words.ts';

const forms = Object.values(NAMES_IN_ARABIC_SCRIPT).flatMap(words).map(unifyArabic);

test('the readings are plain words', () => {
  expect(Object.keys(NAMES_IN_ARABIC_SCRIPT).filter((text) => !/^[a-z]+$/.test(text))).toEqual([]);
});

test('every form is in Arabic script, and there once', () => {
  expect(forms.filter((form) => !/^\p{Script=Arabic}+$/u.test(form))).toEqual([]);
  expect(forms.filter((form, at) => forms.indexOf(form) !== at)).toEqual([]);
});

test('none is a word of trade, which is translated', () => {
  const trade = new Set(Object.values(WORDS_IN_ARABIC_SCRIPT).flatMap(words).map(unifyArabic));
  expect(forms.filter((form) => trade.has(form))).toEqual([]);
});
