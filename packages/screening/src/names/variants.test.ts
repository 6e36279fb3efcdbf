import { describe, expect, test } from 'vitest';
import { canonicalSpelling } from './spelling.ts';
import { genderForms, otherFormsOf } from './variants.ts';

describe('otherFormsOf', () => {
  test('finds the forms of a name in any spelling of it', () => {
    const forms = (name: string) => otherFormsOf(canonicalSpelling(name)).map(({ text }) => text);
    expect(forms('aleksandr')).toContain('alejandro');
    expect(forms('aleksander')).toContain('alejandro');
    expect(forms('robert')).toContain('bob');
    expect(forms('qwertz')).toEqual([]);
  });

  test('a name that is both another form and a short form counts as the closer', () => {
    for (const form of otherFormsOf(canonicalSpelling('ivan')))
      expect(form.canonical).not.toBe(canonicalSpelling('ivan'));
  });
});

describe('genderForms', () => {
  const forms = (name: string) => genderForms(name).map(({ text }) => text);
  test.each([
    ['ivanov', ['ivanova']],
    ['ivanova', ['ivanov']],
    ['putin', ['putina']],
    ['zelenovsky', ['zelenovskaya']],
    ['zelenovskaya', ['zelenovsky']],
    ['martin', []],
    ['martina', []],
    ['kevin', []],
    ['haddad', []],
  ])('%s: %s', (name, expected) => {
    expect(forms(name)).toEqual(expected);
  });
});
