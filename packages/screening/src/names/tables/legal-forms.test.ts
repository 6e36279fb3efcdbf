// The tables of legal forms must be consistent.
import { expect, test } from 'vitest';
import { foldName } from '../fold-name.ts';
import { foldOrganization } from '../organisation/fold-organisation.ts';
import { findLegalForms, legalFormTexts } from '../organisation/legal-form.ts';
import { LEGAL_FORM_GROUPS } from './legal-forms.ts';
import { ORGANIZATION_SYNONYMS } from './organisation-synonyms.ts';
import { PLACE_WORDS } from './place-words.ts';

test.each(Object.entries(LEGAL_FORM_GROUPS))('finds every form of %s after a name', (group, block) => {
  const wrong = block
    .split(',')
    .map((phrase) => `Orvel ${phrase.trim()}`)
    .filter((name) => {
      const texts = name.includes('.')
        ? foldOrganization(name).map(({ text }) => text)
        : legalFormTexts(foldName(name), name);
      return !(texts.at(-1)!.startsWith('=') || findLegalForms(texts).forms[1]?.length === texts.length - 1);
    });
  expect(wrong).toEqual([]);
  expect(group).toMatch(/^[a-z]+$/);
});

test("contains organizations' words and places in folded letters", () => {
  const all = [...ORGANIZATION_SYNONYMS.flatMap((line) => line.split(' ')), ...PLACE_WORDS];
  expect(all.filter((word) => !/^[a-z]+$/.test(word))).toEqual([]);
});
