// OFAC's three files and what is hidden in the remarks.
import { describe, expect, it } from 'vitest';
import { emptyEntity } from '../../entity.ts';
import { OFAC } from '../fixtures/lists.ts';
import { findEntity, loadBytes } from '../fixtures/load-bytes.ts';
import { readOfacDate } from './ofac-remarks.ts';

describe('ofac-csv', () => {
  it('joins aliases and addresses, and reads the remarks', async () => {
    expect(findEntity(await loadBytes('ofac-csv', OFAC), 'ofac-101')).toEqual({
      ...emptyEntity('ofac-101', 'Person'),
      caption: 'QUILLFEATHER, Orla',
      names: ['QUILLFEATHER, Orla', 'FENN, Orla', 'QUILL, O.'],
      weakNames: ['QUILLY', 'LA PLUMA'],
      birthDates: ['1971-05-05', '1970', '1960~', '1965-02', '1960/1962', '1955/1958'],
      countries: ['Iceland', 'Korea, North', 'Peru'],
      topics: ['sanction'],
      programs: ['SDGT', 'IRGC'],
      datasets: ['test-list'],
      lastChange: null,
    });
  });

  it('knows the types, the programs in brackets and the flag of a vessel', async () => {
    const loaded = await loadBytes('ofac-csv', OFAC);
    expect(loaded.entities.map(({ id, schema }) => `${id} ${schema}`)).toEqual([
      'ofac-36 Organization',
      'ofac-101 Person',
      'ofac-102 Vessel',
      'ofac-103 Airplane',
    ]);
    expect(findEntity(loaded, 'ofac-102')).toMatchObject({ programs: ['FIC1', 'FIC2'], countries: ['Panama'] });
    expect(findEntity(loaded, 'ofac-36')).toMatchObject({
      names: ['BRINDLEWICK AIRLINES', 'BRINDLEWICK JETS'],
      countries: ['Iceland'],
    });
  });

  it('names what cannot be used, and nothing for the byte at the end', async () => {
    const { report } = await loadBytes('ofac-csv', OFAC);
    expect(report).toMatchObject({ records: 5, entities: 4, skipped: 1, problemCount: 2 });
    expect(report.problems).toEqual([
      { where: 'record ofac-102 (line 3)', reason: 'The birth date "31 Feb 1970" cannot be read and was left out.' },
      { where: 'record ofac-104 (line 5)', reason: 'The record has no usable name.' },
    ]);
  });

  it('loads the main file alone', async () => {
    const loaded = await loadBytes('ofac-csv', { main: OFAC.main });
    expect(findEntity(loaded, 'ofac-36')).toMatchObject({ names: ['BRINDLEWICK AIRLINES'], countries: [] });
  });

  it('tells when the files do not belong together or are in the wrong place', async () => {
    const aliases = '36,1,"aka","KNOWN",-0- \r\n999,1,"aka","STRAY",-0- \r\n';
    const stray = await loadBytes('ofac-csv', { main: OFAC.main, aliases });
    expect(stray.report.problems.at(-1)).toMatchObject({ where: 'alias file', reason: expect.stringContaining('999') });
    const swapped = await loadBytes('ofac-csv', { main: OFAC.main, aliases: OFAC.addresses! });
    expect(swapped.report.problems[0]).toMatchObject({ where: 'alias file, line 1' });
    expect(swapped.report.records).toBe(5);
  });
});

describe('a date of birth in the remarks', () => {
  it.each([
    ['circa 05 May 1971', '1971-05-05~'],
    ['05 May 1971 to 07 Jun 1972', '1971-05-05/1972-06-07'],
    ['Aug 1966 to Sep 1967', '1966-08/1967-09'],
    ['circa 1960-1963', '1960/1963'],
    ['05 October 1939', '1939-10-05'],
    ['late 1960s', '1960/1969'],
    ['1962 to 1960', null],
    ['unknown', null],
  ])('%s', (text, date) => {
    expect(readOfacDate(text)).toBe(date);
  });
});
