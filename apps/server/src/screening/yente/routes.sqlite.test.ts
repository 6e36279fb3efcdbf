// The routes of yente as its clients call them: formats, statuses, ignored parameters and refusals.
import type { YenteEntity, YenteMatchReply, YenteSearchReply } from '@limen/contract';
import { PATIENCE } from '@limen/testing/patience.ts';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { createTestDatabase, type TestDatabase } from '#testing/database/test-database.ts';
import { createListedEntity, storeList } from '#testing/screening/listed-people.ts';
import { startTestApp, type TestApp } from '#testing/test-app.ts';

let app: TestApp;
let database: TestDatabase;
let dispose: () => Promise<void>;

const TORVALD = createListedEntity('inv-1', 'Torvald Eskeland', '1961-04-09', {
  names: ['Torvald Eskeland', 'Thorvald Eskelandt'],
  weakNames: ['The Harbour Master'],
  birthDates: ['1961-04-09', '1960~'],
  countries: ['no', 'Sweden'],
  nationalities: ['no'],
  addresses: ['3 Fjordgata, 7010 Trondheim'],
  positions: ['Harbour master'],
  identifiers: [
    { kind: 'passportNumber', value: 'N 1234567' },
    { kind: 'identifier', value: 'ZX-99812' },
  ],
  programs: ['P-1'],
  datasets: ['nordic'],
  referents: ['old-1'],
  firstSeen: '2020-05-05',
  lastSeen: '2026-02-02T10:11:12Z',
  lastChange: '2026-01-01',
});
const SHIP = createListedEntity('ship-1', 'Harbour Lantern', undefined, {
  schema: 'Vessel',
  topics: ['crime'],
  countries: ['pa'],
  identifiers: [{ kind: 'imoNumber', value: 'IMO 9074729' }],
});

beforeAll(async () => {
  database = await createTestDatabase();
  const namesake = createListedEntity('inv-2', 'Torvald Eskeland', '1988-12-01', { topics: ['role.pep'] });
  await storeList(database.dataDir, 'north', [TORVALD, SHIP, namesake], '3');
  const sister = createListedEntity('ship-s', 'Harbour Lantern', undefined, {
    schema: 'Vessel',
    topics: ['crime'],
    referents: ['ship-1'],
    datasets: ['southern'],
    identifiers: [{ kind: 'hullNumber', value: 'H 55210' }],
  });
  await storeList(database.dataDir, 'south', [createListedEntity('inv-3', 'Quorvina Belzanfer', '1980'), sister], '7');
  app = await startTestApp({ database, atEnd: (end) => (dispose = end) });
});
afterAll(async () => {
  await dispose();
  await database.dispose();
});

const EXAMPLE = { schema: 'Person', properties: { name: ['Torvald Eskeland'], birthDate: ['1961-04-09'] } };

const post = (payload: unknown, url = '/yente/match/default', headers = {}) =>
  app.http.inject({ method: 'POST', url, payload: payload as object, headers });

async function match(queries: object, parameters = '', body = {}): Promise<YenteMatchReply> {
  const reply = await post({ queries, ...body }, `/yente/match/default?${parameters}`);
  if (reply.statusCode !== 200) throw new Error(`${reply.statusCode}: ${reply.body}`);
  return reply.json();
}
const idsOf = async (example: object, parameters = '') =>
  (await match({ q: example }, parameters)).responses['q']!.results.map(({ id }) => id);

