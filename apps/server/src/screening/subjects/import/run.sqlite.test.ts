// Bulk imports: every subject once, for any format, order and chunking.
import { describe, expect, it } from 'vitest';
import { createListedEntity } from '#testing/screening/listed-people.ts';
import { OWNER, prepareWatching } from '#testing/screening/watching-place.ts';
import { AppError } from '../../../platform/base/errors.ts';
import type { ImportFormat } from './read-records.ts';
import { importSubjects } from './run.ts';

type Place = Awaited<ReturnType<typeof prepareWatching>>;

async function* inPieces(text: string, length: number): AsyncGenerator<Buffer> {
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length; at += length) yield bytes.subarray(at, at + length);
}

const bring = ({ watched }: Place, text: string, format: ImportFormat, length = 7) =>
  importSubjects(watched.puts, {
    input: inPieces(text, length),
    format,
    owner: OWNER,
    apiKeyId: 'a key',
    defaults: { dataset: 'north' },
    async requireDataset(name) {
      if (name !== 'north') throw new AppError('not_found', 'There is no dataset with this name.');
    },
  });

const bringPlainly = ({ watched }: Place, text: string, format: ImportFormat) =>
  importSubjects(watched.puts, {
    input: inPieces(text, 1_000),
    ...{ format, owner: OWNER, apiKeyId: 'a key', defaults: {} },
    requireDataset: async () => {},
  });

const contentsOf = async ({ watched }: Place) => {
  const all = await watched.list(OWNER, { limit: 1_000, before: undefined });
  return all.map(({ content }) => content).toSorted((a, b) => (a.reference < b.reference ? -1 : 1));
};

const CSV = `\ufeffReference;Name;Birthdate;Aliases;identifiers;ScoreThreshold;Note
c-1;Torvald Eskeland;1961-04-09;"Thorvald; E.|T. Eskeland";passportNumber:N 123|X99887;0.85;vip
c-2;"Said ""the Ox"" Omar";;;;;
;No Reference;;;;;
c-3;;;;;;
c-4;A B;;;;;;too many;cells
`;

it('reads CSV and NDJSON alike, names invalid lines, and changes nothing the second time', async () => {
  const place = await prepareWatching();
  const first = await bring(place, CSV, 'csv');
  expect(first).toMatchObject({ added: 2, changed: 0, unchanged: 0, refused: 3 });
  expect(first.problems).toMatchObject([
    { line: 4 },
    { line: 5, message: expect.stringMatching(/^needs a name/) },
    { line: 6 },
  ]);
  expect(first.warnings).toEqual([
    expect.stringMatching(/not read: Note\. Known are reference, schema, name, /),
    expect.stringMatching(/^Line 2: Identifiers too short/),
  ]);
  const contents = await contentsOf(place);
  expect(contents).toEqual([
    {
      reference: 'c-1',
      dataset: 'north',
      scoreThreshold: 0.85,
      subject: {
        name: 'Torvald Eskeland',
        birthDate: '1961-04-09',
        aliases: ['Thorvald; E.', 'T. Eskeland'],
        identifiers: [{ kind: 'passportNumber', value: 'N 123' }, { value: 'X99887' }],
      },
    },
    { reference: 'c-2', dataset: 'north', scoreThreshold: 0.95, subject: { name: 'Said "the Ox" Omar' } },
  ]);
  const lines = contents.map(({ subject, ...rest }) => JSON.stringify({ ...rest, ...subject }));
  const again = await bring(place, `${lines.join('\r\n')}\n{"reference":\n\n`, 'ndjson', 1_000);
  expect(again).toMatchObject({ added: 0, changed: 0, unchanged: 2, refused: 1, problems: [{ line: 3 }] });
  expect(await contentsOf(place)).toEqual(contents);
});

it('imports more than one transaction holds; the last line of a repeated reference counts', async () => {
  const place = await prepareWatching();
  await place.publish('north', [createListedEntity('inv-1', 'Torvald Eskeland')], '1');
  const rows = Array.from({ length: 250 }, (_, at) => ({ reference: `r-${at % 240}`, name: `Nobody Number ${at}` }));
  rows[120] = { reference: 'hit', name: 'Torvald Eskeland' };
  const text = rows.map((row) => JSON.stringify(row)).join('\n');
  expect(await bring(place, text, 'ndjson', 4_096)).toMatchObject({ added: 240, changed: 10, refused: 0 });
  const contents = await contentsOf(place);
  expect(contents.find(({ reference }) => reference === 'r-3')!.subject.name).toBe('Nobody Number 243');
  await place.work();
  expect(await place.alerts()).toEqual(['hit new inv-1']);
  expect(await place.watched.count(OWNER)).toEqual({ total: 240, due: 0, withoutList: 0, outdated: 0 });
});

