// Properties that must hold for all names.
import { onlyWhenLong } from '@limen/testing/rounds.ts';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { listed, screenAgainst } from '../../testing/small-list.ts';

const GIVEN = 'Aleksandr Fatima Youssef Zhiwei Marisol Kwabena Siobhan Dmitri Ngozi Lakshmi Goran Ahmed Maria'.split(
  ' ',
);
const MIDDLE = 'Petrovich Hassan Abdul Jin Elena al van Omar Lucia Vladimirovna bin'.split(' ');
const FAMILY = 'Orlenko Haddad Qureshi Wenzhou Castellano Boateng Fitzmaurice Sokolovsky Achebe Garcia Khan'.split(' ');
const DATES = ['1961-02-03', '1975', '1980-11', '1990-05-06'];
const name = fc.tuple(
  fc.constantFrom(...GIVEN),
  fc.array(fc.constantFrom(...MIDDLE), { maxLength: 2 }),
  fc.constantFrom(...FAMILY),
);
const entries = GIVEN.flatMap((given, at) =>
  FAMILY.filter((_, place) => (at + place) % 3 === 0).map((family, place) =>
    listed(`${given} ${MIDDLE[(at * 3 + place) % MIDDLE.length]} ${family}`, {
      id: `${given}-${family}`,
      birthDates: place % 3 === 0 ? [] : [DATES[(at + place) % DATES.length]!],
    }),
  ),
);
const list = screenAgainst(...entries);
const spread = (parts: string[], date = '') => `${parts[0]}|${parts.slice(1).join(' ')}|${date}`;
const accent = (text: string) => text.replace(/[aeiouc]/g, (letter) => `${letter}́`).normalize('NFC');

describe('a score', () => {
  test('does not depend on capitalization, accents or the order of the parts', () => {
    fc.assert(
      fc.property(name, fc.constantFrom('', ...DATES), fc.nat(), ([given, middle, family], date, seed) => {
        const parts = [given, ...middle, family];
        const turned = parts.map((part, at) => ({ part, rank: (seed * (at + 7) * 2_654_435_761) % 1_000_003 }));
        const shuffled = turned.toSorted((a, b) => a.rank - b.rank).map(({ part }) => part);
        const score = list.score(spread(parts, date));
        expect(list.score(spread(parts, date).toUpperCase())).toBe(score);
        expect(list.score(spread(parts.map(accent), date))).toBe(score);
        expect(list.score(spread(shuffled, date))).toBe(score);
      }),
      { numRuns: onlyWhenLong(400, 100) },
    );
  });

  test('never rises when a matching part is omitted', () => {
    fc.assert(
      fc.property(fc.constantFrom(...entries), fc.nat(2), fc.constantFrom('', ...DATES), (entity, at, date) => {
        const parts = entity.names[0]!.split(' ');
        const left = parts.toSpliced(at, 1);
        const scoreOf = (row: string) => list.matches(row).find(({ id }) => id === entity.id)?.score ?? 0;
        expect(scoreOf(spread(left, date))).toBeLessThanOrEqual(scoreOf(spread(parts, date)));
      }),
      { numRuns: onlyWhenLong(400, 100) },
    );
  });

  test('never rises when a misspelled part is omitted', () => {
    fc.assert(
      fc.property(fc.constantFrom(...entries), fc.nat(2), fc.nat(20), (entity, at, place) => {
        const parts = entity.names[0]!.split(' ');
        const part = parts[at]!;
        const slip = place % part.length;
        const misspelled = parts.with(at, part.slice(0, slip) + part.slice(slip + 1));
        const scoreOf = (row: string) => list.matches(row).find(({ id }) => id === entity.id)?.score ?? 0;
        const kept = scoreOf(spread(misspelled));
        // A part that has become another name counts against the match, so omitting it may be
        // better.
        const other = /only in the listed name|differs in a letter or two/;
        fc.pre(kept > 0 && !other.test(list.matches(spread(misspelled))[0]!.explanation.name));
        expect(scoreOf(spread(parts.toSpliced(at, 1)))).toBeLessThanOrEqual(kept);
      }),
      { numRuns: onlyWhenLong(400, 100) },
    );
  });

  test('never rises with a conflicting date', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...entries),
        fc.integer({ min: 8, max: 60 }),
        fc.boolean(),
        (entity, years, later) => {
          const row = (date: string) => spread(entity.names[0]!.split(' '), date);
          const scoreOf = (date: string) => list.matches(row(date)).find(({ id }) => id === entity.id)?.score ?? 0;
          const year = Number((entity.birthDates[0] ?? '1970').slice(0, 4)) + (later ? years : -years);
          expect(scoreOf(`${year}-06-15`)).toBeLessThanOrEqual(scoreOf(''));
          if (entity.birthDates.length > 0) expect(scoreOf(`${year}-06-15`)).toBeLessThan(scoreOf(''));
        },
      ),
      { numRuns: onlyWhenLong(300, 100) },
    );
  });

  test('is between the floor and 1 for any text, and the search never throws', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.string({ unit: 'grapheme' }), fc.string(), (first, last, date) => {
        const clean = (text: string) => text.replaceAll('|', ' ');
        for (const { score } of list.matches(`${clean(first)}|${clean(last)}|${clean(date)}`)) {
          expect(score).toBeGreaterThanOrEqual(0.5);
          expect(score).toBeLessThanOrEqual(1);
        }
      }),
      { numRuns: onlyWhenLong(500, 100) },
    );
  });
});
