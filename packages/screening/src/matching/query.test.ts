import { describe, expect, test } from 'vitest';
import { ANY_KIND, KIND_PERSON } from '../kind.ts';
import { readName, readQuery } from './query.ts';

const read = (firstName: string, lastName: string, birthDate = '') => readQuery({ firstName, lastName, birthDate });
const partsOf = (firstName: string, lastName: string) => read(firstName, lastName).names[0]!.parts;
const kindsOf = (...row: Parameters<typeof read>) => read(...row).names.reduce((kinds, { kind }) => kinds | kind, 0);

describe('readQuery', () => {
  test('drops titles unless nothing else remains', () => {
    expect(partsOf('Dr. Ayşe', 'Demir').map(({ text }) => text)).toEqual(['ayse', 'demir']);
    expect(partsOf('', 'General')).toHaveLength(1);
  });

  test('keeps the original spelling for the explanation', () => {
    expect(partsOf('Ayşe', 'DEMİR').map(({ written }) => written)).toEqual(['Ayşe', 'DEMİR']);
  });

  test('warns of unusable values', () => {
    expect(read('Ana', 'Ruiz', '1970-02-31').warnings).toEqual([expect.stringContaining('date of birth')]);
    expect(read('-', '').warnings).toEqual([expect.stringContaining('no name')]);
    expect(read('a b c d e f g', 'h i j k l m n').warnings).toEqual([expect.stringContaining('12 parts')]);
    expect(read('Ana Ana Ana Ana Ana', 'Ruiz').warnings).toEqual([expect.stringContaining('more than 4 times')]);
    expect(read('Ana Ana Ana Ana', 'Ruiz').warnings).toEqual([]);
    expect(read('Ana', 'Ruiz', '1970').warnings).toEqual([]);
  });

  test('treats a row with both names or a date of birth as a person', () => {
    expect(kindsOf('Ana', 'Ruiz')).toBe(KIND_PERSON);
    expect(kindsOf('', 'Ruiz', '1970')).toBe(KIND_PERSON);
    expect(kindsOf('', 'Orvil Trading LLC')).toBe(ANY_KIND);
    expect(kindsOf('Orvil Trading', 'LLC')).toBe(ANY_KIND);
  });

  test('reads a text with several names as a whole and as each of them', () => {
    const readAs = (...row: Parameters<typeof read>) => read(...row).names.map((name) => name.readAs);
    expect(readAs('Ana', 'Ruiz')).toEqual([undefined]);
    expect(readAs('Ana', 'Ruiz aka Eva Malik')).toEqual([undefined, 'Ana Ruiz', 'Eva Malik']);
    expect(readAs('Ana Ruiz', 'Ana Ruiz')).toEqual([undefined, 'Ana Ruiz']);
    expect(readAs('Ana', 'Ruiz née Malik')).toEqual([undefined, 'Ana Ruiz', 'Ana Malik']);
  });

  test('reads one name for an organization, whatever it contains', () => {
    const read = readName({ name: 'Ana Ruiz & Eva Malik', schema: 'Company', birthDate: '' });
    expect(read.names.map((name) => name.readAs)).not.toContain('Ana Ruiz');
  });

  test('counts a repeated part at most four times', () => {
    expect(partsOf('Ali '.repeat(10), 'Ali')).toHaveLength(4);
  });
});