it('keeps the alert address, the threshold and the dataset if a file does not contain them', async () => {
  const place = await prepareWatching();
  const callback = { url: 'https://bank.example/alerts', headers: { authorization: 'Bearer hush' } };
  const watched = { reference: 'c-1', scoreThreshold: 0.8, dataset: 'north', callback };
  await place.watch({ ...watched, subject: { name: 'Torvald Eskeland', birthDate: '1961-04-09' } });
  const changed = { ...watched, subject: { name: 'Torvald Eskelund' } };
  // The file replaces everything that is known of the subject.
  expect(await bringPlainly(place, 'reference,name\nc-1,Torvald Eskelund\n', 'csv')).toMatchObject({ changed: 1 });
  expect(await contentsOf(place)).toEqual([changed]);
  const same = ['reference,name,scoreThreshold,callbackUrl\nc-1,Torvald Eskelund,,\n', 'csv'] as const;
  expect(await bringPlainly(place, ...same)).toMatchObject({ unchanged: 1 });
  const line =
    '{"reference":"c-1","name":"Torvald Eskelund","scoreThreshold":0.9}\n{"reference":"c-2","name":"A Bert"}';
  expect(await bringPlainly(place, line, 'ndjson')).toMatchObject({ added: 1, changed: 1 });
  expect(await contentsOf(place)).toEqual([
    { ...changed, scoreThreshold: 0.9 },
    { reference: 'c-2', subject: { name: 'A Bert' }, dataset: 'default', scoreThreshold: 0.95 },
  ]);
});

it('lists the valid schemas, and suggests the column that was meant', async () => {
  const place = await prepareWatching();
  const dated = await bring(place, 'reference,name,birthDate\nc-1,A Bert,yesterday\n', 'csv', 1_000);
  expect(dated.problems).toEqual([{ line: 2, message: expect.stringMatching(/^birthDate must be a date/) }]);
  const rows = 'reference,name,schema,birthdte,\u0007\nc-1,A Bert,Persn,1970\n';
  const { problems, warnings } = await bring(place, rows, 'csv', 1_000);
  expect(problems).toEqual([{ line: 2, message: expect.stringMatching(/^schema must be one of Person, .*Vessel/) }]);
  expect(warnings).toEqual([
    expect.stringContaining('birthdte (did you mean birthDate?), one without a usable name. Known'),
  ]);
});

it('explains an invalid line with the message of a single call', async () => {
  const place = await prepareWatching();
  const named = { reference: 'c-1', name: 'A Bert' };
  const lines = [
    [{ ...named, identifiers: ['N1234567'] }, 'identifiers.0 must be an object'],
    [{ name: 'A Bert' }, 'reference is required'],
    [{ ...named, scoreThreshold: 1.5 }, 'scoreThreshold must be 1 or less'],
    [{ ...named, name: '' }, 'name must not be empty'],
    [7, 'must be an object'],
  ] as const;
  const text = lines.map(([line]) => JSON.stringify(line)).join('\n');
  const { problems } = await bring(place, text, 'ndjson', 1_000);
  expect(problems.map(({ message }) => message)).toEqual(lines.map(([, message]) => message));
});

it('refuses lines beyond the limits of a single call, and imports the others', async () => {
  const place = await prepareWatching();
  const fields = (count: number) => Array.from({ length: count }, (_, at) => `"unknown${at}":1`).join(',');
  const lines = [
    `{"reference":"c-1","name":"A Bert",${fields(201)}}`,
    `{"reference":"c-2","name":"A Bert","note":[${'1,'.repeat(50_000)}1]}`,
    `{"reference":"c-3","name":"A Bert","note":${'['.repeat(200)}${']'.repeat(200)}}`,
    '{"reference":"c-4","name":"A Bert"',
    '{"reference":"c-5","name":"A Bert"}',
  ];
  const { added, problems } = await bring(place, lines.join('\n'), 'ndjson', 64 * 1024);
  expect(problems).toEqual([
    { line: 1, message: 'must have at most 200 unknown fields' },
    { line: 2, message: 'has more than 50000 fields and list entries' },
    { line: 3, message: 'is nested deeper than 200 levels' },
    { line: 4, message: 'is not usable JSON: it stops being JSON at character 34' },
  ]);
  expect([added, (await contentsOf(place)).map(({ reference }) => reference)]).toEqual([1, ['c-5']]);
});

