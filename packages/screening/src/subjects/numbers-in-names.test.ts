// Ships written with their number after the name.
import { describe, expect, test } from 'vitest';
import { listed } from '../../testing/small-list.ts';
import { IndexBuilder } from '../index/build-index.ts';
import { createScreener } from '../matching/screener.ts';
import { SubjectScreener } from './screen-subject.ts';
import { hasNumberInName, readSubject, type Subject } from './subject.ts';

const IMO = '9074729';
const ship = listed('Orvel Star', { schema: 'Vessel', identifiers: [{ kind: 'imoNumber', value: IMO }] });

function screen(subject: Subject, entity = ship) {
  const builder = new IndexBuilder();
  builder.add(entity);
  const index = builder.finish();
  const read = readSubject(subject);
  const options = { limit: 1, threshold: 0.5, topic: 'all' } as const;
  const [match] = new SubjectScreener(index, createScreener(index)).screen(read, options).matches;
  return { match, warnings: read.warnings };
}

describe('a name with a number', () => {
  test.each([
    ['Vessel', `Orvel Star (IMO ${IMO})`],
    ['Vessel', `IMO ${IMO}`],
    [undefined, `ORVEL STAR IMO: ${IMO}`],
    [undefined, `IMO${IMO}`],
    ['Vessel', `Renamed Otherwise IMO ${IMO}`],
  ])('matches: %s %s', (schema, name) => {
    const { match, warnings } = screen({ schema, names: [name] });
    expect(match?.score).toBeGreaterThanOrEqual(0.95);
    expect(match?.features.identifier?.detail).toBe('same IMO number');
    expect(warnings.join(' ')).toContain(`IMO number ${IMO}`);
  });

  test('is found by its name if the list has no numbers', () => {
    const bare = listed('Orvel Star', { schema: 'Vessel' });
    expect(screen({ schema: 'Vessel', names: [`Orvel Star (IMO ${IMO})`] }, bare).match?.score).toBe(0.98);
    expect(screen({ schema: 'Vessel', names: ['Orvel Star (MMSI 422123456)'] }, bare).match?.score).toBe(0.98);
  });

  test('contradicts a ship with a different number', () => {
    const { match } = screen({ schema: 'Vessel', names: ['Orvel Star (IMO 8508462)'] });
    expect(match?.score).toBeLessThan(0.85);
    expect(match?.features.identifier?.detail).toBe('another IMO number');
  });

  test('is found in two columns of a file that would be read as a person', () => {
    const person = { firstName: 'Orvel', lastName: `Star IMO ${IMO}` };
    expect(screen({ names: [], person }).match?.score).toBeGreaterThanOrEqual(0.95);
  });
});

test('ignores such numbers unless the subject may be a ship', () => {
  const read = readSubject({ schema: 'Person', names: [`Orvel Star IMO ${IMO}`] });
  expect(read.identifiers).toEqual([]);
  const born = { firstName: '', lastName: `Star IMO ${IMO}`, birthDate: '1960-01-02' };
  expect(hasNumberInName(born)).toBe(false);
  expect(hasNumberInName({ ...born, birthDate: '' })).toBe(true);
  expect(hasNumberInName({ firstName: 'Orvel', lastName: 'Star', birthDate: '' })).toBe(false);
});

test('warns of invalid numbers', () => {
  expect(screen({ schema: 'Vessel', names: ['Orvel Star IMO 9074728'] }).warnings.join(' ')).toContain('9074728');
});
