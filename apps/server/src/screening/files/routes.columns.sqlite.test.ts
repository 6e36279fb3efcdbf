// Optional columns of files count only on request, and change nothing else.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createTestDatabase, type TestDatabase } from '#testing/database/test-database.ts';
import { createListedEntity, storeList } from '#testing/screening/listed-people.ts';
import { HEADER, screen, screenSuccessfully } from '#testing/screening/upload.ts';
import { startTestApp, type TestApp } from '#testing/test-app.ts';

let app: TestApp;
let database: TestDatabase;
let dispose: () => Promise<void>;

beforeAll(async () => {
  database = await createTestDatabase();
  await storeList(database.dataDir, 'north', [
    createListedEntity('inv-1', 'Torvald Eskeland', '1961-04-09', {
      names: ['Torvald Eskeland', 'Thorvald Eskelandt'],
      countries: ['no'],
      identifiers: [{ kind: 'passportNumber', value: 'N 1234567' }],
    }),
    createListedEntity('ship-1', 'Harbour Lantern', undefined, {
      schema: 'Vessel',
      identifiers: [{ kind: 'imoNumber', value: 'IMO 9074729' }],
    }),
  ]);
  await storeList(database.dataDir, 'south', [
    createListedEntity('inv-1', 'Torvald Eskeland', '1961', { countries: ['no'], datasets: ['southern'] }),
    createListedEntity('lantern', 'Harbour Lantern', undefined, {
      schema: 'Vessel',
      referents: ['ship-1'],
      datasets: ['southern'],
    }),
  ]);
  app = await startTestApp({ database, atEnd: (end) => (dispose = end) });
});
afterAll(async () => {
  await dispose();
  await database.dispose();
});

const MORE = 'id,firstname,lastname,dob,name,schema,country,nationality,identifier,address\n';

const extended = (dataset: string, csv: string, query = '') =>
  screenSuccessfully(app, dataset, csv, `?columns=extended${query}`);

describe('a row with columns=extended', () => {
  it('with an identifier is found by it, and the explanation names it', async () => {
    const rows = 'p1,Somebody,Else,1961-04-09,,,,no,passport:n1234567,\n';
    const { summary, results } = await extended('north', MORE + rows);
    expect(results).toEqual([
      { id: 'p1', firstname: 'Somebody', lastname: 'Else', dob: '1961-04-09', match: 'true', score: 0.97 },
    ]);
    expect(summary.matched.records).toEqual([
      {
        ...results[0],
        matches: [
          {
            id: 'inv-1',
            caption: 'Torvald Eskeland',
            schema: 'Person',
            matchedName: 'Torvald Eskeland',
            score: 0.97,
            birthDate: ['1961-04-09'],
            countries: ['no'],
            datasets: ['invented'],
            topics: ['sanction'],
            programs: [],
            aliases: ['Thorvald Eskelandt'],
            lastChange: null,
            explanation: {
              name: 'the names are not alike; same passport number; same country: no',
              birthDate: 'same day',
            },
          },
        ],
      },
    ]);
  });

  it('may have its whole name in one cell, with several separated by a semicolon', async () => {
    const rows = 'p1,,,,Harbor Lantern; Harbour Lantern,Vessel,,,,\np2,,,1961-04-09,Eskeland Torvald,,,,,\n';
    const { summary } = await extended('north', MORE + rows);
    expect(summary.matched.records.map(({ id, matches }) => [id, matches[0]?.id])).toEqual([
      ['p1', 'ship-1'],
      ['p2', 'inv-1'],
    ]);
    expect(summary.matched.records[0]?.matches[0]?.explanation.birthDate).toBe('not given and not listed');
  });

  it('from another country scores lower than one without a country', async () => {
    const rows = 'p1,Torvald,Eskeland,,,,,,,\np2,Torvald,Eskeland,,,,Chile,,,\np3,Torvald,Eskeland,,,,no,,,\n';
    const { results } = await extended('north', MORE + rows);
    const [plain, elsewhere, same] = results.map(({ score }) => score);
    expect(elsewhere).toBeLessThan(plain!);
    expect(same).toBeGreaterThan(plain!);
  });

  it('is shown once if several lists contain it', async () => {
    const { summary } = await extended('default', `${MORE}p1,Torvald,Eskeland,1961-04-09,,,no,,,\n`);
    expect(summary.matched.records[0]?.matches).toMatchObject([
      { id: 'inv-1', datasets: ['invented', 'southern'], birthDate: ['1961-04-09', '1961'] },
    ]);
  });

  it('of four columns is shown once, with the data of all lists that contain it', async () => {
    const rows = 'p1,Torvald,Eskeland,1961-04-09\np2,,Harbour Lantern,\n';
    const { summary } = await screenSuccessfully(app, 'default', HEADER + rows);
    expect(summary.matched.records.map(({ matches }) => matches)).toMatchObject([
      [{ id: 'inv-1', score: 1, datasets: ['invented', 'southern'], birthDate: ['1961-04-09', '1961'] }],
      [{ id: 'ship-1', datasets: ['invented', 'southern'] }],
    ]);
  });

  it('reports what could not be compared', async () => {
    const { results, summary } = await extended('north', `${MORE}p1,Torvald,Eskeland,soon,,Robot,no,Narnia,,\n`);
    const warning = expect.stringMatching(
      /schema is none that is known.*date of birth is not a date.*known.*: Narnia\./,
    );
    expect(results[0]).toMatchObject({ match: 'true', warning });
    expect(summary.matched.records[0]).toMatchObject({ id: 'p1', warning });
  });

  it('without any of it gets exactly the reply of a four-column file', async () => {
    const rows = ['Torvald,Eskeland,1961-04-09', 'Thorvald,Eskland,', 'Ada,Innocent,soon', ',,', 'Tor,Eskeland,1961'];
    const plain = rows.map((row, at) => `${at},${row}\n`).join('');
    const wider = rows.map((row, at) => `${at},${row}, ,,,,,\n`).join('');
    expect(await extended('north', MORE + wider, '&scoreThreshold=0.5')).toEqual(
      await screenSuccessfully(app, 'north', HEADER + plain, '?scoreThreshold=0.5'),
    );
  });
});

