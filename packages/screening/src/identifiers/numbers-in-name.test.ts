// Ship numbers inside names.
import { describe, expect, test } from 'vitest';
import { takeNumbers } from './numbers-in-name.ts';

describe('takeNumbers', () => {
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
  ])('takes numbers out of %s', (written, name, numbers) => {
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
])('leaves a name without such a number alone: %s', (name) => expect(takeNumbers(name)).toBeUndefined());

test('keeps a number with a wrong check digit in the name and reports it', () => {
  expect(takeNumbers('ORVEL STAR IMO 9074728')).toEqual({
    name: 'ORVEL STAR IMO 9074728',
    numbers: [],
    misread: ['9074728'],
  });
});
