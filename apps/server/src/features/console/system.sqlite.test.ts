// The service itself in the console: what the doctor says, jobs and webhooks that were given up, and their second chance.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createTestDatabase } from '#testing/database/test-database.ts';
import { newHost } from '#testing/session-app.ts';
import { examine } from '../../cli/doctor/examine.ts';
import { loadConfig } from '../../config.ts';
import { type ConsoleApp, newOperator, startConsoleApp, type TestOperator } from './testing/console-app.ts';
import type { DeadLetterPageView, JobsView, SystemView } from './views.ts';

const DEAD_JOB = '019a8561-8a2f-7000-a5c5-3c0f8d1a2b4e';

let app: ConsoleApp;
let admin: TestOperator;
let environment: Record<string, string>;

beforeAll(async () => {
  const storage = await createTestDatabase();
  environment = { NODE_ENV: 'test', ...storage.environment, SERVE: 'core,console' };
  app = await startConsoleApp({ database: storage, atEnd: afterAll });
  afterAll(storage.dispose);
  admin = await newOperator(app, 'admin');
});

it('says what limen doctor says', async () => {
  const { findings, version } = (await admin.call('GET /console/api/system')).json<SystemView>();
  const own = await examine(loadConfig(environment), app.clock);
  expect(findings.map(({ check }) => check)).toEqual(own.map(({ check }) => check));
  expect(findings).toContainEqual({ check: 'jobs', level: 'ok', found: expect.any(String), remedy: null });
  expect(version).toMatch(/^\d+\.\d+\.\d+/);
});

it('counts jobs, and runs a dead one again', async () => {
  const jobs = async () => (await admin.call('GET /console/api/system/jobs')).json<JobsView>();
  const row = { id: DEAD_JOB, kind: 'strange.job', payload: new Uint8Array(1), run_at: 0, created_at: 1, attempts: 8 };
  const rest = { lease_token: null, lease_until: null, unique_key: null, last_error: 'Unlucky' };
  await app.database.queries
    .insertInto('jobs')
    .values({ ...row, ...rest, state: 'dead' })
    .execute();
  expect(await jobs()).toMatchObject({
    dead: [{ id: DEAD_JOB, kind: 'strange.job', attempts: 8, lastError: 'Unlucky' }],
  });
  expect((await jobs()).counts).toContainEqual({ kind: 'strange.job', due: 0, waiting: 0, running: 0, dead: 1 });
  const retry = () => admin.call('POST /console/api/system/jobs/:id/retry', { ids: [DEAD_JOB] });
  expect((await retry()).statusCode).toBe(200);
  expect((await jobs()).counts).toContainEqual({ kind: 'strange.job', due: 1, waiting: 0, running: 0, dead: 0 });
  expect((await retry()).statusCode).toBe(404);
  const { lines } = (await admin.call('GET /console/api/audit')).json();
  expect(lines).toContainEqual(expect.objectContaining({ act: 'job.retry', about: DEAD_JOB }));
});

describe('webhooks that were given up', () => {
  const letters = async (after?: string) =>
    (await admin.call('POST /console/api/system/letters', { body: after ? { after } : {} })).json<DeadLetterPageView>();

  it('are listed whosever they are, and sent again while there is a body', async () => {
    const host = await newHost(app, 'test');
    const { body } = await host.create({ callback: { url: 'http://localhost:9/secret' } });
    await host.simulate(body.token, { outcome: 'above' });
    expect((await letters()).letters).toEqual([]);
    await app.database.queries.updateTable('webhook_deliveries').set({ state: 'dead', ended_at: 1 }).execute();
    const { letters: given } = await letters();
    expect(given).toEqual([expect.objectContaining({ world: 'test', url: 'http://localhost:9', canResend: true })]);
    expect(JSON.stringify(given)).not.toContain('secret');
    const resend = await admin.call('POST /console/api/system/letters/:id/resend', { ids: [given[0]!.id] });
    expect(resend.json()).toMatchObject({ state: 'pending' });
    expect((await letters()).letters).toEqual([]);
    await app.database.queries.updateTable('webhook_deliveries').set({ sealed: null }).execute();
    const late = await admin.call('POST /console/api/system/letters/:id/resend', { ids: [given[0]!.id] });
    expect(late.statusCode).toBe(404);
    // What had nothing to send any more does not stand there as sent.
    const { lines } = (await admin.call('GET /console/api/audit')).json<{ lines: { act: string }[] }>();
    expect(lines.filter(({ act }) => act === 'delivery.resend')).toHaveLength(1);
    const nothing = await admin.call('POST /console/api/system/letters/:id/resend', { ids: ['none'] });
    expect(nothing.statusCode).toBe(404);
  });
});

it('lists whom wallets are trusted for: nobody, until somebody is added', async () => {
  expect((await admin.call('GET /console/api/system/trust')).json()).toEqual({ anchors: [] });
});
