// Screening in the console: searches for names and files, and watched subjects whose names are
// hidden until requested.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  type ConsoleApp,
  newOperator,
  ORIGIN,
  startConsoleApp,
  type TestOperator,
} from '#testing/console/console-app.ts';
import { createTestDatabase } from '#testing/database/test-database.ts';
import { createListedEntity, storeList } from '#testing/screening/listed-people.ts';
import { untilReady } from '#testing/until-ready.ts';
import type {
  AlertPageView,
  ClearedPageView,
  NameSearchView,
  RevealedHistoryView,
  RevealedWatchedView,
  ScreeningView,
  SubjectFilters,
  SubjectPageView,
  SubjectView,
} from './views.ts';

const SCRIPT = '<img src=x onerror=alert(1)>';
const HEADER = 'id,firstname,lastname,dob\n';

let app: ConsoleApp;
let admin: TestOperator;
const subjects: Record<string, string> = {};

beforeAll(async () => {
  const storage = await createTestDatabase();
  const entries = [
    createListedEntity('inv-1', 'Torvald Eskeland', '1961-04-09'),
    createListedEntity('inv-2', `Mirela ${SCRIPT}`),
  ];
  await storeList(storage.dataDir, 'invented', entries, '1');
  app = await startConsoleApp({ database: storage, atEnd: afterAll, environment: { SERVE: 'core,console' } });
  await untilReady(app);
  afterAll(storage.dispose);
  admin = await newOperator(app, 'admin', 'Ada');
  for (const [kind, name] of [
    ['live', 'Torvald Eskeland'],
    ['test', 'Torvald Eskeland'],
    ['test', 'Nobody Listed'],
  ] as const) {
    const { apiKey } = await app.apiKeys.create({ kind, customerId: 'acme', clientCredentials: false });
    const payload = { reference: `${kind} ${name}`, schema: 'Person', name, dataset: 'invented' };
    const headers = { 'x-api-key': apiKey };
    const reply = await app.http.inject({ method: 'POST', url: '/v2/screening/subjects', headers, payload });
    subjects[`${kind} ${name}`] = reply.json().id;
    app.clock.advance(1_000);
  }
  while ((await app.jobs.runDue()) > 0);
});

const nameOf = (id: string) => Object.keys(subjects).find((name) => subjects[name] === id);
const acts = async () =>
  (await admin.call('GET /console/api/audit'))
    .json()
    .lines.map(({ act, about }: { act: string; about: string }) => [act, about]);

async function search(body: SubjectFilters, operator = admin): Promise<SubjectPageView> {
  const reply = await operator.call('POST /console/api/subjects/search', { body });
  expect(reply.statusCode).toBe(200);
  return reply.json();
}

const ids = (name: string) => [subjects[name]!];
const view = async (name: string) =>
  (await admin.call('GET /console/api/subjects/:id', { ids: ids(name) })).json<SubjectView>();
const reveal = async (name: string) =>
  (await admin.call('POST /console/api/subjects/:id/reveal', { ids: ids(name) })).json<RevealedWatchedView>();

describe('a search', () => {
  const find = (body: object, operator = admin) => operator.call('POST /console/api/screening/search', { body });

  it('explains each hit', async () => {
    const reply = await find({ name: 'Torvald Eskelund', birthDate: '1961', dataset: 'invented', scoreThreshold: 0.6 });
    const { result, datasetVersion } = reply.json<NameSearchView>();
    expect(datasetVersion).toBe('1');
    expect(result.matches[0]).toMatchObject({
      caption: 'Torvald Eskeland',
      explanation: { name: { query: expect.stringContaining('Eskelund') }, birthDate: { candidate: '1961-04-09' } },
    });
  });

  it('is recorded only with a digest', async () => {
    await find({ name: 'Somebody Sought', dataset: 'invented' });
    const [line] = await acts();
    expect(await acts()).toContainEqual(['screening.search', expect.stringMatching(/^[\w-]{43}$/)]);
    expect(JSON.stringify(line)).not.toContain('Sought');
    expect(app.logged()).not.toContain('Sought');
  });

  it.each([{}, { name: '' }, { name: 'x', scoreThreshold: 2 }, { name: 'x', schema: 'Dog' }])(
    'is refused with %o',
    async (body) => {
      expect((await find(body)).statusCode).toBe(400);
    },
  );

  it('knows the existing datasets', async () => {
    expect((await find({ name: 'x', dataset: 'nowhere' })).statusCode).toBe(404);
    const { lists, owners } = (await admin.call('GET /console/api/screening')).json<ScreeningView>();
    expect(lists).toContainEqual(
      expect.objectContaining({
        name: 'invented',
        kind: 'list',
        version: '1',
        entityCount: 2,
        isStale: expect.any(Boolean),
      }),
    );
    expect(lists).toContainEqual(expect.objectContaining({ name: 'default', kind: 'collection', version: null }));
    expect(owners).toEqual([
      { customer: 'acme', world: 'live', label: null },
      { customer: 'acme', world: 'test', label: null },
    ]);
  });
});