describe('a query', () => {
  it('may have several dates of birth, in any order', async () => {
    const bornOn = (...birthDate: string[]) => ({ ...EXAMPLE, properties: { ...EXAMPLE.properties, birthDate } });
    const [first, second] = [bornOn('1950', '1961-04-09'), bornOn('1961-04-09', '1950')];
    const { responses } = await match({ first, second }, 'limit=1');
    const [one, other] = [responses['first']!.results, responses['second']!.results];
    expect(one).toEqual(other);
    expect(one[0]).toMatchObject({ id: 'inv-1', score: 1, explanations: { birthDate: { query: '1961-04-09' } } });
  });

  it('shows results below a raised threshold and above the cutoff', async () => {
    const parts = { schema: 'Person', properties: { name: ['Torvald Eskeland'] } };
    const { responses } = await match({ parts }, 'threshold=0.999&topics=sanction');
    expect(responses['parts']!.results).toEqual([expect.objectContaining({ id: 'inv-1', match: false })]);
    expect(responses['parts']!.total.value).toBe(0);
    const { score } = responses['parts']!.results[0]!;
    expect(await idsOf(parts, `cutoff=${score - 0.000001}&topics=sanction`)).toEqual(['inv-1']);
    // As in yente, a match not above the cutoff is hidden.
    expect(await idsOf(parts, `threshold=0.5&cutoff=${score}&topics=sanction`)).toEqual([]);
  });

  it.each(['Position', 'Occupancy', 'Identification', 'Event'])(
    'may be of the schema %s, which no one is listed as',
    async (schema) => {
      const { responses } = await match({ q: { ...EXAMPLE, schema }, other: EXAMPLE });
      expect(responses['q']!.results).toEqual([]);
      expect(responses['other']!.results).not.toEqual([]);
      const search = await app.http.inject(`/yente/search/default?q=torvald&schema=${schema}`);
      expect([search.statusCode, search.json<YenteSearchReply>().results]).toEqual([200, []]);
    },
  );

  it.each(['name', 'alias', 'lastName'])('is refused with a %s that is too long', async (property) => {
    const properties = { ...EXAMPLE.properties, [property]: 'x'.repeat(2_001) };
    const reply = await post({ queries: { q: { schema: 'Person', properties } } });
    expect([reply.statusCode, reply.json()]).toEqual([
      400,
      { detail: 'Cannot parse example entity: a name is longer than 2000 characters.' },
    ]);
  });
});

