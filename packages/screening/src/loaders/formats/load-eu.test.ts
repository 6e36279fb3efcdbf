// The European list: rows of one entity, adjacent or apart.
import { describe, expect, it } from 'vitest';
import { EU_LIST, EU_ROWS, writeEuList } from '../../../testing/lists/eu-list.ts';
import { findEntity, loadBytes } from '../../../testing/lists/load-bytes.ts';
import { emptyEntity } from '../../entity.ts';

const load = (main: string) => loadBytes('eu-csv', { main });

describe('eu-csv', () => {
  it('merges the rows of a person, wherever they are', async () => {
    const loaded = await load(EU_LIST);
    expect(loaded.entities.map(({ id }) => id)).toEqual(['eu-13', 'eu-14']);
    expect(findEntity(loaded, 'eu-13')).toEqual({
      ...emptyEntity('eu-13', 'Person'),
      caption: 'Orla Quillfeather',
      names: ['Orla Quillfeather', 'Orla F. Quill'],
      weakNames: ['Quilly; the "Feather"'],
      birthDates: ['1971-05-05', '1970~', '1969-11', '1965/1967'],
      countries: ['PE'],
      nationalities: ['PE'],
      addresses: ['Lima'],
      positions: ['Minister of Fiction'],
      identifiers: [
        { kind: 'passportNumber', value: 'K1234567' },
        { kind: 'idNumber', value: '71-05' },
        { kind: 'identifier', value: 'ЖБ-4711' },
        { kind: 'identifier', value: 'ZhB-4711' },
      ],
      topics: ['sanction'],
      programs: ['FIC'],
      datasets: ['test-list'],
      referents: ['un-FIi.001'],
      firstSeen: '2003-07-07',
      lastChange: '2019-02-01',
    });
    expect(findEntity(loaded, 'eu-14')).toMatchObject({
      schema: 'Organization',
      countries: ['IS'],
      nationalities: [],
      addresses: ['1 Made-up Street, 101, Reykjavik, ICELAND'],
      identifiers: [{ kind: 'registrationNumber', value: '1027700132195' }],
    });
  });

  it('reads the date of the file, and skips dates in other calendars', async () => {
    const { report } = await load(EU_LIST);
    expect(report).toMatchObject({ version: '2026-11-12', records: 16, entities: 2, skipped: 0, problemCount: 1 });
    expect(report.problems[0]).toEqual({
      where: 'record eu-13 (line 2)',
      reason: 'A birth date is of the calendar ISLAMIC and was left out.',
    });
  });

  it('finds columns whatever the case of their headings', async () => {
    const [header, ...rest] = EU_LIST.split('\r\n');
    expect((await load([header!.toUpperCase(), ...rest].join('\r\n'))).entities).toEqual(
      (await load(EU_LIST)).entities,
    );
  });

  it('rejects a file without the required columns', async () => {
    const { entities, report } = await load(EU_LIST.replaceAll('Entity_LogicalId', 'Something'));
    expect(entities).toEqual([]);
    expect(report.problems).toEqual([{ where: 'header', reason: 'The header lacks these columns: Entity_LogicalId.' }]);
  });

  it('skips a row without an id and reports an entity without a name', async () => {
    const { report } = await load(
      writeEuList([...EU_ROWS, { Entity_LogicalId: '15' }, { NameAlias_WholeName: 'Tam' }]),
    );
    expect(report.entities).toBe(2);
    expect(report.problems.map(({ where }) => where)).toContain('line 19');
    expect(report.problems.map(({ where }) => where)).toContain('record eu-15 (line 18)');
  });
});
