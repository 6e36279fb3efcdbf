// Real processes with a clock that is ahead, behind or jumps: nothing is deleted or ended early,
// and work continues once it is correct.
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { PATIENCE } from '@limen/testing/patience.ts';
import { describe, expect, it, onTestFinished } from 'vitest';
import { type Database, openDatabase } from '../apps/server/src/platform/database/database.ts';
import { createTestDatabase, engine } from '../apps/server/testing/database/test-database.ts';
import { type ServerProcess, startServer } from '../apps/server/testing/processes/server-process.ts';
import { runLimen } from '../apps/server/testing/run-limen.ts';
import { createFakeClock } from '../scripts/fake-clock.ts';
import { findFaketime } from '../scripts/system-packages.ts';

const library = findFaketime();
const DAY = 86_400;
const HOURS = 3_600;
const API_KEY = 'a-development-key-for-this-test';
const OPEN = 3;
const ENDED = 3;

/** A database in use: open sessions, ended ones with their webhooks, and stored replies. */
async function prepare() {
  const place = await createTestDatabase();
  const database = openDatabase(place);
  onTestFinished(async () => {
    await database.close();
    await place.dispose();
  });
  const receiver = createServer((_request, reply) => reply.end()).listen(0, '127.0.0.1');
  await once(receiver, 'listening');
  onTestFinished(() => {
    receiver.closeAllConnections();
    receiver.close();
  });
  const callback = { url: `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/hook` };
  const clock = createFakeClock(library!, join(place.dataDir, 'fake-clock'));
  const environment = { ...place.environment, ...clock.environment };
  const start = (more = {}) =>
    startServer({ ...environment, DEV_API_KEY: API_KEY, SERVE: 'core', LOG_LEVEL: 'warn', ...more });

  const server = await start();
  const open = await Promise.all(Array.from({ length: OPEN }, (_, nth) => createSession(server, { nth })));
  for (let nth = 0; nth < ENDED; nth += 1)
    await end(server, await createSession(server, { nth: OPEN + nth, callback }));
  const deliveries = () => database.queries.selectFrom('webhook_deliveries').select('state').execute();
  await expect.poll(deliveries, PATIENCE).toEqual(Array(ENDED).fill({ state: 'delivered' }));
  return { clock, environment, start, server, database, open, before: await readRows(database) };
}

function call(server: ServerProcess, method: string, path: string, payload?: object, headers = {}) {
  return fetch(`${server.address}${path}`, {
    method,
    headers: { 'x-api-key': API_KEY, ...(payload && { 'content-type': 'application/json' }), ...headers },
    ...(payload && { body: JSON.stringify(payload) }),
  });
}

async function createSession(server: ServerProcess, { nth, ...payload }: { nth: number; callback?: object }) {
  const reply = await call(server, 'POST', '/session', payload, { 'idempotency-key': `${nth}` });
  expect(reply.status).toBe(201);
  return ((await reply.json()) as { token: string }).token;
}

async function end(server: ServerProcess, token: string): Promise<void> {
  expect((await call(server, 'POST', `/session/${token}/simulate`, { outcome: 'above' })).status).toBe(200);
}

/** Rows that expiry and purges change. */
async function readRows({ queries }: Database) {
  return {
    sessions: await queries.selectFrom('sessions').select(['id', 'state']).orderBy('id').execute(),
    deliveries: await queries.selectFrom('webhook_deliveries').select(['id', 'state']).orderBy('id').execute(),
    replies: await queries.selectFrom('idempotency_keys').select('key_digest').orderBy('key_digest').execute(),
  };
}

async function readReady(server: ServerProcess) {
  const reply = await fetch(`${server.address}/ready`);
  const { checks } = (await reply.json()) as { checks: Record<string, string> };
  return { status: reply.status, clock: checks['clock'] };
}

const untilReady = (server: ServerProcess) =>
  expect.poll(() => readReady(server), PATIENCE).toEqual({ status: 200, clock: 'ready' });