describe('POST /match', () => {
  it('answers under the keys of the queries, in the format of yente', async () => {
    const reply = await post({
      queries: { one: { id: 'c-1', ...EXAMPLE }, 'two!': { ...EXAMPLE, schema: 'Company' } },
    });
    expect([reply.statusCode, reply.headers['x-batch-size']]).toEqual([200, '2']);
    const { responses, limit } = reply.json<YenteMatchReply>();
    expect(limit).toBe(5);
    expect(Object.keys(responses)).toEqual(['one', 'two!']);
    const { results, ...rest } = responses['one']!;
    expect(rest).toEqual({
      status: 200,
      total: { value: 1, relation: 'eq' },
      query: { id: 'c-1', ...EXAMPLE },
    });
    expect(results[0]).toEqual({
      id: 'inv-1',
      caption: 'Torvald Eskeland',
      schema: 'Person',
      properties: {
        name: ['Torvald Eskeland'],
        alias: ['Thorvald Eskelandt'],
        weakAlias: ['The Harbour Master'],
        birthDate: ['1961-04-09', '1960'],
        country: ['no', 'se'],
        nationality: ['no'],
        address: ['3 Fjordgata, 7010 Trondheim'],
        position: ['Harbour master'],
        topics: ['sanction'],
        programId: ['P-1'],
        passportNumber: ['N 1234567'],
        idNumber: ['ZX-99812'],
      },
      datasets: ['nordic'],
      referents: ['old-1'],
      target: true,
      first_seen: '2020-05-05T00:00:00',
      last_seen: '2026-02-02T10:11:12',
      last_change: '2026-01-01T00:00:00',
      score: 1,
      match: true,
      explanations: {
        name: {
          score: 1,
          detail: 'Torvald: same; Eskeland: same',
          query: 'Torvald Eskeland',
          candidate: 'Torvald Eskeland',
        },
        birthDate: { score: 1, detail: 'same day', query: '1961-04-09', candidate: '1961-04-09, 1960~' },
      },
    });
    expect(responses['two!']!.query.id).toBeNull();
  });

  it("scores on yente's scale: our floor for review is yente's threshold", async () => {
    const ours = await app.http.inject({
      method: 'POST',
      url: '/v2/screening/match',
      payload: { subjects: [{ name: 'Torvald Eskeland', birthDate: '1988-12-01' }], scoreThreshold: 0 },
    });
    const [first, second] = ours.json().results[0].matches;
    const example = { ...EXAMPLE, properties: { name: 'Torvald Eskeland', birthDate: '1988-12-01' } };
    const { results, total } = (await match({ q: example }, 'cutoff=0')).responses['q']!;
    expect(results.map(({ id, match: isMatch }) => [id, isMatch])).toEqual([
      [first.id, true],
      [second.id, false],
    ]);
    expect(second.score).toBeLessThan(0.85);
    expect(results[1]!.score).toBeCloseTo((second.score * 0.7) / 0.85, 5);
    expect(total.value).toBe(1); // At or above the threshold, regardless of the cutoff.
  });

  it('counts before the limit', async () => {
    const example = { schema: 'Person', properties: { name: ['Torvald Eskeland'] } };
    const { results, total } = (await match({ q: example }, 'limit=1')).responses['q']!;
    expect([results.length, total.value]).toEqual([1, 2]);
    expect((await match({ q: example }, 'limit=0')).responses['q']).toMatchObject({ results: [], total: { value: 2 } });
  });

  it('lowers the limit if a batch would be too large, and reports it', async () => {
    const queries = Object.fromEntries(Array.from({ length: 100 }, (_, at) => [`q${at}`, EXAMPLE]));
    expect((await match(queries, 'limit=500')).limit).toBe(50);
    expect((await match({ q: EXAMPLE }, 'limit=500')).limit).toBe(500);
  });

  it('finds by identifier, and by given and family name', async () => {
    expect(await idsOf({ schema: 'Vessel', properties: { imoNumber: 9074729 } }).catch(String)).toContain('422');
    expect(await idsOf({ schema: 'Vessel', properties: { imoNumber: [9074729] } })).toEqual(['ship-1']);
    const named = { firstName: 'Torvald', lastName: 'Eskeland', birthDate: '1961-04-09' };
    expect((await idsOf({ schema: 'Person', properties: named }))[0]).toBe('inv-1');
  });

  it('merges an entity with different ids in two lists, and combines their data', async () => {
    const { responses } = await match({ q: { schema: 'Vessel', properties: { name: ['Harbour Lantern'] } } });
    const { results, total } = responses['q']!;
    expect(results).toMatchObject([
      {
        id: 'ship-1',
        datasets: ['invented', 'southern'],
        referents: ['ship-s'],
        properties: { imoNumber: ['IMO 9074729'], registrationNumber: ['H 55210'] },
      },
    ]);
    expect(total.value).toBe(1);
  });

  it.each([
    ['exclude_entity_ids=inv-1', ['inv-2']],
    ['exclude_entity_ids=old-1&exclude_entity_ids=inv-2', []],
    ['include_dataset=nordic', ['inv-1']],
    ['include_dataset=north', ['inv-1', 'inv-2']],
    ['include_dataset=south', []],
    ['exclude_dataset=nordic', ['inv-2']],
    ['exclude_dataset=north', []],
    ['exclude_schema=Person', []],
    ['topics=role.pep&topics=crime', ['inv-2']],
    ['changed_since=2026-01-01', ['inv-1']],
    ['changed_since=2026-01-02', []],
    ['algorithm=logic-v1', ['inv-1', 'inv-2']],
    ['algorithm=best', ['inv-1', 'inv-2']],
    ['threshold=1.1', ['inv-1', 'inv-2']],
    ['threshold=1.1&cutoff=1.1', []],
    ['nothing=of&the=kind', ['inv-1', 'inv-2']],
  ])('with %s finds %j', async (parameters, ids) => {
    expect(await idsOf({ schema: 'Person', properties: { name: 'Torvald Eskeland' } }, parameters)).toEqual(ids);
  });

  it('ignores weights, configuration and other parameters of clients', async () => {
    const example = {
      ...EXAMPLE,
      filters: { x: 1 },
      params: {},
      properties: { ...EXAMPLE.properties, shoeSize: ['44'] },
    };
    const body = { weights: { name: 0.1 }, config: { nonsense: true }, params: 'x' };
    expect((await match({ q: example }, '', body)).responses['q']!.results[0]!.id).toBe('inv-1');
  });

  it('accepts a long name, and many values', async () => {
    const properties = {
      name: ['x'.repeat(2_000), ...Array.from({ length: 3_000 }, (_, at) => `Nobody Number ${at}`)],
      address: Array.from({ length: 3_000 }, (_, at) => `${at} Street, Nowhere`),
    };
    expect(await idsOf({ schema: 'Person', properties })).toEqual([]);
  });

  it.each<[string, unknown, string, number, unknown]>([
    ['no queries', { queries: {} }, '', 400, 'No queries provided.'],
    [
      'more than a hundred',
      { queries: Object.fromEntries(Array.from({ length: 101 }, (_, at) => [at, EXAMPLE])) },
      '',
      400,
      'Too many queries in one batch (limit: 100)',
    ],
    [
      'more than a hundred in a large body',
      { queries: Object.fromEntries(Array.from({ length: 101 }, (_, at) => [at, { note: 'x'.repeat(1_000) }])) },
      '',
      400,
      'Too many queries in one batch (limit: 100)',
    ],
    [
      'more values than allowed',
      { queries: { q: { schema: 'Person', properties: { name: Array(5_001).fill('A') } } } },
      '',
      422,
      'body.queries.q.properties.name',
    ],
    ['an unknown schema', { queries: { q: { ...EXAMPLE, schema: 'Human' } } }, '', 400, /schema/],
    ['an unknown algorithm', { queries: { q: EXAMPLE } }, '?algorithm=magic', 400, /limen-v1, .*logic-v1/],
    ['a missing body', undefined, '', 422, 'body'],
    ['missing queries', {}, '', 422, 'body.queries'],
    ['an example without a schema', { queries: { q: { properties: {} } } }, '', 422, 'body.queries.q.schema'],
    ['an example without properties', { queries: { q: { schema: 'Person' } } }, '', 422, 'body.queries.q.properties'],
    ['too many results', { queries: { q: EXAMPLE } }, '?limit=501', 422, 'query.limit'],
    ['an invalid threshold', { queries: { q: EXAMPLE } }, '?threshold=high', 422, 'query.threshold'],
    ['an invalid date', { queries: { q: EXAMPLE } }, '?changed_since=lately', 422, 'query.changed_since'],
    [
      'more than fifty exclusions',
      { queries: { q: EXAMPLE } },
      `?${Array.from({ length: 51 }, (_, at) => `exclude_entity_ids=${at}`).join('&')}`,
      422,
      'query.exclude_entity_ids',
    ],
  ])('refuses %s', async (_, payload, parameters, status, says) => {
    const reply = await post(payload, `/yente/match/default${parameters}`);
    expect(reply.statusCode).toBe(status);
    const { detail, ...rest } = reply.json();
    expect(rest).toEqual({});
    if (status === 422) {
      expect(detail[0]).toEqual({ type: expect.any(String), loc: expect.any(Array), msg: expect.any(String) });
      expect(detail[0].loc.join('.')).toBe(says);
    } else expect(detail).toMatch(says as string | RegExp);
  });

  it('refuses invalid JSON and an unknown list', async () => {
    const headers = { 'content-type': 'application/json' };
    const broken = await app.http.inject({ method: 'POST', url: '/yente/match/default', headers, payload: '{' });
    expect([broken.statusCode, broken.json().detail[0].loc]).toEqual([422, ['body']]);
    const elsewhere = await post({ queries: { q: EXAMPLE } }, '/yente/match/nowhere');
    expect([elsewhere.statusCode, elsewhere.json()]).toEqual([404, { detail: 'No such dataset.' }]);
  });

  it('leaves no trace in the log', async () => {
    await match({ q: EXAMPLE });
    expect(app.logged()).not.toContain('Eskeland');
  });
});

