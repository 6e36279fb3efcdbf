import { describe, expect, test } from 'vitest';
import { readQuery } from './query.ts';

const read = (firstName: string, lastName: string, birthDate = '') => readQuery({ firstName, lastName, birthDate });

describe('readQuery', () => {
  test('leaves titles out, unless there is nothing else', () => {
    expect(read('Dr. Ayşe', 'Demir').parts.map(({ text }) => text)).toEqual(['ayse', 'demir']);
    expect(read('', 'General').parts).toHaveLength(1);
  });

  test('keeps what was written, for the explanation', () => {
    expect(read('Ayşe', 'DEMİR').parts.map(({ written }) => written)).toEqual(['Ayşe', 'DEMİR']);
  });

  test('warns of what it could not use', () => {
    expect(read('Ana', 'Ruiz', '1970-02-31').warnings).toEqual([expect.stringContaining('date of birth')]);
    expect(read('-', '').warnings).toEqual([expect.stringContaining('no name')]);
    expect(read('a b c d e f g', 'h i j k l m n').warnings).toEqual([expect.stringContaining('12 parts')]);
    expect(read('Ana', 'Ruiz', '1970').warnings).toEqual([]);
  });

  test('a row with both names or a date of birth is a person', () => {
    expect(read('Ana', 'Ruiz').personal).toBe(true);
    expect(read('', 'Ruiz', '1970').personal).toBe(true);
    expect(read('', 'Orvil Trading LLC').personal).toBe(false);
    expect(read('Orvil Trading', 'LLC').personal).toBe(false);
  });

  test('a part repeated over and over counts four times', () => {
    expect(read('Ali '.repeat(10), 'Ali').parts).toHaveLength(4);
  });
});
