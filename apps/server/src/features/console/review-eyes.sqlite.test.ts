// Hits of watched subjects where two have to agree: whichever room they say it in, and however close together.
import { onlyWhenLong } from '@limen/testing/rounds.ts';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createTestDatabase, type TestDatabase } from '#testing/database/test-database.ts';
import { newHost } from '#testing/session-app.ts';
import { listed, storeList } from '../../core/screening/testing/listed-people.ts';
import { defineRecurringJob } from '../../platform/jobs/job.ts';
import type { CasePageView, CaseView } from './review-views.ts';
import { type ConsoleApp, newOperator, startConsoleApp, type TestOperator } from './testing/console-app.ts';

const NAME = 'Torvald Eskeland';
const BORN = '1961-04-09';

let storage: TestDatabase;
let app: ConsoleApp;
let operators: TestOperator[];
let apiKey: string;
let subjects = 0;

beforeAll(async () => {
  storage = await createTestDatabase();
  await storeList(storage.dataDir, 'north', [listed('n-1', NAME, BORN)], '1');
  app = await startConsoleApp({
    atEnd: afterAll,
    database: storage,
    sanctionsTuning: { workers: 1 },
    environment: { REVIEW_EYES: '2' },
  });
  afterAll(storage.dispose);
  operators = await Promise.all(['Ann', 'Ben', 'Cem'].map((name) => newOperator(app, 'reviewer', name)));
  ({ apiKey } = await newHost(app));
  const follow = defineRecurringJob('watching.lists', 15_000);
  await app.database.transact((trx) => app.jobs.enqueue(trx, follow, null, { uniqueKey: 'recurring' }));
});

async function host<T>(method: 'GET' | 'POST' | 'DELETE', url: string, payload?: object): Promise<T> {
  const reply = await app.http.inject({ method, url, headers: { 'x-api-key': apiKey }, ...(payload && { payload }) });
  if (reply.statusCode >= 300) throw new Error(reply.body);
  return reply.body === '' ? (undefined as T) : reply.json<T>();
}

const work = async () => {
  while ((await app.jobs.runDue()) > 0);
};

/** Somebody who may be the listed one: the subject's id, and the case. */
async function watch(): Promise<{ id: string; found: CaseView }> {
  subjects += 1;
  const body = { reference: `ref-${subjects}`, name: NAME, birthDate: BORN, dataset: 'north' };
  const { id } = await host<{ id: string }>('POST', '/v2/screening/subjects', body);
  await work();
  return { id, found: (await caseOf(id))! };
}

async function caseOf(subjectId: string): Promise<CaseView | undefined> {
  for (const filters of [{}, { state: 'decided' }]) {
    const body = { kind: 'hit', ...filters };
    const page = (await operators[0]!.call('POST /console/api/review/search', { body })).json<CasePageView>();
    const row = page.cases!.find(({ about }) => about === subjectId);
    if (row) return (await operators[0]!.call('GET /console/api/review/:id', { ids: [row.id] })).json();
  }
  return undefined;
}

const hitOf = async (subjectId: string) =>
  (
    await host<{ hits: { id: string; entryHash: string; decision?: object }[] }>(
      'GET',
      `/v2/screening/subjects/${subjectId}/hits`,
    )
  ).hits[0]!;

const say = (operator: TestOperator, found: CaseView, verdict: string) =>
  operator.call('POST /console/api/review/:id/decide', {
    ids: [found.id],
    body: { verdict, reason: 'Seen.', entryHash: found.entity!.entryHash },
  });
const sayOfSubject = async (operator: TestOperator, { id, found }: { id: string; found: CaseView }) =>
  operator.call('POST /console/api/subjects/:id/hits/:hitId/decide', {
    ids: [id, (await hitOf(id)).id],
    body: { decision: 'confirmed', reason: 'Seen.', entryHash: found.entity!.entryHash },
  });

it('one proposes and another confirms, wherever they say so', async () => {
  const watched = await watch();
  const [ann, ben] = operators;
  expect((await sayOfSubject(ann!, watched)).json()).toEqual({ state: 'proposed' });
  const alone = await sayOfSubject(ann!, watched);
  expect([alone.statusCode, alone.headers['x-error-code']]).toEqual([409, 'second_pair_needed']);
  expect((await hitOf(watched.id)).decision).toBeUndefined();
  expect((await sayOfSubject(ben!, watched)).json()).toEqual({ state: 'decided' });
  expect(await hitOf(watched.id)).toMatchObject({ decision: { decision: 'confirmed', author: 'Ben' } });
});

it('nothing is decided over an objection that comes at the same moment', async () => {
  for (let round = 0; round < onlyWhenLong(25, 4); round += 1) {
    const { found } = await watch();
    const [ann, ben, cem] = operators;
    await say(ann!, found, 'confirmed');
    await Promise.all([say(ben!, found, 'not_this_subject'), say(cem!, found, 'confirmed')]);
    const { notes } = (await caseOf(found.about))!;
    const acts = notes.map(({ act }) => act).join();
    expect(['opened,proposed,decided', 'opened,proposed,objected,proposed']).toContain(acts);
  }
});
