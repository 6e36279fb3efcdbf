// With a wrong clock, a service deletes and ends nothing, reports why, and continues once the clock
// is right or confirmed.
import { PATIENCE } from '@limen/testing/patience.ts';
import { expect, it, onTestFinished, vi } from 'vitest';
import { createTestDatabase, engine } from '#testing/database/test-database.ts';
import { listActs, runLimenHere } from '#testing/run-limen.ts';
import { startTestApp, type TestApp } from '#testing/test-app.ts';
import type { Database } from '../src/platform/database/database.ts';

const MONTH_MS = 30 * 86_400_000;

/** Returns sessions, states and stored replies, which expiry and purges would change. */
async function readRows({ queries }: Database) {
  const sessions = await queries.selectFrom('sessions').select(['id', 'state']).orderBy('id').execute();
  return { sessions, replies: await queries.selectFrom('idempotency_keys').selectAll().execute() };
}

it('deletes and ends nothing with a clock 30 days ahead', async () => {
  const place = await createTestDatabase();
  onTestFinished(() => place.dispose());
  const start = () => startTestApp({ database: place, environment: { SERVE: 'core' } });
  const first = await start();
  const { apiKey } = await first.apiKeys.create({ kind: 'test', clientCredentials: false });
  const post = (app: TestApp, url: string, payload: object, headers = {}) =>
    app.http.inject({ method: 'POST', url, headers: { 'x-api-key': apiKey, ...headers }, payload });
  const open = { 'idempotency-key': 'open' };
  const { token } = (await post(first, '/session', {}, open)).json<{ token: string }>();
  const ended = (await post(first, '/session', { simulable: true })).json<{ token: string }>();
  expect((await post(first, `/session/${ended.token}/simulate`, { outcome: 'above' })).statusCode).toBe(200);
  const before = await readRows(first.database);
  expect([before.sessions.length, before.replies.length]).toEqual([2, 1]);
  await first.close();

  const now = Date.now.bind(Date);
  const ahead = vi.spyOn(Date, 'now').mockImplementation(() => now() + MONTH_MS);
  onTestFinished(() => ahead.mockRestore());
  const wrong = await start();
  await wrong.jobs.start();
  await wrong.jobs.runDue();
  // Reading an expired session would end it.
  expect((await wrong.http.inject(`/session/${token}/result`)).statusCode).toBe(200);
  expect((await post(wrong, '/session', {}, open)).json()).toMatchObject({ token });
  const ready = await wrong.http.inject('/ready');
  expect(ready.statusCode).toBe(503);
  expect(ready.json<{ checks: { clock: string } }>().checks.clock).toContain(
    'this process deletes and expires nothing',
  );
  const { body } = await wrong.http.inject({ url: '/metrics', remoteAddress: '127.0.0.1' });
  expect(Number(/^limen_clock_offset_seconds (\S+)$/m.exec(body)?.[1])).toBeCloseTo(MONTH_MS / 1_000, -2);
  await wrong.close();
  expect(wrong.logged().match(/"level":50/g)).toHaveLength(1);

  const confirmed = await runLimenHere(['clock', 'confirm'], { environment: place.environment });
  if (engine === 'postgres') {
    expect(confirmed).toMatchObject({ code: 1, stderr: expect.stringContaining('s ahead of PostgreSQL’s') });
    ahead.mockRestore();
  } else {
    expect(confirmed).toMatchObject({ code: 0, stdout: expect.stringContaining('Confirmed: it is ') });
    expect(await listActs(place.environment)).toContainEqual(['clock.confirm', undefined]);
  }
  const right = await start();
  expect(await readRows(right.database)).toEqual(before);
  expect((await right.http.inject('/ready')).json()).toMatchObject({ checks: { clock: 'ready' } });
  if (engine === 'postgres') return;
  const opened = before.sessions.find(({ state }) => state === 'created');
  await right.jobs.start();
  await expect
    .poll(() => readRows(right.database), PATIENCE)
    .toMatchObject({
      sessions: [{ id: opened!.id, state: 'expired' }],
      replies: [],
    });
});