it.each(['ndjson', 'csv'] as const)('yields the event loop repeatedly: %s', async (format) => {
  const place = await prepareWatching();
  const head = format === 'csv' ? 'reference,name\n' : '';
  const line = format === 'csv' ? ',\n' : '{}\n';
  const text = head + line.repeat(10_000);
  let turns = 0;
  let isDone = false;
  const countTurn = () => {
    turns += 1;
    if (!isDone) setImmediate(countTurn);
  };
  setImmediate(countTurn);
  const { refused } = await bring(place, text, format, text.length);
  isDone = true;
  expect(refused).toBe(10_000);
  expect(turns).toBeGreaterThanOrEqual(Math.floor((10_000 * (line.length + 100)) / (17 * 1024)));
});

it('suggests a column by its common synonym, if the file has no column of that name', async () => {
  const place = await prepareWatching();
  const rows = 'reference,fullname,dateOfBirth,citizenship,firstName\nc-1,A,1970,no,Bert\n';
  const { warnings } = await bring(place, rows, 'csv', 1_000);
  expect(warnings).toEqual([
    expect.stringContaining(
      'fullname (did you mean name?), dateOfBirth (did you mean birthDate?), citizenship (did you mean nationalities?). Known',
    ),
  ]);
  const line = JSON.stringify({ reference: 'c-2', name: 'A Bert', date_of_birth: '1970', surname: 'X' });
  expect((await bring(place, line, 'ndjson', 1_000)).warnings).toEqual([
    'Line 1: Fields that are not known, not compared: date_of_birth (did you mean birthDate?), surname (did you mean lastName?).',
  ]);
});

it('accepts a schema in any case, and stores it in the reference spelling', async () => {
  const place = await prepareWatching();
  await bringPlainly(place, 'reference,name,schema\nc-1,A Bert,person\nc-2,B Cert,LEGALENTITY\n', 'csv');
  await bringPlainly(place, '{"reference":"c-3","name":"D Ert","schema":"vessel"}', 'ndjson');
  const schemas = (await contentsOf(place)).map(({ subject }) => subject.schema);
  expect(schemas).toEqual(['Person', 'LegalEntity', 'Vessel']);
});

it.each([
  ['"reference","name"\nc-1,Torvald Eskeland\n', 7],
  ['"reference","name"\nc-1,Torvald Eskeland', 1_000],
])('reads a quoted header after a byte order mark', async (text, length) => {
  expect(await bring(await prepareWatching(), `\ufeff${text}`, 'csv', length)).toMatchObject({
    added: 1,
    problems: [],
  });
});

it('accepts the column names and separators of files for screening', async () => {
  const place = await prepareWatching();
  const rows = [
    'id,firstname,lastname,dob,country,nationality,identifier,address,aliases',
    'c-1,Torvald,Eskeland,1961-04-09,no;se,Norway|Denmark,passport:N1234567;X9988776|imo:9990017,1 Quay; Oslo|2 Quay,T. E.; Thor',
  ];
  expect(await bring(place, rows.join('\n'), 'csv', 1_000)).toEqual({
    ...{ added: 1, changed: 0, unchanged: 0, refused: 0, problems: [] },
  });
  expect(await contentsOf(place)).toMatchObject([
    {
      reference: 'c-1',
      subject: {
        ...{ firstName: 'Torvald', lastName: 'Eskeland', birthDate: '1961-04-09' },
        ...{ countries: ['no', 'se'], nationalities: ['Norway', 'Denmark'] },
        identifiers: [
          { kind: 'passport', value: 'N1234567' },
          { value: 'X9988776' },
          { kind: 'imo', value: '9990017' },
        ],
        ...{ addresses: ['1 Quay; Oslo', '2 Quay'], aliases: ['T. E.', 'Thor'] },
      },
    },
  ]);
  // If the file has the reference column, the synonym is an unknown column.
  const both = 'reference,id,name,birthDate,dob\nc-2,77,A Bert,1970,1971\n';
  expect((await bring(place, both, 'csv', 1_000)).warnings).toEqual([expect.stringMatching(/not read: id, dob/)]);
  expect((await contentsOf(place))[1]).toMatchObject({ reference: 'c-2', subject: { birthDate: '1970' } });
});

