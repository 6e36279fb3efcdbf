import { describe, expect, it } from 'vitest';
import { ageOn, isOver } from './partial-date.ts';

describe('ageOn', () => {
  it.each([
    [{ year: 2000, month: 6, day: 15 }, '2026-06-14', 25],
    [{ year: 2000, month: 6, day: 15 }, '2026-06-15', 26],
    [{ year: 2000, month: 6, day: 15 }, '2026-07-01', 26],
    [{ year: 2000, month: 12, day: 31 }, '2026-01-01', 25],
  ])('counts whole years: %j on %s is %i', (birth, today, age) => {
    expect(ageOn(birth, today)).toBe(age);
  });

  it.each([
    ['2026-02-28', 17],
    ['2026-03-01', 18],
    ['2028-02-28', 19],
    ['2028-02-29', 20],
  ])('increases on 1 March for 29 February, except in leap years: on %s it is %i', (today, age) => {
    expect(ageOn({ year: 2008, month: 2, day: 29 }, today)).toBe(age);
  });

  it.each([
    [{ year: 2008 }, '2026-12-30', 17],
    [{ year: 2008 }, '2026-12-31', 18],
    [{ year: 2008, month: 4 }, '2026-04-29', 17],
    [{ year: 2008, month: 4 }, '2026-04-30', 18],
    [{ year: 2008, month: 2 }, '2026-02-28', 17],
    [{ year: 2008, month: 2 }, '2026-03-01', 18],
    [{ year: 2007, month: 2 }, '2025-02-28', 18],
  ])('uses the latest possible day of a partial date: %j on %s is %i', (birth, today, age) => {
    expect(ageOn(birth, today)).toBe(age);
  });

  it('is never negative', () => {
    expect(ageOn({ year: 2026 }, '2026-06-01')).toBe(0);
  });
});

describe('isOver', () => {
  it.each([
    [{ year: 2026, month: 11, day: 15 }, '2026-11-15', false],
    [{ year: 2026, month: 11, day: 15 }, '2026-11-16', true],
    [{ year: 2026, month: 11, day: 15 }, '2026-11-14', false],
    [{ year: 2026, month: 2 }, '2026-02-28', false],
    [{ year: 2026, month: 2 }, '2026-03-01', true],
    [{ year: 2028, month: 2 }, '2028-02-29', false],
    [{ year: 2026 }, '2026-12-31', false],
    [{ year: 2026 }, '2027-01-01', true],
  ])('is true after the last day, month or year: %j on %s is over: %s', (end, today, over) => {
    expect(isOver(end, today)).toBe(over);
  });
});

it.each(['', 'today', '2026-02-29', '2026-13-01', '26-01-01', '2026-01-01T00:00:00Z'])(
  'rejects an invalid today: %j',
  (today) => {
    expect(() => ageOn({ year: 2000 }, today)).toThrow(RangeError);
    expect(() => isOver({ year: 2000 }, today)).toThrow(RangeError);
  },
);