describe('a file', () => {
  const send = (payload: string | Buffer, { query = '?dataset=invented', type = 'text/csv', operator = admin } = {}) =>
    app.http.inject({
      method: 'POST',
      url: `/console/api/screening/file${query}`,
      headers: {
        host: new URL(ORIGIN).host,
        origin: ORIGIN,
        'sec-fetch-site': 'same-origin',
        'content-type': type,
        cookie: operator.cookie,
      },
      payload,
    });

  it('is counted while it is screened, and answered with its matches', async () => {
    const rows = Array.from({ length: 300 }, (_, at) => `${at},Nobody,Number${at},\n`);
    const reply = await send(`${HEADER}x,Torvald,Eskeland,1961-04-09\n${rows.join('')}`);
    const lines = reply.body
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(lines[0]).toEqual({ total: 301 });
    const counted = lines.slice(1, -1).map(({ rows: count }) => count);
    expect(counted).toEqual(counted.toSorted((one, other) => one - other));
    expect(counted.at(-1)).toBe(301);
    expect(lines.at(-1).summary).toMatchObject({ total: 301, matched: { count: 1, records: [{ id: 'x' }] } });
    expect(await acts()).toContainEqual(['screening.file', expect.stringMatching(/^[\w-]{43}$/)]);
    expect(app.logged()).not.toContain('Number12');
  });

  it.each([
    ['missing columns', 'a,b\n1,2\n', {}, 400],
    ['invalid UTF-8', Buffer.from([0xff, 0xfe, 0x00]), {}, 400],
    ['another media type', `${HEADER}`, { type: 'application/json' }, 415],
    ['too many bytes', Buffer.alloc(2_097_153, 'a'), {}, 413],
    ['an unknown dataset', `${HEADER}`, { query: '?dataset=nowhere' }, 404],
    ['an invalid threshold', `${HEADER}`, { query: '?scoreThreshold=7' }, 400],
  ])('is refused with %s', async (_what, payload, options, status) => {
    expect((await send(payload, options)).statusCode).toBe(status);
  });
});

