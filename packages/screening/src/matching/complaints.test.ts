// Complaints of users of other screening tools, as regression tests.
import { describe, expect, test } from 'vitest';
import { listed, screenAgainst } from '../../testing/small-list.ts';

const SURE = 0.95;
const REVIEW = 0.85;

describe('yente #245', () => {
  test('scores a short true name as high as a long one', () => {
    const list = screenAgainst(listed('Li Na'), listed('U Ba Ko'), listed('Bo Xi'), listed('Ng Ah Su'));
    expect(list.score('Na|Li')).toBeGreaterThanOrEqual(SURE);
    expect(list.score('Xi|Bo')).toBeGreaterThanOrEqual(SURE);
    expect(list.score('Ah Su|Ng')).toBeGreaterThanOrEqual(SURE);
  });

  test('does not rank an equal date of birth above the name', () => {
    const list = screenAgainst(
      listed('Tomas Orvelin', { id: 'name', birthDates: ['1961'] }),
      listed('Bertil Sandqvist', { id: 'date', birthDates: ['1960-04-05'] }),
      listed('Tomas Sandqvist', { id: 'half', birthDates: ['1960-04-05'] }),
    );
    const matches = list.matches('Tomas|Orvelin|1960-04-05');
    expect(matches[0]?.id).toBe('name');
    expect(matches.find(({ id }) => id === 'date')).toBeUndefined();
    expect(matches.find(({ id }) => id === 'half')?.score ?? 0).toBeLessThan(REVIEW);
  });

  test('finds names that sound alike', () => {
    const list = screenAgainst(listed('Stephan Maier'), listed('Kristof Jakobsen'), listed('Filip Vatanabe'));
    expect(list.score('Steven|Meyer')).toBeGreaterThanOrEqual(REVIEW);
    expect(list.score('Christoph|Jacobsen')).toBeGreaterThanOrEqual(SURE);
    expect(list.score('Phillip|Watanabe')).toBeGreaterThanOrEqual(SURE);
  });
});

describe('nomenklatura #334', () => {
  const list = screenAgainst(listed('Radomir Velchev', { birthDates: ['1958-03-14'] }), listed('Ioana Trestin'));

  test('reserves 1.0 for a full name with its full date of birth', () => {
    expect(list.score('Radomir|Velchev|1958-03-14')).toBe(1);
    const others = [
      ...['Radomir|Velchev', 'Radomir|Velchev|1958', 'Radomir|Velchev|1958-03', 'Radomir|Velchev|1958-03-15'],
      ...['Radomir|Veltchev|1958-03-14', 'R.|Velchev|1958-03-14', 'Ioana|Trestin|1970-01-01', 'Ioana|Trestin'],
    ];
    for (const row of others) expect(list.score(row), row).toBeLessThan(1);
  });

  test('does not treat initials as a full name, even if listed', () => {
    const initials = screenAgainst(listed('R. Z. Crankshawe', { birthDates: ['1965-02-02'] }));
    expect(initials.score('R Z|Crankshawe|1965-02-02')).toBeGreaterThanOrEqual(SURE);
    expect(initials.score('R Z|Crankshawe|1965-02-02')).toBeLessThan(1);
  });

  test('scores rows differently if they contain different facts', () => {
    const scores = ['1958-03-14', '1958-03', '1958', '', '1959', '1961', '1964', '1970'].map((date) =>
      list.score(`Radomir|Velchev|${date}`),
    );
    expect(scores).toEqual(scores.toSorted((a, b) => b - a));
    expect(new Set(scores).size).toBe(scores.length);
  });
});

describe('Watchman', () => {
  test('#115: does not match George Bush with George Habbash', () => {
    expect(screenAgainst(listed('HABBASH, George')).score('George|Bush')).toBe(0);
  });

  test('#338: does not match emma daniels with EMMA LLC', () => {
    const list = screenAgainst(listed('EMMA LLC', { schema: 'Company' }), listed('EMMA', { schema: 'Vessel' }));
    for (const row of ['emma|daniels', 'emma|daniels|1980-01-01', '|emma daniels', 'emma', '|emma']) {
      expect(list.score(row), row).toBe(0);
    }
  });

  test('#483: matches no name by CORP, which is in thousands', () => {
    const list = screenAgainst(
      listed('ORVIL TRADING CORP', { schema: 'Company' }),
      listed('CORP', { schema: 'Company' }),
      listed('General Trading Company Ltd', { schema: 'Company' }),
    );
    for (const row of ['CORP', '|CORP', 'Trading|Corp', '|LLC', '|General Trading'])
      expect(list.score(row), row).toBe(0);
  });

  test('#594: finds joined words', () => {
    const list = screenAgainst(listed('Sergei Varlamov'), listed('Abdul Rahman Tawfiq'), listed('Mohamad Hasan Wehbi'));
    expect(list.score('SergeiVarlamov')).toBeGreaterThanOrEqual(SURE);
    expect(list.score('Abdulrahman|Tawfiq')).toBeGreaterThanOrEqual(SURE);
    expect(list.score('Mohamadhasan|Wehbi')).toBeGreaterThanOrEqual(SURE);
  });
});

describe('gaps of earlier designs', () => {
  test('finds split words', () => {
    const list = screenAgainst(listed('Abdulrahman Tawfiq'), listed('Zhou Xiaoling'));
    expect(list.score('Abdul Rahman|Tawfiq')).toBeGreaterThanOrEqual(SURE);
    expect(list.score('Xiao Ling|Zhou')).toBeGreaterThanOrEqual(SURE);
  });

  test('does not match Xi with Shi', () => {
    expect(screenAgainst(listed('Shi Bohai')).score('Bohai|Xi')).toBeLessThan(REVIEW);
  });

  test('does not match bare initials', () => {
    const list = screenAgainst(listed('N.N.'), listed('Nadia Norling'), listed('N. Norling'));
    expect(list.score('N.|N.')).toBe(0);
    expect(list.score('N.N.')).toBe(0);
  });
});
