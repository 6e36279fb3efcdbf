// Texts are near if they differ by one letter or by two swapped neighbors.
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { createNearTexts, MAX_LETTERS } from './near-texts.ts';

const TEXTS = ['genrikh', 'gasanov', 'mustafa', 'cimex', 'sofia'];
const near = createNearTexts(TEXTS);
const findNear = (text: string) => near.find(text).map((place) => TEXTS[place]);

it.each([
  ['the same', 'gasanov', 'gasanov'],
  ['without a letter', 'gasnov', 'gasanov'],
  ['with a letter more', 'cimmex', 'cimex'],
  ['with another letter', 'mustafe', 'mustafa'],
  ['with two exchanged', 'sofai', 'sofia'],
])('finds a text %s', (_, text, expected) => {
  expect(findNear(text)).toEqual([expected]);
});

it.each(['gasaxxnov', 'gen', '', 'aifos', 'x'.repeat(2 * MAX_LETTERS)])('finds nothing near %j', (text) => {
  expect(findNear(text)).toEqual([]);
});

it('never denies a text that it can find', () => {
  const codes = new Uint8Array(MAX_LETTERS);
  const letters = fc.array(fc.constantFrom('a', 'b', 'c'), { minLength: 1, maxLength: 8 }).map((all) => all.join(''));
  fc.assert(
    fc.property(fc.array(letters, { minLength: 1, maxLength: 20 }), letters, (texts, text) => {
      const some = createNearTexts(texts);
      for (let at = 0; at < text.length; at += 1) codes[at] = text.charCodeAt(at);
      if (some.find(text).length > 0) expect(some.mayHave(codes, text.length)).toBe(true);
      const without = new Set(keysOf(text));
      const expected = texts.flatMap((text, place) => (keysOf(text).some((key) => without.has(key)) ? [place] : []));
      expect(some.find(text).toSorted((a, b) => a - b)).toEqual(expected);
    }),
  );
});

function keysOf(text: string): string[] {
  return [text, ...Array.from(text, (_, at) => text.slice(0, at) + text.slice(at + 1))];
}