it('imports a line with unknown fields, and names them', async () => {
  const place = await prepareWatching();
  const line = JSON.stringify({ reference: 'c-1', name: 'Torvald Eskeland', note: 'vip', dateOfBirth: '1961' });
  expect(await bring(place, line, 'ndjson', 1_000)).toMatchObject({
    added: 1,
    warnings: ['Line 1: Fields that are not known, not compared: note, dateOfBirth (did you mean birthDate?).'],
  });
  expect((await contentsOf(place))[0]!.subject).toEqual({ name: 'Torvald Eskeland' });
});

it('accepts an identifier with a short prefix for its kind', async () => {
  const place = await prepareWatching();
  const counts = await bring(place, 'reference,identifiers\nc-1,passport:N12345\nc-2,shoe:N12345\n', 'csv', 1_000);
  expect(counts).toMatchObject({ added: 1, problems: [{ line: 3, message: expect.stringMatching(/passportNumber/) }] });
});

it('keeps and reports the imported lines if it cannot be read to the end', async () => {
  const place = await prepareWatching();
  const rows = ['reference,name', 'c-1,Torvald Eskeland', 'c-2,', 'c-3,"A Bert', 'c-4,C Dora', ''];
  await expect(bring(place, rows.join('\n'), 'csv', 7)).rejects.toThrow(
    /never closed.* What came before was taken: 1 new, 0 changed, 0 as before, 1 not usable\./,
  );
  expect((await contentsOf(place)).map(({ reference }) => reference)).toEqual(['c-1']);
});

describe('is refused', () => {
  it('as a whole, for an unknown dataset', async () => {
    const place = await prepareWatching();
    const order = { format: 'csv' as const, owner: OWNER, apiKeyId: 'a key', defaults: { dataset: 'nope' } };
    const input = inPieces('reference,name\nc-1,A B\n', 7);
    const requireDataset = async () => {
      throw new AppError('not_found', 'There are north.');
    };
    await expect(importSubjects(place.watched.puts, { ...order, input, requireDataset })).rejects.toThrow('north');
    expect(await contentsOf(place)).toEqual([]);
  });

  it.each([
    ['a file without a header', '', 'no header row'],
    ['a file without the reference column', 'name\nA B\n', 'no column named reference'],
    ['a file with a similar column instead', 'Refrence,name\nc-1,A B\n', 'It has Refrence; did you mean that?'],
    ['a repeated column', 'reference,name,Name\n', 'twice'],
    ['an unclosed quote', 'reference,name\n"c-1,A B\n', 'never closed'],
    ['a header that is not UTF-8', 'reference,name,\u00e9\nc-1,A B\n', 'The header row is not in UTF-8.'],
  ])('for %s', async (_, text, says) => {
    const place = await prepareWatching();
    const bytes = Buffer.from(text, 'latin1');
    const input = (async function* () {
      yield bytes;
    })();
    const options = { input, format: 'csv' as const, owner: OWNER, apiKeyId: 'a key', defaults: {} };
    await expect(importSubjects(place.watched.puts, { ...options, requireDataset: async () => {} })).rejects.toThrow(
      says,
    );
    expect(await contentsOf(place)).toEqual([]);
  });
});

it('names a line that is not UTF-8, and imports the others', async () => {
  const place = await prepareWatching();
  const input = (async function* () {
    yield Buffer.from('reference,name\nc-1,Ren\u00e9 Beispiel\nc-2,Torvald Eskeland\n', 'latin1');
  })();
  const options = { input, format: 'csv' as const, owner: OWNER, apiKeyId: 'a key', defaults: {} };
  const counts = await importSubjects(place.watched.puts, { ...options, requireDataset: async () => {} });
  expect(counts).toMatchObject({ added: 1, refused: 1, problems: [{ line: 2, message: 'is not in UTF-8' }] });
  expect((await contentsOf(place)).map(({ reference }) => reference)).toEqual(['c-2']);
});

it('warns of up to a hundred lines that are only partly screened', async () => {
  const place = await prepareWatching();
  const rows = Array.from({ length: 120 }, (_, at) => `c-${at},Torvald Eskeland,12`);
  const counts = await bring(place, ['reference,name,identifiers', ...rows, ''].join('\n'), 'csv', 10_000);
  expect([counts.added, counts.warnings?.length]).toEqual([120, 100]);
  expect(counts.warnings?.[0]).toBe('Line 2: Identifiers too short or too general to tell anybody, not compared: 1.');
});