describe('GET /search', () => {
  const search = (parameters: string) => app.http.inject(`/yente/search/default?${parameters}`);
  const found = async (parameters: string) => (await search(parameters)).json<YenteSearchReply>();

  it('finds by words, with facets over all results', async () => {
    const { results, ...rest } = await found('q=eskeland&limit=1');
    expect(results[0]).toMatchObject({ id: 'inv-1', schema: 'Person', properties: { name: ['Torvald Eskeland'] } });
    expect(results[0]).not.toHaveProperty('score');
    expect(rest).toEqual({
      total: { value: 2, relation: 'eq' },
      limit: 1,
      offset: 0,
      facets: {
        countries: {
          label: 'Countries',
          values: [
            { name: 'no', label: 'Norway', count: 1 },
            { name: 'se', label: 'Sweden', count: 1 },
          ],
        },
        topics: {
          label: 'Topics',
          values: [
            { name: 'role.pep', label: 'role.pep', count: 1 },
            { name: 'sanction', label: 'sanction', count: 1 },
          ],
        },
        datasets: {
          label: 'Data sources',
          values: [
            { name: 'invented', label: 'invented', count: 1 },
            { name: 'nordic', label: 'nordic', count: 1 },
          ],
        },
      },
    });
  });

  it.each([
    ['q=eskeland&offset=1', ['inv-2']],
    ['q=eskeland&offset=2', []],
    ['q=eskeland&limit=0', []],
    ['q=belzanfar', []],
    ['q=belzanfar&fuzzy=true', ['inv-3']],
    ['q=IMO9074729', ['ship-1']],
    ['q=&schema=Vehicle', ['ship-1']],
    ['q=&countries=SE&countries=pa', ['inv-1', 'ship-1']],
    ['q=&topics=crime', ['ship-1']],
    ['q=&datasets=south', ['inv-3', 'ship-s']],
    ['q=&sort=caption:desc&limit=2', ['inv-1', 'inv-2']],
    ['q=&sort=last_change:desc&limit=1', ['inv-1']],
    ['simple=true&filter_op=AND', ['inv-1', 'ship-1', 'inv-2', 'inv-3']],
  ])('%s finds %j', async (parameters, ids) => {
    expect((await found(parameters)).results.map(({ id }) => id)).toEqual(ids);
  });

  it('has the requested facets', async () => {
    expect((await found('q=lantern&facets=schema&facets=shoes')).facets).toEqual({
      schema: { label: 'Schema', values: [{ name: 'Vessel', label: 'Vessel', count: 1 }] },
    });
  });

  it.each([
    ['schema=Human', 400],
    ['limit=501', 422],
    ['limit=x', 422],
    ['fuzzy=perhaps', 422],
  ])('refuses %s', async (parameters, status) => {
    const reply = await search(parameters);
    expect([reply.statusCode, Object.keys(reply.json())]).toEqual([status, ['detail']]);
  });

  it('refuses an unknown list', async () => {
    expect((await app.http.inject('/yente/search/nowhere')).json()).toEqual({ detail: 'No such dataset.' });
  });
});

