// File screening over HTTP: successful replies.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createTestDatabase, type TestDatabase } from '#testing/database/test-database.ts';
import { createListedEntity, storeList } from '#testing/screening/listed-people.ts';
import { HEADER, screen, screenSuccessfully } from '#testing/screening/upload.ts';
import { startTestApp, type TestApp } from '#testing/test-app.ts';

let app: TestApp;
let database: TestDatabase;
let dispose: () => Promise<void>;

const PERSON = createListedEntity('inv-1', 'Torvald Eskeland', '1961-04-09', {
  names: ['Torvald Eskeland', 'Thorvald Eskelandt'],
  countries: ['no'],
  programs: ['INV-1'],
  lastChange: '2026-01-01',
});

/** One application and two lists for all tests of this file, which change nothing. */
beforeAll(async () => {
  database = await createTestDatabase();
  await storeList(database.dataDir, 'north', [
    PERSON,
    createListedEntity('inv-2', 'Quorvina Belzanfer', '1980-12-01'),
    createListedEntity('inv-3', 'Зорислав Пенкович', '1955'),
    createListedEntity('pep-1', 'Amarylla Dortulken', '1970-02-03', { topics: ['role.pep'] }),
  ]);
  await storeList(
    database.dataDir,
    'south',
    [createListedEntity('inv-1', 'Torvald Eskeland', '1961'), createListedEntity('s-9', 'Hevyas Pomlud', '1999-09-09')],
    '7',
  );
  app = await startTestApp({ database, atEnd: (end) => (dispose = end) });
});
afterAll(async () => {
  await dispose();
  await database.dispose();
});

