// Family names that look like titles or particles.
import { describe, expect, it } from 'vitest';
import { listed, screenAgainst } from '../../testing/small-list.ts';

const SURE = 0.95;
const REVIEW = 0.85;
const TITLES = ['Mullah', 'Senior', 'Herr', 'Doctor', 'Shri', 'Father', 'Professor', 'Sheikh', 'Cardinal'];
const OTHERS = ['Saint', 'Ten', 'Dos', 'King', 'Prince', 'Pasha', 'Major'];

describe.each([...TITLES, ...OTHERS])('%s', (family) => {
  const others = listed('Albert Reginald Orvelstad');
  const lists = [
    screenAgainst(listed(`Albert Reginald ${family}`), others),
    screenAgainst(listed(`${family.toUpperCase()}, Albert Reginald`), others),
  ];

  it('matches as a family name, last or before the comma', () => {
    for (const list of lists) {
      expect(list.score(`Albert|${family}`)).toBeGreaterThanOrEqual(REVIEW);
      expect(list.score(`Albert Reginald|${family}`)).toBeGreaterThanOrEqual(SURE);
      expect(list.matches(`Albert|${family}`).map(({ matchedName }) => matchedName)).not.toContain(others.names[0]);
    }
  });

  it('matches no one by itself', () => {
    for (const list of lists) {
      expect(list.score(`Bertram|${family}`)).toBeLessThan(REVIEW);
      expect(list.score(`Bertram Konrad|${family}`)).toBeLessThan(REVIEW);
    }
  });
});

it.each(TITLES)('treats %s before a name as a title', (title) => {
  const list = screenAgainst(listed(`${title} Albert Orvelstad`), listed('TAVIK, Konrad'));
  expect(list.score('Albert|Orvelstad')).toBe(0.98);
  expect(list.score(`${title} Konrad|Tavik`)).toBe(0.98);
});

it('matches with its article, and counts if the query has more than two names', () => {
  const list = screenAgainst(listed('AL-CARDINAL, Ashraf Seed Ahmed'), listed('TEN, Sergey Yuryevich'));
  expect(list.score('Ashraf|Al-Cardinal')).toBeGreaterThanOrEqual(SURE);
  expect(list.score('Сергей|Тен')).toBeGreaterThanOrEqual(REVIEW);
  for (const row of ['Sergey Yuryevich|Ten', 'Ten|Yuryevich Sergey', '|Sergey Ten Yuryevich'])
    expect(list.score(row), row).toBe(0.98);
});

it('ignores words after a name that are never family names', () => {
  const list = screenAgainst(listed('Albert Reginald Orvelstad PhD'), listed('TAVIK, Konrad, Jr.'));
  expect(list.score('Albert Reginald|Orvelstad')).toBe(0.98);
  expect(list.score('Albert|PhD')).toBe(0);
  expect(list.score('Konrad|Tavik')).toBe(0.98);
});
