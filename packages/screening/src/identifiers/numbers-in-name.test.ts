// The numbers of ships that stand in their names.
import { describe, expect, test } from 'vitest';
import { takeNumbers } from './numbers-in-name.ts';

describe('taken out of a name', () => {
  test.each([
    ['ORVEL STAR (IMO 9074729)', 'ORVEL STAR', ['imoNumber 9074729']],
    ['ORVEL STAR IMO: 9074729', 'ORVEL STAR', ['imoNumber 9074729']],
    ['Orvel Star imo9074729', 'Orvel Star', ['imoNumber 9074729']],
    ['ORVEL STAR, IMO No. 9074729', 'ORVEL STAR', ['imoNumber 9074729']],
    ['IMO 9074729', '', ['imoNumber 9074729']],
    ['IMO 9074729 - ORVEL STAR', 'ORVEL STAR', ['imoNumber 9074729']],
    ['ORVEL STAR (IMO 9074729, Panama)', 'ORVEL STAR (Panama)', ['imoNumber 9074729']],
    ['ORVEL STAR (IMO 9074729; MMSI 422123456)', 'ORVEL STAR', ['imoNumber 9074729', 'mmsi 422123456']],
    ['ORVEL STAR call sign EQAB2', 'ORVEL STAR', ['callSign EQAB2']],
    ['ORVEL STAR (C/S: 9BAB)', 'ORVEL STAR', ['callSign 9BAB']],
  ])('%s', (written, name, numbers) => {
    const taken = takeNumbers(written)!;
    expect(taken.name).toBe(name);
    expect(taken.numbers.map(({ kind, value }) => `${kind} ${value}`)).toEqual(numbers);
  });
});

test.each([
  'ORVEL STAR',
  'IMO STAR',
  'EXIMO 9074729',
  'ORVEL 9074729',
  'MMSI 42212345',
  'CALL SIGN ALPHA',
  'IMO 90747290',
])('a name without such a number is left alone: %s', (name) => expect(takeNumbers(name)).toBeUndefined());

test('a number whose last digit is another one stays in the name, and is told', () => {
  expect(takeNumbers('ORVEL STAR IMO 9074728')).toEqual({
    name: 'ORVEL STAR IMO 9074728',
    numbers: [],
    misread: ['9074728'],
  });
});
