// The British list: a date above the header, placeholders in dates, names in six parts.
import { describe, expect, it } from 'vitest';
import { findEntity, loadBytes } from '../../../testing/lists/load-bytes.ts';
import { UK_LIST } from '../../../testing/lists/uk-list.ts';
import { emptyEntity } from '../../entity.ts';

const load = (main: string) => loadBytes('uk-csv', { main });

describe('uk-csv', () => {
  it('merges the rows of a person and shows the primary name', async () => {
    expect(findEntity(await load(UK_LIST), 'uk-FIC0001')).toEqual({
      ...emptyEntity('uk-FIC0001', 'Person'),
      caption: 'Orla Fenn QUILLFEATHER',
      names: ['Orlah QUILLFEATHER', 'Orla Fenn QUILLFEATHER', 'Орла Квилл'],
      weakNames: ['QUILLY'],
      birthDates: ['1971-05-05', '1970', '1969-11'],
      countries: ['Iceland', 'Peru'],
      nationalities: ['Iceland', 'Peru'],
      addresses: ['1 Made-up Street, Lima, 15001, Peru'],
      positions: ['Minister of Fiction', 'General'],
      identifiers: [
        { kind: 'passportNumber', value: 'K1234567' },
        { kind: 'passportNumber', value: 'L7654321' },
        { kind: 'idNumber', value: '71-05-05' },
      ],
      topics: ['sanction'],
      programs: ['The Fiction (Sanctions) Regulations 2020'],
      datasets: ['test-list'],
      referents: ['un-FIi.001'],
      firstSeen: '2019-01-31',
      lastChange: '2026-05-01',
    });
  });

  it('reads entities and ships', async () => {
    const loaded = await load(UK_LIST);
    expect(findEntity(loaded, 'uk-FIC0002')).toMatchObject({
      schema: 'Organization',
      names: ['BRINDLEWICK HOLDINGS', 'BRINDLEWICK JETS'],
      countries: ['Iceland'],
      addresses: [],
      identifiers: [
        { kind: 'innCode', value: '7702070139' },
        { kind: 'ogrnCode', value: '1027700132195' },
        { kind: 'registrationNumber', value: '55555' },
      ],
    });
    expect(findEntity(loaded, 'uk-FIC0003')).toMatchObject({
      schema: 'Vessel',
      countries: ['Panama', 'Malta', 'Togo'],
      identifiers: [
        { kind: 'imoNumber', value: '9187629' },
        { kind: 'hullNumber', value: 'XYZ0001' },
      ],
    });
  });

  it('reads the date of the report and reports an invalid date of birth', async () => {
    const { report } = await load(UK_LIST);
    expect(report).toMatchObject({ version: '2026-11-12', records: 7, entities: 3, skipped: 0, problemCount: 1 });
    expect(report.problems).toEqual([
      { where: 'record uk-FIC0001 (line 3)', reason: 'The birth date "30/02/1970" cannot be read and was left out.' },
    ]);
  });

  it('accepts alternative headings, and no lines above them', async () => {
    const other = UK_LIST.replace('Report Date: 12-Nov-2026\r\n', '')
      .replace(/Name (\d)/g, 'Name$1')
      .replace('D.O.B', 'DOB')
      .replace('Designation Type', '"Individual, Entity, Ship"');
    const { entities, report } = await load(other);
    expect(entities).toEqual((await load(UK_LIST)).entities);
    expect(report.version).toBeUndefined();
  });

  it('rejects a file without the required columns', async () => {
    const { entities, report } = await load(UK_LIST.replace('Unique ID', 'Group'));
    expect(entities).toEqual([]);
    expect(report.problems).toEqual([{ where: 'header', reason: 'The header lacks these columns: Unique ID.' }]);
  });
});
