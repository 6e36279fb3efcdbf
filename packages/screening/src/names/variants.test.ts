import { describe, expect, test } from 'vitest';
import { canonicalSpelling } from './spelling.ts';
import { findOtherForms, genderForms, isWomanInE, patronymicForms } from './variants.ts';

describe('findOtherForms', () => {
  test('finds the forms of a name in any spelling', () => {
    const forms = (name: string) => findOtherForms(name, canonicalSpelling(name)).map(({ text }) => text);
    expect(forms('aleksandr')).toContain('alejandro');
    expect(forms('aleksander')).toContain('alejandro');
    expect(forms('robert')).toContain('bob');
    expect(forms('qwertz')).toEqual([]);
  });

  test('ranks a form in both tables as the closer kind', () => {
    for (const form of findOtherForms('ivan', canonicalSpelling('ivan')))
      expect(form.canonical).not.toBe(canonicalSpelling('ivan'));
  });
});

test("uses a known name's own groups, not those of one that sounds the same", () => {
  const forms = (name: string) => findOtherForms(name, canonicalSpelling(name)).map(({ text }) => text);
  expect(canonicalSpelling('joan')).toBe(canonicalSpelling('juan'));
  expect(forms('joan')).toContain('johanna');
  expect(forms('joan')).not.toContain('john');
  expect(forms('juan')).toContain('john');
  expect(forms('juan')).not.toContain('johanna');
});

test.each([
  ['simone', 'simon', true],
  ['marcelle', 'marcel', true],
  ['renee', 'rene', true],
  ['george', 'georg', false],
  ['philippe', 'philipp', false],
  ['clarke', 'clark', false],
])('distinguishes the woman %s from the man %s: %s', (feminine, masculine, expected) => {
  expect(isWomanInE(feminine, masculine)).toBe(expected);
});

test.each([
  ['ryhoravich', 'grigorievich'],
  ['mikalaevich', 'nikolaevich'],
  ['ivanauna', 'ionovna'],
])('matches patronymics across languages: %s and %s', (name, other) => {
  expect(patronymicForms(name).map(({ canonical }) => canonical)).toContain(canonicalSpelling(other));
});

test.each(['orvelovich', 'petrov', 'stojkovic'])('finds no known father for %s', (name) => {
  expect(patronymicForms(name)).toEqual([]);
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
  ])('returns for %s the forms %s', (name, expected) => {
    expect(forms(name)).toEqual(expected);
  });
});
