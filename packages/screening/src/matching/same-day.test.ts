import { describe, expect, it } from 'vitest';
import { listed, screenAgainst } from '../../testing/small-list.ts';

/** So many bear the family name that nobody is found by it alone. */
const NAMESAKES = Array.from({ length: 60 }, (_, at) =>
  listed(`Vera${'abcdefghij'[at % 10]} Tashkovsky`, { id: `n-${at}` }),
);

describe('somebody born on the same day', () => {
  it.each([
    ['with one date', ['1961-02-03']],
    ['with several', ['1950', '1961-02-03']],
    ['with a day before the calendar of names begins', ['1761-02-03']],
  ])('%s is found by one part, however the other is spelled', (_, birthDates) => {
    const list = screenAgainst(...NAMESAKES, listed('Wolodymyr Tashkovsky', { birthDates }));
    const row = `Volodimmer|Tashkovsky|${birthDates.at(-1)}`;
    expect(list.matches(row)[0]?.matchedName).toBe('Wolodymyr Tashkovsky');
    expect(list.matches(row.replace('02-03', '02-05'))).toEqual([]);
  });

  it('is looked for among everybody of that day', () => {
    const day = { birthDates: ['1961-02-03'] };
    const born = ['Zeynep Acar', 'Wolodymyr Tashkovsky', 'Bohdan Leshchenko'].map((name) => listed(name, day));
    const list = screenAgainst(...NAMESAKES, ...born, listed('Yaroslav Tkach', { birthDates: ['1961-02-04'] }));
    expect(list.matches('Volodimmer|Tashkovsky|1961-02-03')).toHaveLength(1);
  });
});
