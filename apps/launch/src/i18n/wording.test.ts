// Typography of every language: final marks, quotation marks, and consistent words for left and
// right.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { directionOf, LANGUAGES } from './index.ts';

type Texts = Record<string, string | Record<string, string>>;

const read = (tag: string) =>
  JSON.parse(readFileSync(join(import.meta.dirname, 'languages', `${tag}.json`), 'utf8')) as Texts;
const english = read('en');
const listForms = (entry: string | Record<string, string>) =>
  Object.values(typeof entry === 'string' ? [entry] : entry);

/** The Greek question mark looks like a semicolon. */
const MARKS: ReadonlyArray<readonly [RegExp, string]> = [
  [/[.。।۔]$/, 'full stop'],
  [/[?？؟;]$/, 'question mark'],
  [/…$/, 'ellipsis'],
  [/[!:,،、！：，]$/, 'another mark'],
];
const findMark = (text: string) => MARKS.find(([mark]) => mark.test(text))?.[1] ?? 'none';
/** A full stop after a name or number would read as part of it. */
const endsInPlaceholder = (text: string) => /\}\u2069?$/.test(text);

/** Opening and closing quotation marks by language. */
const QUOTES = new Map([
  ['“”', ['bn', 'en', 'fil', 'hi', 'id', 'lv', 'ms', 'pt-BR', 'th', 'tr', 'vi', 'zh-Hans']],
  ['„“', ['bg', 'cs', 'de', 'et', 'lt', 'sk']],
  ['„”', ['hr', 'hu', 'pl', 'ro', 'sr']],
  ['””', ['da', 'fi', 'he', 'sv']],
  ['”“', ['ur']],
  ['«»', ['ar', 'ca', 'el', 'es', 'fa', 'fr', 'it', 'nb', 'pt-PT', 'ru', 'uk']],
  ['»«', ['sl']],
  ['‘’', ['ko', 'nl']],
  ['「」', ['ja', 'zh-Hant']],
]);

/** Pattern for the word "age", at the start of a word unless the pattern covers that itself. */
const AGE = new Map([
  ...words(
    'ar (ال)?عمر',
    'bg възраст',
    'bn বয়স',
    'ca edat',
    'cs věk',
    'da alder',
    'de alter(s|(?!\\p{L}))',
    'el ηλικί',
    'en age(?!\\p{L})',
  ),
  ...words(
    'es edad',
    'et vanus',
    'fa سن(?!\\p{L})',
    'fi (ikä|iän)',
    'fil edad',
    'fr âge',
    'he ה?גיל',
    'hi उम्र',
    'hr dobi?(?!\\p{L})',
  ),
  ...words(
    'hu életkor',
    'id usia',
    'it età',
    'ja .*年齢',
    'ko .*나이',
    'lt amži',
    'lv vecum',
    'ms umur',
    'nb alder',
    'nl leeftijd',
  ),
  ...words(
    'pl wiek',
    'pt-BR idade',
    'pt-PT idade',
    'ro vârst',
    'ru возраст',
    'sk vek',
    'sl starost',
    'sr узраст',
    'sv ålder',
  ),
  ...words(
    'th .*(?<!หมด)อายุ',
    'tr yaş',
    'uk вік(у|ом)?(?!\\p{L})',
    'ur عمر',
    'vi tuổi',
    'zh-Hans .*年龄',
    'zh-Hant .*年齡',
  ),
]);
function words(...lines: string[]): [string, RegExp][] {
  return lines.map((line) => {
    const [tag, pattern] = line.split(' ', 2) as [string, string];
    return [tag, new RegExp(`(?<!\\p{L})${pattern}`, 'iu')];
  });
}

/** Lists the words of a text that a compared text does not contain. */
function listDifferentWords(tag: string, text: string, comparedText: string): string[] {
  const segments = new Intl.Segmenter(tag, { granularity: 'word' });
  const wordsOf = (sentence: string) =>
    [...segments.segment(sentence)].filter(({ isWordLike }) => isWordLike).map(({ segment }) => segment.toLowerCase());
  const known = new Set(wordsOf(comparedText));
  return wordsOf(text).filter((word) => !known.has(word));
}

describe.each(LANGUAGES.map(({ tag }) => tag))('%s', (tag) => {
  const texts = read(tag);
  const textOf = (key: string) => texts[key] as string;

  it('ends a text with the same kind of mark as English', () => {
    for (const [key, entry] of Object.entries(texts)) {
      const wanted = findMark(listForms(english[key]!)[0]!);
      for (const text of listForms(entry)) {
        // Thai has neither full stop nor question mark.
        const unmarked = endsInPlaceholder(text) || (tag === 'th' && ['full stop', 'question mark'].includes(wanted));
        expect([key, text, findMark(text)]).toEqual([key, text, unmarked ? 'none' : wanted]);
      }
    }
  });

  it('uses the quotation marks of the language and no straight ones', () => {
    const marks = [...QUOTES].find(([, tags]) => tags.includes(tag))?.[0];
    const found = textOf('permission.intro').match(/[“”„«»‘’「」]/g) ?? [];
    // An apostrophe is the same character as a closing mark.
    expect(found.slice(-2).join('')).toBe(marks);
    for (const [key, entry] of Object.entries(texts)) {
      for (const text of listForms(entry)) expect([key, text]).not.toEqual([key, expect.stringMatching(/["'`]/)]);
    }
  });

  it('mentions age only where English does, because sign-ins share the other texts', () => {
    const age = AGE.get(tag)!;
    const namesAge = (pattern: RegExp, entry: string | Record<string, string>) =>
      listForms(entry).some((text) => pattern.test(text));
    expect(textOf('title')).toMatch(age);
    const neutral = Object.keys(texts).filter((key) => !namesAge(/\b(age|old|older|birth)\b/i, english[key]!));
    expect(neutral.filter((key) => namesAge(age, texts[key]!))).toEqual([]);
  });

  it('uses the same words for left and right in moving and turning', () => {
    for (const [side, other] of [
      ['Left', 'Right'],
      ['Right', 'Left'],
    ]) {
      const moved = listDifferentWords(tag, textOf(`guide.move${side}`), textOf(`guide.move${other}`));
      const turned = listDifferentWords(tag, textOf(`challenge.turn${side}`), textOf(`challenge.turn${other}`));
      expect(moved).not.toEqual([]);
      expect(turned).toEqual(moved);
    }
  });

  it('isolates a name with another text direction', () => {
    const isolated = textOf('welcome.asks').includes('\u2068{name}\u2069');
    expect(isolated).toBe(directionOf(tag) === 'rtl');
  });
});
