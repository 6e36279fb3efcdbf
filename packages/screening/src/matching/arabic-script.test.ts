// Names in Arabic script against Latin letters, in both directions.
import { describe, expect, test } from 'vitest';
import { ARABIC_PAIRS } from '../../testing/arabic-pairs.ts';
import { listed, screenAgainst } from '../../testing/small-list.ts';

const SURE = 0.95;
const REVIEW = 0.85;

describe('well-known names', () => {
  const list = screenAgainst(
    ...['SINWAR, Yahya', 'AL-BAGHDADI, Abu Bakr', 'SHEKAU, Abubakar', 'YASSIN, Sheik Ahmed', 'DEIF, Muhammed'].map(
      (name) => listed(name),
    ),
    ...['HANIYAH, Ismail', 'RAISI, Ebrahim', 'ATEF, Muhammad', 'EBRAHIMI, Reza'].map((name) => listed(name)),
  );
  test.each([
    ['يحيى السنوار', 'SINWAR, Yahya'],
    ['أبو بكر البغدادي', 'AL-BAGHDADI, Abu Bakr'],
    ['أبو بكر شيكاو', 'SHEKAU, Abubakar'],
    ['أحمد ياسين', 'YASSIN, Sheik Ahmed'],
    ['الشيخ أحمد ياسين', 'YASSIN, Sheik Ahmed'],
    ['محمد الضيف', 'DEIF, Muhammed'],
    ['إسماعيل هنية', 'HANIYAH, Ismail'],
    ['ابراهیم رئیسی', 'RAISI, Ebrahim'],
  ])('matches %s with %s', (name, caption) => {
    const [match] = list.matchesOf('Person', name);
    expect(match).toMatchObject({ caption });
    expect(match!.score).toBeGreaterThanOrEqual(SURE);
  });
});

test('finds nine in ten unseen names in either direction', () => {
  const found = (queries: readonly string[], names: readonly string[]) => {
    const list = screenAgainst(...names.map((name) => listed(name)));
    return queries.filter((query, at) =>
      list.matchesOf('Person', query).some(({ score, caption }) => score >= REVIEW && caption === names[at]),
    ).length;
  };
  const scripts = ARABIC_PAIRS.map(([script]) => script);
  const latin = ARABIC_PAIRS.map(([, name]) => name);
  expect(found(scripts, latin)).toBeGreaterThanOrEqual(0.9 * ARABIC_PAIRS.length);
  expect(found(latin, scripts)).toBeGreaterThanOrEqual(0.9 * ARABIC_PAIRS.length);
});

test.each([
  ['محمد الضيف', 'Muhammad al-Deif', 'Muhammad Atef'],
  ['سليم قنطار', 'Salim Qantar', 'Salim Qunaytir'],
])('compares written vowels: %s is %s rather than %s', (name, meant, other) => {
  const list = screenAgainst(listed(meant), listed(other));
  const [best, next] = list.matchesOf('Person', name);
  expect(best).toMatchObject({ caption: meant });
  expect(next?.score ?? 0).toBeLessThan(best!.score - 0.005);
});

test.each([
  ['محمد رضا نقدی', 'NAGHDI, Mohammadreza', 'NAGHDI, Mohammad'],
  ['علی رضا عسگری', 'ASGARI, Alireza', 'ASGARI, Ali'],
  ['محمد ضياء الحق', 'ZIAULHAQ, Mohammad', 'ZIA, Mohammad'],
  ['عزالدين القسام', 'AL-QASSAM, Izz al-Din', 'AL-QASSAM, Imad'],
])('matches words that are joined in either script: %s is %s rather than %s', (name, meant, other) => {
  const [match] = screenAgainst(listed(other), listed(meant)).matchesOf('Person', name);
  expect(match).toMatchObject({ caption: meant });
  expect(match!.score).toBeGreaterThanOrEqual(SURE);
});

test('does not match names that only share their consonants', () => {
  expect(screenAgainst(listed('Husayn Orfali')).scoreOf('Person', 'حسن أورفلي')).toBeLessThan(SURE);
});

test.each([
  ['Siraj al-Din Orvel', 'ORVEL, Sirajuddin'],
  ['Badreddine Orvel', 'ORVEL, Badr al-Din'],
])('matches religious names written as one word: %s', (name, other) => {
  expect(screenAgainst(listed(other)).scoreOf('Person', name)).toBeGreaterThanOrEqual(SURE);
});