describe('the list of subjects', () => {
  it.each<[SubjectFilters, string[]]>([
    [{}, ['test Nobody Listed', 'test Torvald Eskeland', 'live Torvald Eskeland']],
    [{ world: 'live' }, ['live Torvald Eskeland']],
    [{ hits: 'none' }, ['test Nobody Listed']],
    [{ hits: 'open', world: 'test', customer: 'acme' }, ['test Torvald Eskeland']],
    [{ state: 'due' }, []],
    [{ customer: 'nobody' }, []],
    [{ reference: 'live Torvald Eskeland' }, ['live Torvald Eskeland']],
    [{ reference: 'live Torvald Eskeland', world: 'test' }, []],
  ])('filtered by %o is %j', async (filters, expected) => {
    expect((await search(filters)).subjects.map(({ id }) => nameOf(id))).toEqual(expected);
  });

  it('has no names until they are requested, which is recorded', async () => {
    expect(JSON.stringify(await search({}))).not.toContain('Torvald');
    const reply = await admin.call('POST /console/api/subjects/search/reveal', { body: { hits: 'open' } });
    expect(reply.json<SubjectPageView>().subjects.map(({ who }) => who?.name)).toEqual([
      'Torvald Eskeland',
      'Torvald Eskeland',
    ]);
    const about = [subjects['test Torvald Eskeland'], subjects['live Torvald Eskeland']].join(' ');
    expect(await acts()).toContainEqual(['subject.reveal', about]);
  });

  it('leaves no reference in the record', async () => {
    await search({ reference: 'a-reference-to-look-for' });
    expect(await acts()).toContainEqual(['subject.search', expect.stringMatching(/^[\w-]{43}$/)]);
    expect(JSON.stringify(await acts())).not.toContain('a-reference');
  });

  it('continues where a page ended', async () => {
    const { apiKey } = await app.apiKeys.create({ kind: 'test', customerId: 'many', clientCredentials: false });
    const lines = Array.from({ length: 53 }, (_, at) => JSON.stringify({ reference: `${at}`, name: `Some ${at}` }));
    const headers = { 'x-api-key': apiKey, 'content-type': 'application/x-ndjson' };
    const url = '/v2/screening/subjects/import?dataset=invented';
    await app.http.inject({ method: 'POST', url, headers, payload: lines.join('\n') });
    const first = await search({ customer: 'many', world: 'test' });
    const second = await search({ customer: 'many', world: 'test', after: first.next } as SubjectFilters);
    const found = [...first.subjects, ...second.subjects].map(({ id }) => id);
    expect([first.subjects.length, new Set(found).size, second.next]).toEqual([50, 53, undefined]);
    const made = await admin.call('POST /console/api/subjects/search', { body: { after: "1' or 1=1" } });
    expect(made.statusCode).toBe(400);
  });

  it('shows a developer only the names of test subjects', async () => {
    const developer = await newOperator(app, 'developer');
    const body = { customer: 'acme' };
    const page = (await developer.call('POST /console/api/subjects/search/reveal', { body })).json<SubjectPageView>();
    expect(page.subjects.map(({ world, who }) => [world, who !== undefined])).toEqual([
      ['test', true],
      ['test', true],
      ['live', false],
    ]);
    const one = { ids: ids('live Torvald Eskeland') };
    for (const path of ['reveal', 'history/reveal'] as const)
      expect((await developer.call(`POST /console/api/subjects/:id/${path}`, one)).statusCode).toBe(403);
  });
});

