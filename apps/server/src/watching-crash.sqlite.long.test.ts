// kill -9 during bulk imports, screening and the switch of a list: no subject is lost, and no alert is lost or doubled. The short
// run has deaths at every transaction instead, in one process.
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { ScreeningAlert, ScreeningAlertPage, WatchedSubjectCount } from '@limen/contract';
import { PATIENCE } from '@limen/testing/patience.ts';
import { expect, it, onTestFinished } from 'vitest';
import { createTestDatabase } from '#testing/database/test-database.ts';
import { type ServerProcess, startServer } from '#testing/processes/server-process.ts';
import { inventName, listed, storeList } from './core/screening/testing/listed-people.ts';
import { standingHits } from './core/watching/testing/standing-hits.ts';

/** On each database. */
const ROUNDS = 500;
const SUBJECTS = 150;
const KEY = 'a-development-key-for-this-test';
/** Every tenth subject is listed; with each round's list, others. */
const isListed = (number: number, round: number) => (number + round) % 10 === 0;

const nameOf = (number: number) => {
  const { first, last } = inventName(number);
  return `${first} ${last}`;
};
const listOf = (round: number) =>
  Array.from({ length: SUBJECTS }, (_, number) => number)
    .filter((number) => isListed(number, round))
    .map((number) => listed(`e-${number}`, nameOf(number)));

it(`holds for ${ROUNDS} kills`, async () => {
  const database = await createTestDatabase();
  onTestFinished(() => database.dispose());
  const told = await startReceiver();
  const environment = {
    ...database.environment,
    DEV_API_KEY: KEY,
    SERVE: 'core',
    WEBHOOK_ALLOW_PRIVATE: 'true',
    LOG_LEVEL: 'warn',
  };
  const file = Array.from({ length: SUBJECTS }, (_, number) =>
    JSON.stringify({
      reference: `s-${number}`,
      name: nameOf(number),
      dataset: 'switching',
      callback: { url: told.url },
    }),
  ).join('\n');
  await storeList(database.dataDir, 'switching', listOf(0), '0');
  for (let round = 0; round < ROUNDS; round += 1) {
    const server = await startServer(environment);
    const dies = once(server.child, 'exit');
    // Somewhere in the import, the screening, the switch or the sending.
    setTimeout(() => server.child.kill('SIGKILL'), 200 + ((round * 373) % 1_500));
    await send(server, file).catch(() => {});
    // While those who were just taken are screened.
    await storeList(database.dataDir, 'switching', listOf(round + 1), `${round + 1}`);
    await dies;
  }
  const last = await startServer(environment);
  await send(last, file);
  await expect.poll(async () => (await read<WatchedSubjectCount>(last, 'subjects/count')).due, PATIENCE).toBe(0);
  const expected = new Map(listOf(ROUNDS).map(({ id, caption }) => [id, caption]));
  await expect
    .poll(async () => [...standingHits(await allAlerts(last))].toSorted(), PATIENCE)
    .toEqual([...expected.keys()].map((id) => `${id.replace('e-', 's-')} ${id}`).toSorted());
  expect(await read(last, 'subjects/count')).toEqual({ total: SUBJECTS, due: 0, outdated: 0 });
  const alerts = await allAlerts(last);
  await expect.poll(() => alerts.filter(({ id }) => !told.ids.has(id)), PATIENCE).toEqual([]);
  expect(told.ids.size).toBe(alerts.length);
  expect(await last.stop('SIGTERM')).toBe(0);
}, 7_200_000);

/** Oldest first. */
async function allAlerts(server: ServerProcess): Promise<ScreeningAlert[]> {
  const all: ScreeningAlert[] = [];
  for (let cursor: string | undefined = ''; cursor !== undefined; ) {
    const page: ScreeningAlertPage = await read(server, `alerts?limit=200${cursor}`);
    all.push(...page.alerts);
    cursor = page.nextCursor === undefined ? undefined : `&cursor=${page.nextCursor}`;
  }
  return all.reverse();
}

async function read<T>(server: ServerProcess, path: string): Promise<T> {
  const reply = await fetch(`${server.address}/v2/screening/${path}`, { headers: { 'x-api-key': KEY } });
  if (!reply.ok) throw new Error(`${path}: ${reply.status}`);
  return (await reply.json()) as T;
}

async function send(server: ServerProcess, body: string): Promise<void> {
  const headers = { 'x-api-key': KEY, 'content-type': 'application/x-ndjson' };
  const reply = await fetch(`${server.address}/v2/screening/subjects/import`, { method: 'POST', headers, body });
  expect([reply.status, ((await reply.json()) as { refused: number }).refused]).toEqual([200, 0]);
}

/** Takes every webhook, and knows which alerts it heard of. */
async function startReceiver() {
  const ids = new Set<string>();
  const server = createServer(async (request, reply) => {
    let body = '';
    for await (const chunk of request) body += chunk;
    ids.add((JSON.parse(body) as { id: string }).id);
    reply.end();
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { ids, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/` };
}
