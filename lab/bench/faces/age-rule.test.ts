// The calibration table for operators.
import { expect, test } from 'vitest';
import { tabulateRule } from './age-rule.ts';

const face = (age: number, lowerBound: number, sex = '') => ({ age, lowerBound, sex });
const counts = (row: readonly string[]) => row.map((cell) => cell.replace(/ =.*/, ''));

test('counts minors who are let in and adults who are sent on, by age group', () => {
  const faces = [face(12, 40), face(13, 25), face(17, 24.9), face(18, 24.9), face(24, 30), face(30, 20), face(31, 20)];
  const [row] = tabulateRule(faces, [25]);
  expect(counts(row!)).toEqual(['lower bound ≥ 25', '1 of 2', '1 of 2', '1 of 1', '2 of 2']);
});

test('compares lower bounds in whole years, rounded down', () => {
  const rows = tabulateRule([face(16, 25.9)], [25, 26]);
  expect(rows.map((row) => counts(row)[1])).toEqual(['1 of 1', '0 of 1']);
});

test('has a row per known sex after the total', () => {
  const rows = tabulateRule([face(40, 20, 'f'), face(40, 30, 'm'), face(40, 30)], [25]);
  expect(rows.map((row) => [row[0], counts(row)[4]])).toEqual([
    ['lower bound ≥ 25', '1 of 3'],
    ['lower bound ≥ 25, f', '1 of 1'],
    ['lower bound ≥ 25, m', '0 of 1'],
  ]);
});

test('marks a group without people', () => {
  expect(tabulateRule([face(40, 30)], [25])[0]![1]).toBe('none measured');
});
