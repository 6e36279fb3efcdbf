// Checks that the tables of organisations' words lead where they say.
import { expect, test } from 'vitest';
import { foldName } from '../fold-name.ts';
import { foldOrganisation } from '../organisation/fold-organisation.ts';
import { findLegalForms, formTexts } from '../organisation/legal-form.ts';
import { LEGAL_FORM_GROUPS } from './legal-forms.ts';
import { ORGANISATION_SYNONYMS } from './organisation-synonyms.ts';
import { PLACE_WORDS } from './place-words.ts';

test.each(Object.entries(LEGAL_FORM_GROUPS))('every form of %s is found behind a name', (group, block) => {
  const wrong = block
    .split(',')
    .map((phrase) => `Orvel ${phrase.trim()}`)
    .filter((name) => {
      const texts = name.includes('.')
        ? foldOrganisation(name).map(({ text }) => text)
        : formTexts(foldName(name), name);
      return !(texts.at(-1)!.startsWith('=') || findLegalForms(texts).forms[1]?.length === texts.length - 1);
    });
  expect(wrong).toEqual([]);
  expect(group).toMatch(/^[a-z]+$/);
});

test('words of organisations and places are plain letters, as they are folded', () => {
  const all = [...ORGANISATION_SYNONYMS.flatMap((line) => line.split(' ')), ...PLACE_WORDS];
  expect(all.filter((word) => !/^[a-z]+$/.test(word))).toEqual([]);
});
