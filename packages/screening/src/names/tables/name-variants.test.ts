// Name groups must be well formed and keep names apart that are known to differ.
import { expect, test } from 'vitest';
import { EQUIVALENT_NAMES, NICKNAMES } from './name-variants.ts';

const tables = [
  ['EQUIVALENT_NAMES', EQUIVALENT_NAMES],
  ['NICKNAMES', NICKNAMES],
] as const;

function together(groups: readonly string[], one: string, other: string): boolean {
  return groups.some((group) => group.split(' ').includes(one) && group.split(' ').includes(other));
}

test.each(tables)('%s contains plain lower-case words', (_name, groups) => {
  expect(groups.filter((group) => !/^[a-z]+( [a-z]+)*$/.test(group))).toEqual([]);
});

test.each(tables)('%s has no group of one and no repeated member', (_name, groups) => {
  const wrong = groups.filter((group) => {
    const members = group.split(' ');
    return members.length < 2 || new Set(members).size !== members.length;
  });
  expect(wrong).toEqual([]);
});

test.each(tables)('%s has no group inside another', (_name, groups) => {
  const sets = groups.map((group) => new Set(group.split(' ')));
  const isInside = (small: Set<string>, large: Set<string>) =>
    small !== large && small.size <= large.size && [...small].every((member) => large.has(member));
  expect(groups.filter((_group, i) => sets.some((other) => isInside(sets[i]!, other)))).toEqual([]);
});

test.each(tables)('%s has no single letters', (_name, groups) => {
  expect(groups.filter((group) => group.split(' ').some((member) => member.length < 2))).toEqual([]);
});

test('contains the expected number of groups', () => {
  expect(EQUIVALENT_NAMES.length).toBeGreaterThanOrEqual(500);
  expect(NICKNAMES.length).toBeGreaterThanOrEqual(300);
});

test.each([
  ['vladimir', 'volodymyr'],
  ['sergei', 'serhiy'],
  ['nikolai', 'mykola'],
  ['muhammad', 'mehmet'],
  ['muhammad', 'mamadou'],
  ['uthman', 'ousmane'],
  ['abdullah', 'abdoulaye'],
  ['wang', 'wong'],
  ['huang', 'wong'],
  ['huang', 'ng'],
  ['zhang', 'cheung'],
  ['park', 'pak'],
  ['qadhafi', 'gaddafi'],
  ['zedong', 'tsetung'],
  ['chowdhury', 'chaudhry'],
  ['diallo', 'jalloh'],
])('treats %s and %s as one name', (a, b) => {
  expect(together(EQUIVALENT_NAMES, a, b)).toBe(true);
});

test.each([
  ['wang', 'huang'],
  ['ali', 'alex'],
  ['muhammad', 'mahmud'],
  ['muhammad', 'ahmad'],
  ['mahmud', 'ahmad'],
  ['hasan', 'husayn'],
  ['ivan', 'igor'],
  ['amir', 'umar'],
  ['salah', 'salih'],
  ['karim', 'kamal'],
  ['jamal', 'jamil'],
  ['rashid', 'rashad'],
  ['said', 'saad'],
  ['majid', 'mahdi'],
  ['daria', 'maria'],
  ['marina', 'maria'],
  ['marc', 'martin'],
  ['chen', 'cheng'],
  ['vladimir', 'vladislav'],
  ['abdulrahman', 'abdulrahim'],
  ['abdulkarim', 'abdulhakim'],
])('distinguishes %s from %s', (a, b) => {
  expect(together(EQUIVALENT_NAMES, a, b)).toBe(false);
  expect(together(NICKNAMES, a, b)).toBe(false);
});

test.each([
  ['william', 'bill'],
  ['aleksandr', 'sasha'],
  ['vladimir', 'vova'],
  ['francisco', 'paco'],
  ['jesus', 'chuy'],
  ['ignacio', 'nacho'],
  ['nikolai', 'kolya'],
  ['ibrahim', 'ibro'],
])('knows for %s the short form %s', (full, short) => {
  expect(together(NICKNAMES, full, short)).toBe(true);
});
