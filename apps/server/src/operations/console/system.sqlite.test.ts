// The service itself in the console: the doctor's findings, and retries of dead jobs.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type ConsoleApp, newOperator, startConsoleApp, type TestOperator } from '#testing/console/console-app.ts';
import { createTestDatabase } from '#testing/database/test-database.ts';
import { loadConfig } from '../../config.ts';
import { examine } from '../doctor/examine.ts';
import type { JobsView, SystemView } from './views.ts';

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

it('shows the findings of limen doctor', async () => {
  const { findings, version } = (await admin.call('GET /console/api/system')).json<SystemView>();
  const own = await examine(loadConfig(environment), app.clock);
  expect(findings.map(({ check }) => check)).toEqual(own.map(({ check }) => check));
  expect(findings).toContainEqual({ check: 'jobs', level: 'ok', found: expect.any(String), remedy: null });
  expect(version).toMatch(/^\d+\.\d+\.\d+/);
});

it('counts jobs, and retries a dead one', async () => {
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

it('lists the trusted wallet authorities, which start empty', async () => {
  expect((await admin.call('GET /console/api/system/trust')).json()).toEqual({ anchors: [] });
});