describe('GET /entities', () => {
  it('returns an entity by its id', async () => {
    const reply = await app.http.inject('/yente/entities/ship-1');
    expect(reply.statusCode).toBe(200);
    expect(reply.json<YenteEntity>()).toEqual({
      id: 'ship-1',
      caption: 'Harbour Lantern',
      schema: 'Vessel',
      properties: {
        name: ['Harbour Lantern'],
        country: ['pa'],
        topics: ['crime'],
        imoNumber: ['IMO 9074729'],
        registrationNumber: ['H 55210'],
      },
      datasets: ['invented', 'southern'],
      referents: ['ship-s'],
      target: true,
      first_seen: null,
      last_seen: null,
      last_change: null,
    });
  });

  it.each(['', '/adjacent', '/adjacent/ownershipOwner'])('redirects from a former id%s', async (rest) => {
    const reply = await app.http.inject(`/yente/entities/old-1${rest}`);
    expect([reply.statusCode, reply.headers.location]).toEqual([308, `/yente/entities/inv-1${rest}`]);
  });

  it('has no adjacent entities', async () => {
    const all = (await app.http.inject('/yente/entities/inv-1/adjacent')).json();
    expect(all).toMatchObject({ entity: { id: 'inv-1' }, adjacent: {} });
    expect(Object.keys(all.adjacent)).toEqual([]);
    const page = (await app.http.inject('/yente/entities/inv-1/adjacent/ownershipOwner')).json();
    expect(page).toEqual({ results: [], total: { value: 0, relation: 'eq' }, limit: 0, offset: 0 });
  });

  it.each(['', '/adjacent', '/adjacent/x'])('returns 404 for an unknown id%s', async (rest) => {
    const reply = await app.http.inject(`/yente/entities/nobody${rest}`);
    expect([reply.statusCode, reply.json()]).toEqual([404, { detail: 'No such entity!' }]);
  });

  it('finds those of the demo too', async () => {
    const { results } = (await app.http.inject('/yente/search/demo?limit=1')).json<YenteSearchReply>();
    expect((await app.http.inject(`/yente/entities/${results[0]!.id}`)).json()).toEqual(results[0]);
  });
});

