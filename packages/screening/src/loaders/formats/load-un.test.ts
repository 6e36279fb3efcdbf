// The Security Council's XML file, including malformed and unterminated records.
import { describe, expect, it } from 'vitest';
import { UN } from '../../../testing/lists/lists.ts';
import { collect, findEntity, loadBytes, streamOf } from '../../../testing/lists/load-bytes.ts';
import { emptyEntity } from '../../entity.ts';
import { createLoadReport } from '../load-list.ts';
import { readXmlRecords } from '../reading/xml-records.ts';

const load = (main: string) => loadBytes('un-xml', { main });

describe('un-xml', () => {
  it('reads a person', async () => {
    expect(findEntity(await load(UN), 'un-FIi.001')).toEqual({
      ...emptyEntity('un-FIi.001', 'Person'),
      caption: 'ORLA FENN & QUILLFEATHER',
      names: ['ORLA FENN & QUILLFEATHER', 'أورلا', 'Orla Quill', 'Orlah Quill'],
      weakNames: ['Quilly', 'Квилли'],
      birthDates: ['1971-05-05', '1970~', '1968/1972', '1973-11'],
      countries: ['Iceland', 'Peru'],
      nationalities: ['Iceland', 'Peru'],
      addresses: ['1 Made-up Street, Lima, Peru'],
      positions: ['Minister of Fiction', 'General'],
      identifiers: [
        { kind: 'passportNumber', value: 'K1234567' },
        { kind: 'idNumber', value: '1-78-09' },
        { kind: 'taxNumber', value: 'QLLRLO71' },
        { kind: 'idNumber', value: '57388' },
      ],
      topics: ['sanction'],
      programs: ['Fiction'],
      datasets: ['test-list'],
      firstSeen: '2015-07-01',
      lastChange: '2021-11-15',
    });
  });

  it('reads an entity, by its data id if there is no reference number', async () => {
    expect(findEntity(await load(UN), 'un-6907')).toMatchObject({
      schema: 'Organization',
      names: ['BRINDLEWICK HOLDINGS', 'Brindlewick'],
      countries: ['Iceland'],
      addresses: ['Reykjavik, Iceland'],
      identifiers: [
        { kind: 'swiftBic', value: 'BRIKISRE' },
        { kind: 'imoNumber', value: '5342883' },
      ],
      lastChange: '2012-12-31',
    });
  });

  it("detects a truncated file wherever it ends before the root's end", async () => {
    expect((await load(UN)).report.truncated).toBeUndefined();
    expect((await load(`${UN}\n<!-- end -->\n`)).report.truncated).toBeUndefined();
    const lastRecord = UN.lastIndexOf('</INDIVIDUAL>') + '</INDIVIDUAL>'.length;
    for (const end of [UN.lastIndexOf('</CONSOLIDATED_LIST>') + 10, lastRecord, lastRecord - 5]) {
      expect((await load(UN.slice(0, end))).report.truncated).toBe(true);
    }
  });

  it('reports a malformed record by its line and continues', async () => {
    const { report } = await load(UN);
    expect(report).toMatchObject({ records: 3, entities: 2, skipped: 1, version: '2026-02-27T00:00:09.554Z' });
    expect(report.problems).toEqual([{ where: 'line 32', reason: 'The record is not well-formed XML.' }]);
  });

  it('continues after an unclosed record and at the end of a truncated file', async () => {
    const unclosed = await load(UN.replace('</INDIVIDUAL>', ''));
    expect(unclosed.entities.map(({ id }) => id)).toEqual(['un-6907']);
    expect(unclosed.report.problems[0]).toEqual({ where: 'line 4', reason: 'The record is not closed.' });
    const cut = await load(UN.slice(0, UN.indexOf('<ENTITY_ADDRESS>')));
    expect(cut.entities.map(({ id }) => id)).toEqual(['un-FIi.001']);
    expect(cut.report.problems.at(-1)!.reason).toBe('The file ends inside the record.');
  });

  it('skips a record that is too long and keeps line numbers correct', async () => {
    const { entities, report } = await load(UN.replace('>1<', `>${'1\n'.repeat(3_000_000)}<`));
    expect(entities.map(({ id }) => id)).toEqual(['un-6907']);
    expect(report.problems).toEqual([
      { where: 'line 4', reason: 'The record is too long.' },
      { where: 'line 3000032', reason: 'The record is not well-formed XML.' },
    ]);
  });

  it('rejects a file of another kind', async () => {
    const { entities, report } = await load('<html><body>Not found</body></html>');
    expect(entities).toEqual([]);
    expect(report.problems).toMatchObject([{ where: 'header' }]);
  });

  it('finds records wherever the blocks are cut, also after megabytes of other content', async () => {
    const text = `${'<!-- nothing -->'.repeat(20_000)}<A x="1"\n>é</A>${'-'.repeat(66_000)}<A/><A>2</A><AB>3</AB>`;
    for (const size of [65_000, 65_536, 65_537, 300_000, 320_001, 320_003, 400_000]) {
      const bytes = Buffer.from(text);
      const chunks = Array.from({ length: Math.ceil(bytes.length / size) }, (_, at) =>
        bytes.subarray(at * size, (at + 1) * size),
      );
      const records = await collect(readXmlRecords(streamOf(chunks), createLoadReport(), ['A'], () => {}));
      expect(records.flat()).toEqual([
        { line: 1, xml: '<A x="1"\n>é</A>' },
        { line: 2, xml: '<A>2</A>' },
      ]);
    }
  });
});
