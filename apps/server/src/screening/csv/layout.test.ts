// The header row: its delimiter and columns, and what is refused.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { MAX_HEADER_BYTES } from '../limits.ts';
import { openCsv } from './file.ts';
import { readLayout } from './layout.ts';
import { CsvError } from './rows.ts';

const bytesOf = (text: string) => new TextEncoder().encode(text);
const readHead = (text: string, extended = true) => readLayout(bytesOf(text), { extended });
const layoutOf = (text: string) => readHead(text).layout;
const openFile = (text: string) => openCsv(bytesOf(text), { extended: false });

describe('a header row', () => {
  it.each([
    ['id,firstname,lastname,dob', ',', [0, 1, 2, 3]],
    ['\ufeffid,firstname,lastname,dob\r\n', ',', [0, 1, 2, 3]],
    ['ID;FirstName;LASTNAME;Dob\n1;a;b;c', ';', [0, 1, 2, 3]],
    ['dob\tlastname\tfirstname\tid\n', '\t', [3, 2, 1, 0]],
    ['\r\n  \r\n"id", firstname ,lastname,dob,note\n', ',', [0, 1, 2, 3]],
    ['\ufeff"id";"firstname";"lastname";"dob"\n', ';', [0, 1, 2, 3]],
    ['"the ""note"", with\nlines",dob,id,lastname,firstname\n', ',', [2, 4, 3, 1]],
  ])('is recognized as %j', (text, delimiter, columns) => {
    const layout = layoutOf(text);
    expect(String.fromCharCode(layout.delimiter)).toBe(delimiter);
    expect(layout.columns).toEqual(columns);
  });

  it('with a repeated name uses the first column', () => {
    expect(layoutOf('id,dob,firstname,lastname,ID,dob')).toMatchObject({ columns: [0, 2, 3, 1], width: 6 });
  });

  it('may contain optional columns, without effect on the others', () => {
    expect(layoutOf('id,firstname,lastname,dob,note,Country, NAME ').more).toEqual({ country: 5, name: 6 });
    expect(layoutOf('id,firstname,lastname,dob,note')).not.toHaveProperty('more');
  });

  it('has its optional columns read only on request, and reports the ignored ones', () => {
    const header = 'id,firstname,lastname,dob,note,Country, NAME ,Countries,name';
    const head = readHead(header, false);
    expect(head.layout).not.toHaveProperty('more');
    expect(head.warnings).toEqual([
      'Ignored columns: name, country. They are compared only with `columns=extended` (`limen screen --extended`).',
    ]);
    expect(readHead('id,firstname,lastname,dob,note', false).warnings).toEqual([]);
  });

  it.each([
    '',
    '\ufeff',
    '\n\n',
    'id,firstname,lastname',
    'id,firstname,lastname,dateofbirth',
    'id|firstname|lastname|dob',
    'id,firstname;lastname,dob',
    '1,Ada,Lovelace,1815-12-10',
    '{"id": 1}',
  ])('is refused if it lacks %j', (text) => {
    expect(() => layoutOf(text)).toThrow('Missing required CSV headers');
  });

  it('may contain column names of imports, which are reported and ignored', () => {
    const head = readHead('id,firstname,lastname,dob,Countries,identifiers,identifier');
    expect(head.warnings).toEqual(['Not read: countries (here it is called country).']);
    expect(head.layout.more).toEqual({ identifier: 6 });
  });

  it("with the names of a subject file gets an error that lists this file's columns", () => {
    const refusal = expect.objectContaining({
      detail: expect.stringMatching(/lacks id, dob; .* Here reference is called id. Here birthdate is called dob.$/),
    });
    expect(() => layoutOf('reference,firstName,lastName,birthDate\n')).toThrow(refusal);
  });

  it.each([
    ['name', 'id, firstname, lastname, dob'],
    ['id;name', 'firstname, lastname, dob'],
    ['id,name,dob', 'firstname, lastname'],
  ])('with %s gets an error saying that the four columns may be empty', (header, missing) => {
    expect(() => layoutOf(`${header}\n`)).toThrow(
      expect.objectContaining({
        detail: expect.stringMatching(
          new RegExp(`lacks ${missing}; .* Beside name they may be empty, but they must be there\\.$`),
        ),
      }),
    );
  });

  it('is refused if it never ends', () => {
    expect(() => layoutOf(`id,firstname,lastname,dob,${'x'.repeat(MAX_HEADER_BYTES)}\n`)).toThrow(
      'Missing required CSV headers',
    );
  });

  it('with broken quoting is refused with its line', () => {
    expect(() => layoutOf('\n"id,firstname,lastname,dob\n1,a,b,c\n')).toThrow(CsvError);
    expect(() => layoutOf('\n"id,firstname,lastname,dob\n1,a,b,c\n')).toThrow(/line 2/);
    expect(() => layoutOf(`"${'x'.repeat(MAX_HEADER_BYTES)}`)).toThrow(/line 1/);
  });

  it('accepts any bytes, or throws one of its two errors', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 300 }), (bytes) => {
        try {
          readLayout(bytes, { extended: true });
        } catch (error) {
          expect(error instanceof CsvError).toBe(true);
        }
      }),
    );
  });
});

describe('a file', () => {
  const HEADER = 'id,firstname,lastname,dob\n';

  it('is split into pieces of complete rows that cover all of it', async () => {
    const rows = Array.from({ length: 1000 }, (_, index) => `${index},"A\n""b""",c,2000`);
    const file = await openFile(HEADER + rows.join('\r\n'));
    expect(file.rows).toBe(1000);
    expect(file.pieces.length).toBeGreaterThan(5);
    const texts = file.pieces.map(({ start, end }) => new TextDecoder().decode(file.bytes.subarray(start, end)));
    expect(texts.join('\r\n')).toBe(rows.join('\r\n'));
  });

  it('is the same however it is sliced: 2 MiB with multi-byte text and quotes', async () => {
    const row = `1,"Зоя ""Zo"" 李\n",x,\n`;
    const text = HEADER + row.repeat(Math.floor((2 * 1024 * 1024) / Buffer.byteLength(row)));
    const file = await openFile(text);
    expect(file.rows).toBe(Math.floor((2 * 1024 * 1024) / Buffer.byteLength(row)));
  });

  it('reports the line of broken quoting far below the header', async () => {
    const text = `${HEADER}${'1,a,b,c\r\n'.repeat(5000)}1,"a"x,b,c\r\n`;
    await expect(openFile(text)).rejects.toThrow(/line 5002/);
  });

  it('has no rows if it contains only a header, and one row larger than a piece is a piece', async () => {
    expect(await openFile(HEADER)).toMatchObject({ rows: 0, pieces: [] });
    const long = await openFile(`${HEADER}1,${'x'.repeat(100_000)},y,\n2,a,b,\n`);
    expect(long.pieces.map(({ rows }) => rows)).toEqual([1, 1]);
  });
});
