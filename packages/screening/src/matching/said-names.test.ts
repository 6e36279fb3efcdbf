// Additions to names of organizations and ships that do not identify them.
import { describe, expect, test } from 'vitest';
import { listed, screenAgainst } from '../../testing/small-list.ts';

const SURE = 0.95;
const REVIEW = 0.85;
const score = (schema: string, asked: string, list: string) =>
  screenAgainst(listed(list, { schema })).scoreOf(schema, asked);

describe("additions without weight in an organization's name", () => {
  test.each([
    'Orvelia Shipping Co - Dubai Branch',
    'Orvelia Shipping Co Dubai Branch',
    'Orvelia Shipping Co Hong Kong Branch',
    'Orvelia Shipping Co, Branch Office Hamburg',
    'Orvelia Shipping Co Office in Dubai',
    'Orvelia Shipping Co (in liquidation)',
    'Orvelia Shipping Co in receivership',
    'Orvelia Shipping Co Representative Office',
    'Orvelia Shipping Co Head Office',
    'Orvelia Shipping Co (Hamburg)',
    'Orvelia Shipping Co (DPRK)',
    'Orvelia Shipping Co, Damascus',
    'Orvelia Shipping Co, Damascus, Syria',
    'Messrs Orvelia Shipping Co',
    'M/s. Orvelia Shipping Co',
    'To the order of Orvelia Shipping Co',
    'c/o Orvelia Shipping Co',
    'Messrs Orvelia Shipping Co (in liquidation), Dubai',
  ])('match: %s', (asked) => expect(score('Organization', asked, 'Orvelia Shipping Co')).toBeGreaterThanOrEqual(SURE));
});

describe('additions that leave a lead', () => {
  test.each([
    ['Orvelia Shipping Co 2', 'Orvelia Shipping Co'],
    ['Commercial Orvel Bank Damascus', 'Commercial Orvel Bank'],
    ['Orvelia Zelvar Kurstan Brant', 'Orvelia Zelvar'],
    ['Orvelia Shipping, Trading', 'Orvelia Shipping'],
    ['Orvelia Shipping (Holding)', 'Orvelia Shipping'],
    ['Orvelia Shipping (7)', 'Orvelia Shipping'],
    // A listed branch, but not its organization.
    ['Orvelia Shipping', 'Orvelia Shipping Dubai Branch'],
  ])('do not match fully: %s, %s', (asked, list) => {
    expect(score('Organization', asked, list)).toBeGreaterThanOrEqual(0.5);
    expect(score('Organization', asked, list)).toBeLessThan(REVIEW);
  });
});

test('finds a listed branch as such', () => {
  const branch = 'Orvelia Bank Dubai Branch';
  expect(score('Organization', branch, branch)).toBeGreaterThanOrEqual(SURE);
});

describe("additions without weight in a ship's name", () => {
  test.each([
    'Crude Oil Tanker ORVEL STAR',
    'Bulk Carrier ORVEL STAR',
    'General Cargo ORVEL STAR',
    'Tug ORVEL STAR',
    'LPG/C ORVEL STAR',
    'ORVEL STAR (Tanker)',
    'ORVEL STAR Fishing Vessel',
    'ORVEL STAR (Panama)',
    'ORVEL STAR (flag: Iran)',
    'Oil Tanker ORVEL STAR (Marshall Islands)',
  ])('match: %s', (asked) => expect(score('Vessel', asked, 'ORVEL STAR')).toBeGreaterThanOrEqual(SURE));
});

describe('one of several names of a ship', () => {
  test.each([
    'BRANTOR (ex-ORVEL STAR)',
    'BRANTOR ex ORVEL STAR',
    'ex ORVEL STAR',
    'ex-ORVEL STAR',
    'ORVEL STAR formerly BRANTOR',
    'BRANTOR f/k/a ORVEL STAR',
    'ORVEL STAR (now BRANTOR)',
    'ORVEL STAR renamed BRANTOR',
    'BRANTOR (ex ZELVAR, ex ORVEL STAR)',
    'M/T BRANTOR (ex M/T ORVEL STAR) (Panama)',
  ])('matches: %s', (asked) => expect(score('Vessel', asked, 'ORVEL STAR')).toBeGreaterThanOrEqual(SURE));

  test('matches if the list has both names', () =>
    expect(score('Vessel', 'ORVEL STAR', 'BRANTOR (ex ORVEL STAR)')).toBeGreaterThanOrEqual(SURE));
});

test('keeps the name of a ship that consists of such words', () => {
  expect(score('Vessel', 'OIL TANKER', 'OIL TANKER')).toBeGreaterThanOrEqual(SURE);
  expect(score('Vessel', 'EX', 'EX')).toBeGreaterThanOrEqual(SURE);
  expect(score('Organization', 'Orvelia (7)', 'Orvelia (8)')).toBeLessThan(REVIEW);
});

describe('an organization in one word', () => {
  test.each([
    ['ORVELGULFSHIPMANAGEMENTLLC', 'Orvel Gulf Ship Management LLC'],
    ['PJSCORVELIAZELVAR', 'PJSC Orvelia Zelvar'],
    ['ORVELIAZELVARTRADINGCOMPANYLIMITED', 'Orvelia Zelvar Trading Company Limited'],
  ])('matches: %s, %s', (asked, list) => expect(score('Company', asked, list)).toBeGreaterThanOrEqual(SURE));
});