describe('discovery routes', () => {
  it('GET /catalog names lists and collections with the times of their versions', async () => {
    await vi.waitFor(async () => expect((await app.http.inject('/yente/readyz')).statusCode).toBe(200), PATIENCE);
    const { datasets, ...rest } = (await app.http.inject('/yente/catalog')).json();
    const names = ['default', 'sanctions', 'peps', 'demo', 'north', 'south'];
    expect(rest).toEqual({ current: names, outdated: [], index_stale: false });
    expect(datasets.map(({ name }: { name: string }) => name)).toEqual(names);
    const [whole, , , , north] = datasets;
    expect(whole).toMatchObject({ title: 'All lists', load: true, index_current: true, children: ['north', 'south'] });
    expect(whole.index_version).toMatch(/^20260101000000-[0-9a-f]{3}$/);
    expect(north).toMatchObject({ title: 'north', version: '3', children: [], tags: ['list'], entity_count: 3 });
  });

  it("GET /algorithms names ours as default and best, and yente's alongside", async () => {
    const { algorithms, ...rest } = (await app.http.inject('/yente/algorithms')).json();
    expect(rest).toEqual({ default: 'limen-v1', best: 'limen-v1' });
    expect(algorithms.map(({ name }: { name: string }) => name)).toEqual(
      expect.arrayContaining(['limen-v1', 'logic-v1', 'logic-v2', 'name-based']),
    );
    for (const { description, features, docs } of algorithms) {
      expect(docs).toEqual({ description, config: {}, features });
      expect(features.name).toEqual({ description: expect.any(String), coefficient: 1, url: null });
    }
  });

  it('GET /healthz and /readyz return ok', async () => {
    for (const path of ['/yente/healthz', '/yente/readyz'])
      expect((await app.http.inject(path)).json()).toEqual({ status: 'ok' });
  });

  it("return yente's errors at unknown paths", async () => {
    const reply = await app.http.inject('/yente/statements');
    expect([reply.statusCode, Object.keys(reply.json())]).toEqual([404, ['detail']]);
  });
});

describe('a key', () => {
  const basic = (text: string) => `Basic ${Buffer.from(text).toString('base64')}`;
  const ways: [string, (key: string) => Record<string, string>][] = [
    ['x-api-key', (key) => ({ 'x-api-key': key })],
    ['ApiKey', (key) => ({ authorization: `ApiKey ${key}` })],
    ['Bearer', (key) => ({ authorization: `Bearer ${key}` })],
    ['the password of Basic', (key) => ({ authorization: basic(`anybody:${key}`) })],
  ];
  const GUARDED = ['search/default?q=x', 'entities/inv-1', 'entities/inv-1/adjacent', 'catalog', 'algorithms'];
  let closed: TestApp;
  let key: string;
  let end: () => Promise<void>;
  beforeAll(async () => {
    closed = await startTestApp({
      database,
      environment: { REQUIRE_API_KEY: 'sanctions' },
      atEnd: (given) => (end = given),
    });
    key = (await closed.apiKeys.create({ kind: 'test', clientCredentials: false })).apiKey;
  });
  afterAll(() => end());

  it.each(ways)('opens a closed area as %s', async (_, present) => {
    for (const path of GUARDED) {
      const reply = await closed.http.inject({ url: `/yente/${path}`, headers: present(key) });
      expect([path, reply.statusCode]).toEqual([path, 200]);
    }
  });

  it.each(ways)('is refused if wrong, as %s, even if none is required', async (_, present) => {
    for (const { http } of [app, closed]) {
      const reply = await http.inject({ url: '/yente/catalog', headers: present('limen_test_wrong') });
      expect([reply.statusCode, reply.json()]).toEqual([401, { detail: 'Invalid API key' }]);
    }
    const reply = await post({ queries: { q: EXAMPLE } }, undefined, present('limen_test_wrong'));
    expect(reply.statusCode).toBe(401);
  });

  it.each(['Digest x', 'Basic ???', 'Bearer'])('is wrong in another form (%s)', async (authorization) => {
    expect((await app.http.inject({ url: '/yente/catalog', headers: { authorization } })).statusCode).toBe(401);
  });

  it('is required in a closed area, but not for probes', async () => {
    for (const path of GUARDED) expect((await closed.http.inject(`/yente/${path}`)).statusCode).toBe(401);
    const matching = { method: 'POST' as const, url: '/yente/match/default', payload: { queries: { q: EXAMPLE } } };
    expect((await closed.http.inject(matching)).json()).toEqual({ detail: 'Invalid API key' });
    expect((await closed.http.inject('/yente/healthz')).statusCode).toBe(200);
  });

  it('counts as absent if empty', async () => {
    const headers = { 'x-api-key': '', authorization: ' ' };
    expect((await app.http.inject({ url: '/yente/catalog', headers })).statusCode).toBe(200);
  });
});
