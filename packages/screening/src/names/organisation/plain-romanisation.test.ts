// Every Cyrillic legal form in the table must be recognized in every common romanization.
import { describe, expect, test } from 'vitest';
import { LEGAL_FORM_GROUPS, type LegalGroup } from '../tables/legal-forms.ts';
import { foldOrganization } from './fold-organisation.ts';
import { unifyRomanization } from './plain-romanisation.ts';

const CYRILLIC = [...'абвгґдеєёжзиіїйклмнопрстуўфхцчшщъыьэюя'];
/** Letter by letter, in the order above. `-` for omitted letters, `_` for an apostrophe. */
const SYSTEMS: Readonly<Record<string, string>> = {
  'passports of today': 'a b v g g d e ie e zh z i i i i k l m n o p r s t u u f kh ts ch sh shch ie y - e iu ia',
  'the American board': 'a b v g g d e ye e zh z i i yi y k l m n o p r s t u w f kh ts ch sh shch _ y _ e yu ya',
  'with ye everywhere': 'a b v g g d ye ye yo zh z i i yi y k l m n o p r s t u w f kh ts ch sh shch - y - e yu ya',
  'as it is typed': 'a b v g g d e e e j z i i i y k l m n o p r s t u u f h c ch sh sch - y - e yu ya',
  'ISO 9 without its signs': 'a b v g g d e e e z z i i i j k l m n o p r s t u u f h c c s s - y - e u a',
  'of scholars': 'a b v g g d e je e zh z i i ji j k l m n o p r s t u w f x c ch sh sc _ y _ e ju ja',
  German: 'a b w g g d e je jo sh s i i ji j k l m n o p r s t u w f ch z tsch sch schtsch - y - e ju ja',
  French: 'a b v g g d e ie io j z i i i i k l m n o p r s t ou ou f kh ts tch ch chtch - y - e iou ia',
  'with sh and h': 'a b v g g d e e yo zh z i i i j k l m n o p r s t u u f kh cz ch sh shh _ y _ e yu ya',
};
/** Letters with other romanizations. */
const TOO_FAR: Readonly<Record<string, RegExp>> = { German: /[жз]/, French: /[жу]/, 'as it is typed': /ж/ };

/** Letters that always count, except in prepositions. */
const HAS_SHORT_WORDS = /(?<![а-яієў])[а-яієў]{3,7}(?![а-яієў])|ъ/;

const forms = Object.entries(LEGAL_FORM_GROUPS).flatMap(([group, block]) =>
  block
    .split(',')
    .map((phrase) => phrase.trim())
    .filter((phrase) => phrase.length >= 8 && [...phrase].every(isKnown) && !HAS_SHORT_WORDS.test(phrase))
    .map((phrase) => ({ phrase, group: group as LegalGroup })),
);

function isKnown(letter: string): boolean {
  return letter === ' ' || CYRILLIC.includes(letter);
}

function romanize(phrase: string, system: string): string {
  const letters = SYSTEMS[system]!.split(' ').map((written) => written.replace('-', '').replace('_', '’'));
  return [...phrase].map((letter) => (letter === ' ' ? ' ' : letters[CYRILLIC.indexOf(letter)]!)).join('');
}

describe('a written-out legal form', () => {
  test('is in the table in its own letters', () => {
    expect(forms.length).toBeGreaterThan(40);
    for (const letters of Object.values(SYSTEMS)) expect(letters.split(' ')).toHaveLength(CYRILLIC.length);
  });

  test.each(Object.keys(SYSTEMS))('is recognized as romanized by %s', (system) => {
    const wrong = forms
      .filter(({ phrase }) => !TOO_FAR[system]?.test(phrase))
      .map(({ phrase, group }) => ({ name: `${romanize(phrase, system)} Orvel`, group }))
      .filter(({ name, group }) => {
        const [form, orvel, ...others] = foldOrganization(name).map(({ text }) => text);
        return form !== `=${group}` || orvel !== 'orvel' || others.length > 0;
      });
    expect(wrong).toEqual([]);
  });
});

test.each([
  ['obshchestvo', 'obschestvo'],
  ['ogranichennoy', 'ogranichennoi'],
  ['ogranichennoi', 'ogranitschennoj'],
  ['otvetstvennostyu', 'otvetstvennostiu'],
  ['aktsionernoe', 'akcionernoye'],
  ['predpriyatie', 'predpriiatie'],
  ['vidpovidalnistyu', 'vidpovidalnistiu'],
])('treats %s and %s alike', (a, b) => {
  expect(unifyRomanization(a)).toBe(unifyRomanization(b));
});

test.each([
  ['compania', 'campania'],
  ['sharika', 'sarika'],
  ['limitada', 'limited'],
  ['obshchestvo', 'obshchina'],
])('distinguishes %s from %s', (a, b) => {
  expect(unifyRomanization(a)).not.toBe(unifyRomanization(b));
});