describe('a subject', () => {
  it('shows what was found and when, but not who it is', async () => {
    const shown = await view('live Torvald Eskeland');
    expect(shown).toMatchObject({ dataset: 'invented', hits: 'open', hitCount: 1, hasCallback: false });
    expect(shown.found).toEqual([expect.objectContaining({ list: 'invented', listVersion: '1', decision: null })]);
    expect(shown.history).toEqual([expect.objectContaining({ kind: 'new', list: 'invented', listVersion: '1' })]);
    expect(JSON.stringify(shown)).not.toMatch(/Torvald|inv-1|live T/);
    expect((await acts())[1]).toEqual(['subject.view', shown.id]);
  });

  it('shows on request who it is and why it matches, which is recorded', async () => {
    const { reference, subject, hits } = await reveal('live Torvald Eskeland');
    expect([reference, subject.name, hits[0]!.match.caption]).toEqual([
      'live Torvald Eskeland',
      'Torvald Eskeland',
      'Torvald Eskeland',
    ]);
    expect((await acts())[1]).toEqual(['subject.reveal', subjects['live Torvald Eskeland']]);
    const reply = await admin.call('POST /console/api/subjects/:id/history/reveal', {
      ids: ids('live Torvald Eskeland'),
    });
    expect(reply.json<RevealedHistoryView>().history[0]).toMatchObject({
      kind: 'new',
      match: { explanation: { name: {} } },
    });
  });

  it('is decided on with a reason by the operator, stays on the whitelist, and can be reopened', async () => {
    const name = 'test Torvald Eskeland';
    const { hits } = await reveal(name);
    const [{ id: hitId, entryHash } = { id: '', entryHash: '' }] = hits;
    const decide = (body: object) =>
      admin.call('POST /console/api/subjects/:id/hits/:hitId/decide', { ids: [subjects[name]!, hitId], body });
    const decision = 'not_this_subject';
    for (const reason of [' ', '\u200b']) expect((await decide({ decision, reason, entryHash })).statusCode).toBe(400);
    expect((await decide({ decision, reason: 'Other passport.', entryHash: 'older' })).statusCode).toBe(409);
    expect((await decide({ decision, reason: 'Other passport.', entryHash })).json()).toEqual({ state: 'decided' });
    // A decision must be withdrawn before another one.
    expect((await decide({ decision: 'confirmed', reason: 'No.', entryHash })).statusCode).toBe(409);
    expect(await view(name)).toMatchObject({ hits: 'decided', found: [{ decision: { decision, author: 'Ada' } }] });

    const page = (await admin.call('POST /console/api/cleared/search')).json<ClearedPageView>();
    expect(page.cleared).toEqual([
      expect.objectContaining({ subjectId: subjects[name], author: 'Ada', world: 'test' }),
    ]);
    expect(JSON.stringify(page)).not.toMatch(/Torvald|passport/);
    const shown = (await admin.call('POST /console/api/cleared/search/reveal')).json<ClearedPageView>();
    expect(shown.cleared[0]!.who).toEqual({
      name: 'Torvald Eskeland',
      reference: name,
      listed: 'Torvald Eskeland',
      reason: 'Other passport.',
    });
    const live = await admin.call('POST /console/api/cleared/search', { body: { world: 'live' } });
    expect(live.json<ClearedPageView>().cleared).toEqual([]);

    app.clock.advance(1_000);
    const withdraw = (reason = 'Read it wrong.') =>
      admin.call('POST /console/api/subjects/:id/hits/:hitId/withdraw', {
        ids: [subjects[name]!, hitId],
        body: { reason },
      });
    expect((await withdraw('\u200b')).statusCode).toBe(400);
    expect((await withdraw()).statusCode).toBe(200);
    expect((await withdraw()).statusCode).toBe(404);
    const waiting = app.database.queries.selectFrom('review_cases').select('state').where('hit_id', '=', hitId);
    expect(await waiting.execute()).toEqual([{ state: 'open' }]);
    const after = await view(name);
    expect(after).toMatchObject({ hits: 'open', found: [{ decision: null }] });
    expect(after.history.map(({ kind, withdrawnBy }) => [kind, withdrawnBy])).toEqual([
      ['withdrawal', 'Ada'],
      ['decision', null],
      ['new', null],
    ]);
    expect((await admin.call('POST /console/api/cleared/search')).json<ClearedPageView>().cleared).toEqual([]);
    const acted = (await acts()).map(([act]: string[]) => act);
    expect(acted).toEqual(expect.arrayContaining(['hit.not_this_subject', 'hit.withdraw']));
  });

  it("is not found under another id, nor with another subject's hit", async () => {
    expect((await admin.call('GET /console/api/subjects/:id', { ids: ['none'] })).statusCode).toBe(404);
    const { hits } = await reveal('live Torvald Eskeland');
    const body = { decision: 'confirmed', reason: 'x', entryHash: hits[0]!.entryHash };
    const elsewhere = [subjects['test Nobody Listed']!, hits[0]!.id];
    const reply = await admin.call('POST /console/api/subjects/:id/hits/:hitId/decide', { ids: elsewhere, body });
    expect(reply.statusCode).toBe(404);
  });

  it('is named if it was edited in the database, and nothing of it is opened', async () => {
    const id = subjects['test Nobody Listed']!;
    const edit = (customer: string) =>
      app.database.queries
        .updateTable('watched_subjects')
        .set({ customer: customer as never })
        .where('id', '=', id as never)
        .execute();
    await edit('somebody else');
    expect(await view('test Nobody Listed')).toMatchObject({ isUnreadable: true, dataset: null });
    await edit('acme');
  });
});

it('lists alerts by kind and world, and names them on request', async () => {
  const alerts = async (body: object, path: '' | '/reveal' = '') =>
    (await admin.call(`POST /console/api/alerts/search${path}`, { body })).json<AlertPageView>();
  const about = (await alerts({})).alerts.map(({ subjectId }) => nameOf(subjectId));
  expect(about.sort()).toEqual(['live Torvald Eskeland', 'test Torvald Eskeland']);
  expect((await alerts({ world: 'live' })).alerts).toHaveLength(1);
  expect((await alerts({ kind: 'removed' })).alerts).toEqual([]);
  expect(JSON.stringify(await alerts({}))).not.toContain('Torvald');
  const { alerts: named } = await alerts({ customer: 'acme', world: 'live' }, '/reveal');
  expect(named[0]!.who).toMatchObject({ listed: 'Torvald Eskeland', reference: 'live Torvald Eskeland' });
});