describe('a screened file', () => {
  it('contains every row in order, and matched rows in the summary with their matches', async () => {
    const rows = 'p1,Torvald,Eskeland,1961-04-09\np2,Ada,Innocent,1990-01-01\np3,Quorvina,Belzanfer,1980-12-01\n';
    const { summary, results } = await screenSuccessfully(app, 'north', HEADER + rows);
    expect(results).toEqual([
      { id: 'p1', firstname: 'Torvald', lastname: 'Eskeland', dob: '1961-04-09', match: 'true', score: 1 },
      { id: 'p2', firstname: 'Ada', lastname: 'Innocent', dob: '1990-01-01', match: 'false', score: 0 },
      { id: 'p3', firstname: 'Quorvina', lastname: 'Belzanfer', dob: '1980-12-01', match: 'true', score: 1 },
    ]);
    expect(summary).toMatchObject({ total: 3, dataset: 'north', datasetVersion: '1', scoreThreshold: 0.95 });
    expect(summary.warning).toBeUndefined();
    expect(summary.matched.count).toBe(2);
    expect(summary.matched.records.map(({ id }) => id)).toEqual(['p1', 'p3']);
    expect(summary.matched.records[0]).toEqual({
      ...results[0],
      matches: [
        {
          id: 'inv-1',
          caption: 'Torvald Eskeland',
          schema: 'Person',
          matchedName: 'Torvald Eskeland',
          score: 1,
          birthDate: ['1961-04-09'],
          countries: ['no'],
          datasets: ['invented'],
          topics: ['sanction'],
          programs: ['INV-1'],
          aliases: ['Thorvald Eskelandt'],
          lastChange: '2026-01-01',
          explanation: { name: expect.stringContaining('Torvald'), birthDate: expect.any(String) },
        },
      ],
    });
  });

  it('is answered as JSON, and not stored anywhere', async () => {
    const reply = await screen(app, 'north', `${HEADER}p1,Torvald,Eskeland,1961-04-09\n`);
    expect(reply.headers['content-type']).toBe('application/json; charset=utf-8');
    expect(reply.headers['cache-control']).toContain('no-store');
    expect(app.logged()).toContain('file screened');
    for (const value of ['Torvald', 'Eskeland', '1961-04-09', 'people.csv']) expect(app.logged()).not.toContain(value);
  });

  it('with only a header has a total of 0', async () => {
    const empty = await screenSuccessfully(app, 'north', HEADER.trim());
    expect(empty.summary).toMatchObject({ total: 0, matched: { count: 0, records: [] } });
    expect(empty.results).toEqual([]);
  });

  it.each([
    ['a byte order mark and CRLF', '\ufeffid,firstname,lastname,dob\r\np1,Torvald,Eskeland,1961-04-09\r\n'],
    ['CR', 'id,firstname,lastname,dob\rp1,Torvald,Eskeland,1961-04-09\r'],
    ['semicolons', 'id;firstname;lastname;dob\np1;Torvald;Eskeland;1961-04-09'],
    ['tabs', 'id\tfirstname\tlastname\tdob\np1\tTorvald\tEskeland\t1961-04-09'],
    [
      'another order, case, and further columns',
      'note,DOB,LastName,x,FirstName,Id\nn,1961-04-09,Eskeland,,Torvald,p1\n',
    ],
    ['quotes and blank lines', '\n"id","firstname","lastname","dob"\n\n"p1","Torvald","Eskeland","1961-04-09"\n  \n'],
  ])('may have %s', async (_name, csv) => {
    const { summary, results } = await screenSuccessfully(app, 'north', csv);
    expect(summary).toMatchObject({ total: 1, matched: { count: 1 } });
    expect(results).toEqual([
      { id: 'p1', firstname: 'Torvald', lastname: 'Eskeland', dob: '1961-04-09', match: 'true', score: 1 },
    ]);
  });

  it('is echoed unchanged, whatever it contains', async () => {
    const rows = '"a""b","x,\ny",Зоя 李 😀,\u0000\u0001"\n p1 , Torvald ,Eskeland ,1961-04-09\n';
    const { results } = await screenSuccessfully(app, 'north', HEADER + rows);
    expect(results[0]).toMatchObject({ id: 'a"b', firstname: 'x,\ny', lastname: 'Зоя 李 😀', dob: '\u0000\u0001"' });
    expect(results[1]).toMatchObject({ id: ' p1 ', firstname: ' Torvald ', match: 'true' });
  });

  it('warns about short rows, long rows and invalid dates, and still screens them', async () => {
    const rows =
      'p1,Torvald\np2,Torvald,Eskeland,9.4.61\np3,Torvald,Eskeland,1961-04-09,surplus\np4,Torvald,Eskeland,1961-04-09,,\np5\n';
    const { results } = await screenSuccessfully(app, 'north', HEADER + rows);
    expect(results[0]).toMatchObject({
      id: 'p1',
      lastname: '',
      dob: '',
      warning: expect.stringContaining('2 of 4 columns'),
    });
    expect(results[1]).toMatchObject({ id: 'p2', dob: '9.4.61', warning: expect.stringContaining('date of birth') });
    expect(results[1]?.score).toBeGreaterThan(0.5);
    expect(results[2]).toMatchObject({ match: 'true', warning: expect.stringContaining('5 columns instead of 4') });
    expect(results[3]).not.toHaveProperty('warning');
    expect(results[4]?.warning).toContain('1 of 4 columns');
  });

  it('includes the warning in the summary too', async () => {
    const { summary } = await screenSuccessfully(
      app,
      'north',
      `${HEADER}p2,Torvald,Eskeland,9.4.61\n`,
      '?scoreThreshold=0.5',
    );
    expect(summary.matched.records[0]?.warning).toContain('date of birth');
  });
});

describe('the threshold', () => {
  const csv = `${HEADER}p1,Torvald,Eskeland,\np2,Nobody,Known,\n`;

  it('decides what matches, without changing the score', async () => {
    const [strict, loose] = [
      await screenSuccessfully(app, 'north', csv, '?scoreThreshold=1'),
      await screenSuccessfully(app, 'north', csv, '?scoreThreshold=0.6'),
    ];
    expect(strict.results[0]).toMatchObject({ match: 'false', score: expect.any(Number) });
    expect(loose.results[0]).toMatchObject({ match: 'true', score: strict.results[0]?.score });
    expect(strict.summary).toMatchObject({ scoreThreshold: 1, matched: { count: 0, records: [] } });
    expect(loose.summary).toMatchObject({ scoreThreshold: 0.6, matched: { count: 1 } });
  });

  it('of 0 returns candidates from the floor up, and no one below', async () => {
    const { summary, results } = await screenSuccessfully(app, 'north', csv, '?scoreThreshold=0');
    expect(summary).toMatchObject({ scoreThreshold: 0, total: 2, matched: { count: 1 } });
    expect(results[1]).toMatchObject({ match: 'false', score: 0 });
  });
});

