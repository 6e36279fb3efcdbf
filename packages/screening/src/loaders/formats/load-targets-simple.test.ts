// OpenSanctions' simple CSV: inner quoting, quoted line breaks, missing columns, broken rows.
import { describe, expect, it } from 'vitest';
import { TARGETS_SIMPLE } from '../../../testing/lists/lists.ts';
import { findEntity, loadBytes } from '../../../testing/lists/load-bytes.ts';
import { emptyEntity } from '../../entity.ts';

const load = (main: string) => loadBytes('targets-simple-csv', { main });

describe('targets-simple-csv', () => {
  it('reads names, dates, countries, addresses, identifiers and programs with many values', async () => {
    expect(findEntity(await load(TARGETS_SIMPLE), 'NK-a1')).toEqual({
      ...emptyEntity('NK-a1', 'Person'),
      caption: 'Orla Quillfeather',
      names: ['Orla Quillfeather', 'Orla Q.', 'Quill; the Feather', 'Орла Квилл'],
      weakNames: [],
      birthDates: ['1971-05-05', '1970'],
      countries: ['fr', 'xk'],
      addresses: ['1 Made-up Street Nowhere', '2 Other Street; Elsewhere'],
      identifiers: [
        { kind: 'identifier', value: 'K1234567' },
        { kind: 'swiftBic', value: 'DEUTDEFF' },
      ],
      topics: ['sanction'],
      programs: ['FIC-1', 'FIC-2'],
      datasets: ['test-list'],
      firstSeen: '2024-01-02T03:04:05',
      lastSeen: '2026-09-01T00:00:00',
      lastChange: '2026-08-20T00:00:00',
    });
  });

  it('reads identifiers with and without their kind, by any of its names', async () => {
    const identifiers =
      'passport:AB1234567;imoNumber: 9990017;shoe:12345;12:34567;bitcoin:1BoatSLRHtKNngkdXEeobR76b53LETtpyT';
    const { entities } = await load(`id,schema,name,identifiers\n1,Person,Tam Rorke,"${identifiers}"\n`);
    expect(entities[0]!.identifiers).toEqual([
      { kind: 'passportNumber', value: 'AB1234567' },
      { kind: 'imoNumber', value: '9990017' },
      { kind: 'identifier', value: 'shoe:12345' },
      { kind: 'identifier', value: '12:34567' },
      { kind: 'publicKey', value: '1BoatSLRHtKNngkdXEeobR76b53LETtpyT' },
    ]);
  });

  it('reads a row that spans two lines as one and keeps line numbers correct', async () => {
    const { entities, report } = await load(TARGETS_SIMPLE);
    expect(entities.map(({ id }) => id)).toEqual(['NK-a1', 'NK-a2', 'NK-a3', 'NK-a5']);
    expect(report).toMatchObject({ records: 5, entities: 4, skipped: 1, problemCount: 3 });
    expect(report.problems).toEqual([
      { where: 'record NK-a3 (line 5)', reason: 'The birth date "1971-02-30" cannot be read and was left out.' },
      { where: 'record NK-a4 (line 6)', reason: 'The record has no usable name.' },
      { where: 'record NK-a5 (line 7)', reason: 'The first date "soon" cannot be read and was left out.' },
    ]);
    expect(report.bytes).toBe(Buffer.byteLength(TARGETS_SIMPLE));
  });

  it('treats entities with sanctions or programs as sanctioned', async () => {
    const { entities } = await load('id,schema,name,sanctions\n1,Person,Tam,Frozen\n2,Person,Tim,\n');
    expect(entities.map(({ topics }) => topics)).toEqual([['sanction'], []]);
  });

  it('reads topics from their own column, and treats a list without such columns as a sanctions list', async () => {
    const withTopics = await load('id,schema,name,topics\n1,Person,Tam,role.pep;crime\n2,Person,Tim,\n');
    expect(withTopics.entities.map(({ topics }) => topics)).toEqual([['role.pep', 'crime'], []]);
    const bare = await load('id,schema,name\n1,Person,Tam\n');
    expect(bare.entities.map(({ topics }) => topics)).toEqual([['sanction']]);
  });

  it('accepts synonyms for kinds and keeps entities of unknown kinds', async () => {
    const { entities, report } = await load(
      'id,schema,name\n1,person,Tam\n2,Individual,Tim\n3,,Tom\n4,Gnome,Tum\n5,organization,Tem\n',
    );
    expect(entities.map(({ schema }) => schema)).toEqual([
      'Person',
      'Person',
      'LegalEntity',
      'LegalEntity',
      'Organization',
    ]);
    expect(report.problems.map(({ where }) => where)).toEqual(['record 3 (line 4)', 'record 4 (line 5)']);
  });

  it('does not read UTF-16 as names of single letters', async () => {
    const { entities, report } = await load(
      Buffer.from('id,schema,name\n1,Person,Tam\n', 'utf16le').toString('latin1'),
    );
    expect(entities).toEqual([]);
    expect(report.problems).toMatchObject([{ where: 'header' }]);
  });

  it('finds columns in any order, after a byte order mark, with any line endings', async () => {
    const { entities, report } = await load('\ufeffname,"ID",extra,Schema\r\nTam,1,x,Person\r\n');
    expect(entities).toMatchObject([{ id: '1', names: ['Tam'], schema: 'Person', birthDates: [] }]);
    expect(report.problemCount).toBe(0);
  });

  it.each(['', 'id;schema;name\n1;Person;Tam\n', 'id,name\n1,Tam\n', '\u0000\u0001"\u0002'])(
    'reports missing columns and loads nothing: %j',
    async (text) => {
      const { entities, report } = await load(text);
      expect(entities).toEqual([]);
      expect(report).toMatchObject({ problemCount: 1, problems: [{ where: 'header' }] });
      expect(report.problems[0]!.reason).toContain('schema');
    },
  );

  it('loses only one row to an unclosed quote, a missing cell or an extra cell', async () => {
    const { entities, report } = await load(
      'id,schema,name\n1,"Person,Tam\n2,Person,"Tim"\n3,Person\n4,Person,Tom,Tum\n5,Person,Tem,,\n"6","Person","Tym',
    );
    expect(entities.map(({ id }) => id)).toEqual(['2', '5', '6']);
    expect(report).toMatchObject({ records: 6, skipped: 3, problemCount: 4 });
    expect(report.problems.map(({ where }) => where)).toEqual(['line 2', 'line 4', 'line 5', 'line 7']);
  });

  it('keeps a name with undecodable bytes and reports it', async () => {
    const main = Buffer.concat([Buffer.from('id,schema,name\n1,Person,Z'), Buffer.from([0xfc]), Buffer.from('rich\n')]);
    const { entities, report } = await loadBytes('targets-simple-csv', { main });
    expect(entities).toMatchObject([{ names: ['Z\ufffdrich'] }]);
    expect(report.problems).toMatchObject([{ where: 'record 1 (line 2)' }]);
  });
});
