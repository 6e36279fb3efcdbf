import { describe, expect, test } from 'vitest';
import { canonicalSpelling } from './spelling.ts';
import { genderForms, isWomanInE, otherFormsOf, patronymicForms } from './variants.ts';

describe('otherFormsOf', () => {
  test('finds the forms of a name in any spelling of it', () => {
    const forms = (name: string) => otherFormsOf(name, canonicalSpelling(name)).map(({ text }) => text);
    expect(forms('aleksandr')).toContain('alejandro');
    expect(forms('aleksander')).toContain('alejandro');
    expect(forms('robert')).toContain('bob');
    expect(forms('qwertz')).toEqual([]);
  });

  test('a name that is both another form and a short form counts as the closer', () => {
    for (const form of otherFormsOf('ivan', canonicalSpelling('ivan')))
      expect(form.canonical).not.toBe(canonicalSpelling('ivan'));
  });
});

test('a name that is known has the forms of its own groups, and not of one that sounds the same', () => {
  const forms = (name: string) => otherFormsOf(name, canonicalSpelling(name)).map(({ text }) => text);
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
])('%s is a woman, and %s a man: %s', (feminine, masculine, expected) => {
  expect(isWomanInE(feminine, masculine)).toBe(expected);
});

test.each([
  ['ryhoravich', 'grigorievich'],
  ['mikalaevich', 'nikolaevich'],
  ['ivanauna', 'ionovna'],
])('%s is %s in another language', (name, other) => {
  expect(patronymicForms(name).map(({ canonical }) => canonical)).toContain(canonicalSpelling(other));
});

test.each(['orvelovich', 'petrov', 'stojkovic'])('%s has no father who is known', (name) => {
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
  ])('%s: %s', (name, expected) => {
    expect(forms(name)).toEqual(expected);
  });
});