describe('a collection', () => {
  it('is searched over all lists, with each entity once, and names their versions', async () => {
    const { summary } = await screenSuccessfully(
      app,
      'default',
      `${HEADER}p1,Torvald,Eskeland,1961-04-09\np2,Hevyas,Pomlud,1999-09-09\n`,
    );
    expect(summary).toMatchObject({ dataset: 'default', datasetVersion: 'north@1, south@7', matched: { count: 2 } });
    expect(summary.warning).toBeUndefined();
    expect(summary.matched.records[0]?.matches.map(({ id, score }) => [id, score])).toEqual([['inv-1', 1]]);
    expect(summary.matched.records[1]?.matches.map(({ id }) => id)).toEqual(['s-9']);
  });

  it('is searched by topic', async () => {
    const csv = `${HEADER}p1,Torvald,Eskeland,1961-04-09\np2,Amarylla,Dortulken,1970-02-03\n`;
    const matchesIn = async (name: string) =>
      (await screenSuccessfully(app, name, csv)).summary.matched.records.map(({ id }) => id);
    expect(await matchesIn('sanctions')).toEqual(['p1']);
    expect(await matchesIn('peps')).toEqual(['p2']);
    expect(await matchesIn('default')).toEqual(['p1', 'p2']);
    expect((await screenSuccessfully(app, 'peps', csv)).summary.datasetVersion).toBe('north@1');
  });

  it('with only the demo behind it gives a warning', async () => {
    const bare = await startTestApp();
    for (const name of ['default', 'sanctions', 'peps']) {
      const { summary } = await screenSuccessfully(bare, name, `${HEADER}p1,Torvald,Eskeland,1961-04-09\n`);
      expect(summary.datasetVersion).toMatch(/^demo@/);
      expect(summary.warning).toContain('Only the fictional demo dataset is behind this');
    }
  });
});

describe('the demo dataset', () => {
  it('is always available and finds people', async () => {
    const { datasets } = (await app.http.inject('/v2/open-sanctions/datasets')).json();
    const demo = datasets.find(({ name }: { name: string }) => name === 'demo');
    expect(demo).toMatchObject({ kind: 'demo', status: 'ready', people: expect.any(Number) });
    expect((await screenSuccessfully(app, 'demo', HEADER)).summary).toMatchObject({ dataset: 'demo', total: 0 });
  });
});

describe('the list of datasets', () => {
  it('shows collections with their members, and lists with version, counts and load time', async () => {
    await screenSuccessfully(app, 'default', HEADER); // Waits until all are loaded.
    const { datasets } = (await app.http.inject('/v2/open-sanctions/datasets')).json();
    expect(datasets.map(({ name }: { name: string }) => name)).toEqual([
      'default',
      'sanctions',
      'peps',
      'demo',
      'north',
      'south',
    ]);
    expect(datasets[0]).toMatchObject({
      kind: 'collection',
      status: 'ready',
      entityCount: 6,
      members: ['north', 'south'],
    });
    expect(datasets[2]).toMatchObject({ name: 'peps', entityCount: 1, members: ['north'] });
    expect(datasets[4]).toEqual({
      name: 'north',
      kind: 'list',
      status: 'ready',
      version: '1',
      entityCount: 4,
      people: 4,
      sanctions: 3,
      peps: 1,
      builtAt: expect.stringMatching(/^2026-01-01T/),
      loadedAt: expect.stringMatching(/^\d{4}-/),
      loadMs: expect.any(Number),
      memoryBytes: expect.any(Number),
    });
  });

  it('reports overdue refreshes in /ready, which stays ready, and in the metrics', async () => {
    await screenSuccessfully(app, 'default', HEADER); // Waits until all are loaded.
    const ready = await app.http.inject('/ready');
    expect(ready.statusCode).toBe(200);
    expect(ready.json().checks.datasets).toMatch(
      /^ready; not refreshed for too long: north \(\d+ days\), south \(\d+ days\)$/,
    );
    const { body } = await app.http.inject('/metrics');
    expect(body).toMatch(/limen_dataset_age_seconds\{dataset="north"\} [1-9]\d+/);
    expect(body).toContain('limen_dataset_stale{dataset="south"} 1');
  });
});

it('counts rows and files in the metrics', async () => {
  await screenSuccessfully(app, 'north', `${HEADER}p1,Torvald,Eskeland,1961-04-09\n`);
  const { body } = await app.http.inject('/metrics');
  expect(body).toMatch(/limen_screening_rows_total [1-9]/);
  expect(body).toMatch(/limen_screening_files\{state="waiting"\} 0/);
  expect(body).toContain('limen_dataset_entities{dataset="north"} 4');
});
