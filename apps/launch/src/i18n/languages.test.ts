// Completeness of every language: the same keys, placeholders and plural forms, and no English
// left.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { chooseLanguage, directionOf, LANGUAGES, loadLanguage } from './index.ts';

type Texts = Record<string, string | Record<string, string>>;

const FOLDER = join(import.meta.dirname, 'languages');
const read = (tag: string) => JSON.parse(readFileSync(join(FOLDER, `${tag}.json`), 'utf8')) as Texts;
const english = read('en');
const listPlaceholders = (text: string) => (text.match(/\{\w+\}/g) ?? []).sort();
const listForms = (entry: string | Record<string, string>) => (typeof entry === 'string' ? { other: entry } : entry);
/** Words that are the same in English. */
const SAME_AS_ENGLISH = new Set(['da welcome.start', 'nb welcome.start']);

/** Returns whether a form means a single number: `one` is 1 in German, but also 21 in Russian. */
function standsForOneNumber(tag: string, form: string): boolean {
  const plurals = new Intl.PluralRules(tag);
  return (
    Array.from({ length: 200 }, (_, number) => plurals.select(number)).filter((found) => found === form).length === 1
  );
}

it('covers 44 languages, each with a file and a name', () => {
  expect(LANGUAGES).toHaveLength(44);
  const files = readdirSync(FOLDER).map((name) => name.replace(/\.json$/, ''));
  expect(files.sort()).toEqual(LANGUAGES.map(({ tag }) => tag).sort());
  expect(new Set(LANGUAGES.map(({ name }) => name)).size).toBe(44);
});

it('lists all languages in the documents', () => {
  const document = readFileSync(join(import.meta.dirname, '../../../../docs/launch-page.md'), 'utf8');
  const [list = ''] = /^`ar` .*?\n\n/ms.exec(document) ?? [];
  const names = list
    .trim()
    .replaceAll(/\s+/g, ' ')
    .matchAll(/`([^`]+)` ([^,]+)/g);
  const rows = [...names].map(([, tag, name]) => ({ tag, name }));
  expect(rows).toEqual(LANGUAGES);
});

describe.each(LANGUAGES.map(({ tag }) => tag))('%s', (tag) => {
  const texts = read(tag);

  it('has every key, in the same order, and no other', () => {
    expect(Object.keys(texts)).toEqual(Object.keys(english));
  });

  it('keeps every placeholder', () => {
    for (const [key, entry] of Object.entries(texts)) {
      const wanted = listPlaceholders(listForms(english[key]!)['other']!);
      for (const [form, text] of Object.entries(listForms(entry))) {
        const found = listPlaceholders(text);
        // Such a form may spell the number out.
        const inWords = typeof entry !== 'string' && found.length === 0 && standsForOneNumber(tag, form);
        if (!inWords) expect([key, form, found]).toEqual([key, form, wanted]);
      }
    }
  });

  it('has the plural forms of its language', () => {
    const categories = [...new Intl.PluralRules(tag).resolvedOptions().pluralCategories].sort();
    for (const [key, entry] of Object.entries(english)) {
      if (typeof entry === 'string') expect([key, typeof texts[key]]).toEqual([key, 'string']);
      else expect([key, Object.keys(texts[key]!).sort()]).toEqual([key, categories]);
    }
  });

  it('has no empty text, no stray spaces and nothing left in English', () => {
    for (const [key, entry] of Object.entries(texts)) {
      for (const text of Object.values(listForms(entry))) {
        expect([key, text]).toEqual([key, text.trim()]);
        expect([key, text.length > 0]).toEqual([key, true]);
        if (tag === 'en' || SAME_AS_ENGLISH.has(`${tag} ${key}`)) continue;
        expect([key, Object.values(listForms(english[key]!))]).not.toEqual([key, expect.arrayContaining([text])]);
      }
    }
  });
});

describe('chooseLanguage', () => {
  it.each([
    ['de-AT', 'de'],
    ['en_US', 'en'],
    ['pt', 'pt-BR'],
    ['pt-PT', 'pt-PT'],
    ['pt-AO', 'pt-PT'],
    ['pt-BR', 'pt-BR'],
    ['zh', 'zh-Hans'],
    ['zh-TW', 'zh-Hant'],
    ['zh-HK', 'zh-Hant'],
    ['zh-Hans-TW', 'zh-Hans'],
    ['no', 'nb'],
    ['nn-NO', 'nb'],
    ['tl', 'fil'],
    ['iw', 'he'],
    ['sr-Latn', 'sr'],
    ['xx', 'en'],
    ['not a locale', 'en'],
    ['', 'en'],
  ])('%s gets %s', (locale, tag) => {
    expect(chooseLanguage(locale)).toBe(tag);
  });

  it('returns an existing language for any text', () => {
    const tags = new Set(LANGUAGES.map(({ tag }) => tag));
    fc.assert(fc.property(fc.string(), (locale) => tags.has(chooseLanguage(locale))));
  });
});

it('has four right-to-left languages', () => {
  const tags = LANGUAGES.map(({ tag }) => tag).filter((tag) => directionOf(tag) === 'rtl');
  expect(tags).toEqual(['ar', 'fa', 'he', 'ur']);
});

it('formats numbers and plurals for the language', async () => {
  const [arabic, polish] = [await loadLanguage('ar-EG'), await loadLanguage('pl')];
  expect(polish.text('welcome.timeLeft', { count: 1 })).not.toBe(polish.text('welcome.timeLeft', { count: 2 }));
  expect(polish.text('welcome.timeLeft', { count: 22 })).toContain('22');
  expect(polish.percent(0.5)).toMatch(/^50\s?%$/);
  expect(arabic.text('challenge.progress', { number: 2, total: 3 })).not.toContain('{');
});

it('falls back to English if a language fails to load', async () => {
  const fail = () => Promise.reject(new TypeError('Failed to fetch dynamically imported module'));
  const words = await loadLanguage('ja', fail);
  expect([words.tag, words.text('title')]).toEqual(['en', english['title']]);
  expect((await loadLanguage('en-GB', fail)).tag).toBe('en');
});

it('keeps a placeholder without a value and ignores inherited names', async () => {
  const { text } = await loadLanguage('en');
  expect(text('documentTitleStep')).toBe('Age check: {step}');
  expect(text('documentTitleStep', { constructor: 'x' })).toBe('Age check: {step}');
});
