// The `total` of a reply if lists overlap or exceed the counting limit, and which values are
// omitted.
import type { YenteMatchReply, YenteSearchReply } from '@limen/contract';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createTestDatabase, type TestDatabase } from '#testing/database/test-database.ts';
import { createListedEntity, storeList } from '#testing/screening/listed-people.ts';
import { startTestApp, type TestApp } from '#testing/test-app.ts';

let app: TestApp;
let database: TestDatabase;
let dispose: () => Promise<void>;

const manyOf = (name: string, count: number) =>
  Array.from({ length: count }, (_, at) => createListedEntity(`${name.toLowerCase().replace(' ', '-')}-${at}`, name));

beforeAll(async () => {
  database = await createTestDatabase();
  const onBoth = manyOf('Rurik Holmgarde', 30);
  await storeList(database.dataDir, 'north', onBoth, '1');
  const many = Array.from({ length: 3_000 }, (_, at) => `Alias Ombrellaro ${at}`);
  await storeList(
    database.dataDir,
    'hostile',
    [
      createListedEntity('many', 'Zacarias Ombrellaro', '1955', {
        names: ['Zacarias Ombrellaro', ...many],
        addresses: many,
        identifiers: many.slice(0, 500).map((value) => ({ kind: 'taxNumber', value })),
      }),
    ],
    '1',
  );
  await storeList(database.dataDir, 'south', [...onBoth, ...manyOf('Ansgar Tilmarken', 510)], '1');
  app = await startTestApp({ database, atEnd: (end) => (dispose = end) });
});
afterAll(async () => {
  await dispose();
  await database.dispose();
});

it.each([0, 1, 5, 40, 500])('counts the same with limit %i: each entity once, up to 500', async (limit) => {
  const named = (name: string) => ({ schema: 'Person', properties: { name: [name] } });
  const queries = { both: named('Rurik Holmgarde'), many: named('Ansgar Tilmarken') };
  const url = `/yente/match/default?limit=${limit}`;
  const reply = await app.http.inject({ method: 'POST', url, payload: { queries } });
  const { both, many } = reply.json<YenteMatchReply>().responses;
  expect(both).toMatchObject({ total: { value: 30, relation: 'eq' } });
  expect(both!.results).toHaveLength(Math.min(limit, 30));
  expect(many).toMatchObject({ total: { value: 500, relation: 'gte' } });
});

it('truncates a hostile list to a hundred values of a kind', async () => {
  const queries = { q: { schema: 'Person', properties: { name: ['Zacarias Ombrellaro'] } } };
  const match = await app.http.inject({ method: 'POST', url: '/yente/match/default', payload: { queries } });
  const { responses } = match.json<YenteMatchReply>();
  const search = await app.http.inject('/yente/search/default?q=zacarias%20ombrellaro');
  for (const { results } of [responses['q']!, search.json<YenteSearchReply>()]) {
    const { alias, address, taxNumber } = results[0]!.properties;
    expect([alias?.length, address?.length, taxNumber?.length]).toEqual([99, 100, 100]);
  }
});