describe('a file', () => {
  it('with another column is screened by the four, as before', async () => {
    const rows = 'p1,Torvald,Eskeland,1961-04-09';
    const plain = await screenSuccessfully(app, 'north', `${HEADER}${rows}\n`);
    expect(await screenSuccessfully(app, 'north', `id,firstname,lastname,dob,residence\n${rows},cl\n`)).toEqual(plain);
  });

  it('that lacks one of the four is refused, whatever else it has', async () => {
    const reply = await screen(app, 'north', 'id,name,dob,country\np1,Torvald Eskeland,1961-04-09,no\n');
    expect([reply.statusCode, reply.json().message]).toEqual([400, 'Missing required CSV headers']);
  });

  it('with a repeated optional column uses the first, with a warning', async () => {
    const csv = 'id,firstname,lastname,dob,identifier,identifier\np1,A,B,,N1234567,x\n';
    const { summary } = await extended('north', csv);
    expect(summary.warning).toMatch(/more than once: identifier/);
    expect(summary.matched.count).toBe(1);
  });
});

describe('without columns=extended', () => {
  const ROW = 'p1,Torvald,Eskeland,1961-04-09';
  const plain = () => screenSuccessfully(app, 'north', `${HEADER}${ROW}\n`);

  it.each([
    ['schema', 'Company'],
    ['schema', 'Vessel'],
    ['country', 'jp'],
    ['nationality', 'jp'],
    ['name', 'Ada Innocent'],
    ['identifier', 'passport:X9999999'],
    ['address', '1 Elsewhere'],
  ])('warns that a column %s of an export is ignored, and clears no listed person', async (column, value) => {
    const { summary, results } = await screenSuccessfully(
      app,
      'north',
      `id,firstname,lastname,dob,${column}\n${ROW},${value}\n`,
    );
    const expected = await plain();
    expect(results).toEqual(expected.results);
    const warnings = [expect.stringMatching(new RegExp(`^Ignored columns: ${column}\\. .*columns=extended`))];
    expect(summary).toEqual({ ...expected.summary, warning: warnings[0], warnings });
  });

  it('gives no warnings for a file of the four columns', async () => {
    expect((await plain()).summary).not.toHaveProperty('warnings');
  });

  it.each(['columns=', 'columns=all', 'columns=Extended', 'columns=extended&columns=extended'])(
    'refuses ?%s',
    async (query) => {
      const reply = await screen(app, 'north', `${HEADER}${ROW}\n`, `?${query}`);
      expect([reply.statusCode, reply.json().message]).toEqual([
        400,
        'query.columns must be extended, once, or be left out',
      ]);
    },
  );
});

it.each(['Company', 'Vessel'])("warns of a row with a person's name and the schema %s", async (schema) => {
  const csv = `id,firstname,lastname,dob,schema\n1,Torvald,Eskeland,1961-04-09,${schema}\n2,,,,Person\n`;
  const { results } = await extended('north', csv);
  const warning = expect.stringMatching(`first or last name and the schema ${schema}: it was not compared with people`);
  expect(results[0]).toMatchObject({ match: 'false', warning });
  expect(results[1]!.warning).not.toContain('schema');
});
