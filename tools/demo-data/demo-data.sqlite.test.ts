// `npm run demo-data`: fills development services, new or used, and no others.
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { noteConsoleAddress } from '../../apps/server/src/console/operators/console-address.ts';
import { systemClock } from '../../apps/server/src/platform/base/clock.ts';
import { createIds } from '../../apps/server/src/platform/base/ids.ts';
import { openStorage } from '../../apps/server/src/platform/storage.ts';
import { createChannelStore } from '../../apps/server/src/sessions/device/store.ts';
import { prepareDatabase } from '../../apps/server/testing/run-limen.ts';
import { newHost } from '../../apps/server/testing/session-app.ts';
import { startTestApp } from '../../apps/server/testing/test-app.ts';
import { runToolHere } from '../testing/run-tool-here.ts';

type Place = Awaited<ReturnType<typeof prepareDatabase>>;
/** Half of the played day, so that both halves have busy hours at any time. */
const RETENTION_HOURS = 12;

it('creates sessions, counts, cases and watched subjects, once', async () => {
  const place = await prepareDatabase();
  const { environment, dataDir, url } = place;
  const server = createServer().listen(0, 'localhost');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  const consoleUrl = `http://localhost:${(server.address() as AddressInfo).port}/console`;
  noteConsoleAddress(dataDir, consoleUrl);
  // The service was used before.
  const used = await startTestApp({ database: place, environment: { SERVE: 'core' } });
  const host = await newHost(used);
  await host.simulate((await host.create()).body.token, { outcome: 'above' });
  await used.close();
  const settings = { ...environment, RETENTION_HOURS: String(RETENTION_HOURS) };
  const fill = (...args: string[]) => runToolHere('demo-data', ['--days', '1', ...args], settings);
  const filling = fill();
  const taken = await countJobsForOthers(place, filling);
  const first = await filling;
  expect([first.code, first.stdout]).toEqual([0, expect.stringMatching(/Played \d+ sessions of 1 day and/)]);
  expect(first.stdout).toContain(`See them at ${consoleUrl};`);

  const { database, sealer } = await openStorage({
    ...{ dataDir, url, clock: systemClock, ids: createIds(systemClock) },
    masterKey: undefined,
  });
  const count = async (table: 'sessions' | 'watched_hits' | 'review_cases' | 'activity_counts' | 'audit_lines') =>
    (await database.queries.selectFrom(table).selectAll().execute()).length;
  const counts = [await count('sessions'), await count('watched_hits'), await count('activity_counts')];
  expect(counts.every((rows) => rows > 3)).toBe(true);
  // Reviewers process the queue, so few cases are older than a day and open.
  const cases = await database.queries.selectFrom('review_cases').select(['state', 'due_at', 'kind']).execute();
  const isLate = ({ state, due_at }: (typeof cases)[number]) => state === 'open' && due_at < systemClock.now();
  expect(cases.some(({ state }) => state === 'decided')).toBe(true);
  expect(cases.filter(isLate).length).toBeLessThan(cases.length / 4);
  const kinds = await database.queries.selectFrom('review_cases').select('kind').distinct().execute();
  expect(kinds.map(({ kind }) => kind).sort()).toEqual(['hit', 'session']);
  const counted = await database.queries.selectFrom('activity_totals').select(['name', 'count']).execute();
  const sumOf = (end: string) =>
    counted.filter(({ name }) => name.endsWith(end)).reduce((sum, { count: one }) => sum + Number(one), 0);
  // A funnel: some people leave at each step, and completions have durations.
  const funnel = ['/stage/created', '/stage/opened', '/stage/face', '/stage/ended'].map(sumOf);
  expect(funnel).toEqual(funnel.toSorted((a, b) => b - a));
  const [created, opened, , completed] = funnel as [number, number, number, number];
  expect([created > opened, opened > completed]).toEqual([true, true]);
  expect(counted.some(({ name }) => name.includes('/seconds/'))).toBe(true);
  // A concurrently running service finds no webhook whose body expires, and so gives none up.
  expect(taken).toBe(0);
  const sent = await database.queries
    .selectFrom('webhook_deliveries')
    .select(['state', 'last_error', 'purge_at', 'created_at', 'ended_at', 'sealed', 'tries'])
    .execute();
  const isOld = ({ purge_at }: { purge_at: number }) => Number(purge_at) <= systemClock.now();
  expect(sent.filter(isOld).length).toBeGreaterThan(3);
  expect(sent.filter((one) => isOld(one) && one.state === 'pending')).toEqual([]);
  // The given-up webhooks have rows with attempts and reasons.
  const dead = sent.filter(({ state }) => state === 'dead');
  expect(dead.length).toBeGreaterThan(0);
  expect(dead.filter((one) => isOld(one) && (one.last_error !== 'gone' || one.tries === null))).toEqual([]);
  expect(counted.filter(({ name }) => name === 'webhook/dead')).toEqual([]);
  // Each at its own time, not with the next ones.
  expect(sent.filter(({ created_at, ended_at }) => ended_at !== null && ended_at - created_at > 60_000)).toEqual([]);
  const ended = await database.queries.selectFrom('sessions').select(['id', 'created_at', 'ended_at']).execute();
  expect(ended.filter(({ created_at, ended_at }) => ended_at !== null && ended_at <= created_at)).toEqual([]);
  // Remaining sessions: opened and completed between their start and their end.
  const channels = createChannelStore(database, sealer);
  const courses = await Promise.all(
    ended.map(async (row) => ({ ...row, course: (await channels.find(row.id))?.state })),
  );
  const through = courses.filter(({ course }) => course?.log.some(([event]) => event === 'finished'));
  expect(through.length).toBeGreaterThan(3);
  for (const { created_at, ended_at, course } of through) {
    const last = course!.openedAt + Math.max(...course!.log.map(([, , at]) => at));
    expect([course!.openedAt > created_at, last <= ended_at!]).toEqual([true, true]);
  }
  const [, puid = ''] = /Enrolled 4 people .* puid (\S+)\./.exec(first.stdout) ?? [];
  const people = await database.queries.selectFrom('people').select('puid').execute();
  expect(people).toHaveLength(4);
  expect(people.map((person) => person.puid)).toContain(puid);
  await database.close();

  const second = await fill();
  expect([second.code, second.stderr]).toEqual([1, expect.stringMatching(/Corner Shop.*--anyway.*DATA_DIR/s)]);
});

/** Expired webhooks, as another process sees them while the command runs. */
async function countJobsForOthers({ dataDir, url }: Place, command: Promise<unknown>): Promise<number> {
  const ids = createIds(systemClock);
  let isOver = false;
  void command.finally(() => {
    isOver = true;
  });
  const { database } = await openStorage({ dataDir, url, clock: systemClock, ids, masterKey: undefined });
  let found = 0;
  while (!isOver) {
    const due = await database.queries
      .selectFrom('jobs')
      .select('id')
      .where('kind', '=', 'webhooks.deliver')
      .where('run_at', '<=', systemClock.now() - RETENTION_HOURS * 3_600_000)
      .execute();
    found += due.length;
    await new Promise((resolve) => setImmediate(resolve));
  }
  await database.close();
  return found;
}

it('rejects a production service and unknown periods', async () => {
  const { environment } = await prepareDatabase();
  const masterKey = Buffer.alloc(32, 7).toString('base64');
  const production = { ...environment, NODE_ENV: 'production', MASTER_KEY: masterKey };
  const refused = await runToolHere('demo-data', [], production);
  expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining('production')]);
  expect((await runToolHere('demo-data', ['--days', '0'], environment)).code).toBe(2);
});