const untilWrong = (server: ServerProcess) =>
  expect
    .poll(() => readReady(server), PATIENCE)
    .toEqual({ status: 503, clock: expect.stringContaining('this process deletes and expires nothing') });

/**
 * Waits until a job that does not depend on the clock has run, so that every due kind has had its
 * turn.
 */
async function untilJobsRan({ queries }: Database): Promise<void> {
  const read = () => queries.selectFrom('jobs').select('run_at').where('kind', '=', 'watching.lists').execute();
  const before = await read();
  await expect.poll(read, PATIENCE).not.toEqual(before);
  const after = await read();
  await expect.poll(read, PATIENCE).not.toEqual(after);
}

describe.skipIf(!library)('a process whose clock is wrong', () => {
  it.each([
    ['30 days ahead', 30 * DAY],
    ['30 days behind', -30 * DAY],
  ])('deletes and ends nothing if it starts %s', async (_, bySeconds) => {
    const { clock, start, server, database, open, before } = await prepare();
    expect(await server.stop('SIGTERM')).toBe(0);
    clock.set(bySeconds);
    const wrong = await start();
    await untilWrong(wrong);
    // On SQLite, no current job is due by a clock that is behind.
    if (engine === 'postgres' || bySeconds > 0) await untilJobsRan(database);
    for (const token of open) expect((await call(wrong, 'GET', `/session/${token}/result`)).status).toBe(200);
    expect(await createSession(wrong, { nth: 0 })).toBe(open[0]);
    expect(await readRows(database)).toEqual(before);
    expect(`${wrong.stdout()}${wrong.stderr()}`).toContain('offsetSeconds');
    expect(await wrong.stop('SIGTERM')).toBe(0);

    clock.set(0);
    const right = await start();
    await untilReady(right);
    await untilJobsRan(database);
    expect(await readRows(database)).toEqual(before);
    for (const token of open) await end(right, token);
  });

  it.each([2 * HOURS, -2 * HOURS])('keeps its sessions open after a jump by %i s', async (bySeconds) => {
    const { clock, server, database, open, before } = await prepare();
    await untilReady(server);
    clock.set(bySeconds);
    await untilWrong(server);
    await untilJobsRan(database);
    for (const token of open) expect((await call(server, 'GET', `/session/${token}/result`)).status).toBe(200);
    expect(await readRows(database)).toEqual(before);
    await end(server, open[0]!);
    clock.set(0);
    await untilReady(server);
    await untilJobsRan(database);
    for (const token of open.slice(1)) await end(server, token);
  });

  it("continues when an operator confirms the clock, unless PostgreSQL's time differs", async () => {
    const { clock, environment, server, database, before } = await prepare();
    clock.set(30 * DAY);
    await untilWrong(server);
    const { code } = await runLimen(['clock', 'confirm'], { environment });
    if (engine === 'postgres') {
      expect(code).toBe(1);
      await untilJobsRan(database);
      expect(await readRows(database)).toEqual(before);
      return;
    }
    expect(code).toBe(0);
    await untilReady(server);
    const states = async () => (await readRows(database)).sessions.map(({ state }) => state);
    await expect.poll(states, PATIENCE).toEqual(Array(OPEN).fill('expired'));
  });

  it.runIf(engine === 'postgres')('leaves the work to a process with a correct clock', async () => {
    const { clock, start, server: right, database, before } = await prepare();
    // The running process has its own clock.
    expect(await right.stop('SIGTERM')).toBe(0);
    const other = await start({ LD_PRELOAD: '' });
    clock.set(30 * DAY);
    const wrong = await start();
    await untilWrong(wrong);
    await untilReady(other);
    await untilJobsRan(database);
    expect(await readRows(database)).toEqual(before);
    await end(other, await createSession(wrong, { nth: OPEN + ENDED }));
  });
});
