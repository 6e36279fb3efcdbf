// kill -9 of the service during a bulk import, during the switch of a list, and between a hit and
// its webhook. No subject is lost, and no alert is lost or duplicated. deaths.db.test.ts covers
// deaths at every transaction.
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import { setTimeout as pause } from 'node:timers/promises';
import type { ScreeningAlert, ScreeningAlertPage, WatchedSubjectCount } from '@limen/contract';
import { KILLS, onlyWhenLong } from '@limen/testing/rounds.ts';
import { expect, it, onTestFinished } from 'vitest';
import { createTestDatabase } from '#testing/database/test-database.ts';
import { type ServerProcess, startServer } from '#testing/processes/server-process.ts';
import { createListedEntity, inventName, storeList } from '#testing/screening/listed-people.ts';
import { replayAlerts } from '#testing/screening/standing-hits.ts';
import { openDatabase } from '../src/platform/database/database.ts';

/** For each database. The short run has one, during an import. */
const ROUNDS = onlyWhenLong(KILLS, 1);
/** More subjects per import than one transaction takes */
const PER_IMPORT = 120;
/** After this many imports, the subjects of the first one return, changed. */
const IMPORTS = 7;
const KEY = 'a-development-key-for-this-test';
const LIST = 'switching';
const BETWEEN_LOOKS_MS = 20;
/** Hundreds of kills leave a backlog. */
const AT_LAST = { timeout: onlyWhenLong(1_200_000, 200_000), interval: 200 };

const CLASSES = 15;
/**
 * Each version lists or drops one class of subjects. The others stay unchanged, so that a gap
 * shows.
 */
const isListed = (number: number, version: number) =>
  Math.floor((version + CLASSES - (number % CLASSES)) / CLASSES) % 2 === 1;
const versionOf = (version: number, subjects: number) =>
  Array.from({ length: subjects }, (_, number) => number)
    .filter((number) => isListed(number, version))
    .map((number) => createListedEntity(`e-${number}`, nameOf(number)));

function nameOf(number: number): string {
  return Object.values(inventName(number)).join(' ');
}

it(
  `loses and duplicates nothing in ${ROUNDS} kills`,
  async () => {
    const place = await createTestDatabase();
    onTestFinished(() => place.dispose());
    const database = openDatabase(place);
    onTestFinished(() => database.close());
    const told = await startReceiver();
    const environment = { DEV_API_KEY: KEY, SERVE: 'core', WEBHOOK_ALLOW_PRIVATE: 'true', LOG_LEVEL: 'warn' };
    const start = () => startServer({ ...place.environment, ...environment });
    let version = 0;
    let imports = 0;
    let isUnanswered = false;
    const publish = () => storeList(place.dataDir, LIST, versionOf(version, PER_IMPORT * IMPORTS), `${version}`);
    const fileOf = (one: number) => writeFile(one, told.url);
    await publish();

    /** The moments to kill at, each with its kill. */
    const moments = [
      async function duringImport(server: ServerProcess, round: number) {
        const lines = fileOf(imports);
        const sent = send(server, piecewise(lines, (105 + round * 7) % lines.length, server));
        // Interrupted, or not started.
        expect(await sent.catch(() => false)).toBe(false);
        isUnanswered = true;
      },
      async function betweenHitAndWebhook(server: ServerProcess, round: number) {
        const isHeld = told.hold(1 + (round % 5));
        await until(server, async () => isHeld() && (await count(server)).due === 0);
      },
      async function duringSwitch(server: ServerProcess, round: number) {
        await until(server, isSwitching);
        await pause(((round - 2) * 13) % 50);
      },
    ];

    /** Returns whether a new version is being processed or already was. */
    async function isSwitching(): Promise<boolean> {
      const lists = await database.queries.selectFrom('watched_lists').select(['begun', 'version']).execute();
      return lists.some((list) => list.begun !== '' || list.version === `${version}`);
    }

    /** Runs due work early while it waits. */
    async function until(server: ServerProcess, isSo: () => Promise<boolean>): Promise<void> {
      while (!(await isSo())) {
        if (server.child.exitCode !== null) throw new Error(`the service ended by itself: ${server.stderr()}`);
        await makeDue();
        await pause(BETWEEN_LOOKS_MS);
      }
    }

    async function makeDue(): Promise<void> {
      await database.queries.updateTable('jobs').set({ run_at: 0 }).where('state', '=', 'ready').execute();
    }

    /** Expires the leases of a killed process now instead of in half a minute. */
    async function endLeases(): Promise<void> {
      await database.queries.updateTable('jobs').set({ lease_until: 0 }).where('state', '=', 'running').execute();
    }

    /** Repeats requests that got no reply. */
    async function sendAgain(server: ServerProcess): Promise<void> {
      expect((await count(server)).total).toBeGreaterThanOrEqual(Math.min(imports, IMPORTS) * PER_IMPORT);
      if (!isUnanswered) return;
      while (!(await send(server, Readable.from(fileOf(imports))))) await pause(BETWEEN_LOOKS_MS);
      imports += 1;
      isUnanswered = false;
    }

    for (let round = 0; round < ROUNDS; round += 1) {
      const server = await start();
      await sendAgain(server);
      await moments[round % moments.length]!(server, round);
      expect(await server.stop('SIGKILL')).toBe(null);
      await endLeases();
      told.release();
      version += 1;
      await publish();
    }

    const last = await start();
    await sendAgain(last);
    const subjects = Math.min(imports, IMPORTS) * PER_IMPORT;
    const settled = { total: subjects, due: 0, withoutList: 0, outdated: 0 };
    const expected = versionOf(version, subjects).map(({ id }) => `${id.replace('e-', 's-')} ${id}`);
    await expect
      .poll(async () => {
        await makeDue();
        return [await count(last), [...replayAlerts(await allAlerts(last))].toSorted()];
      }, AT_LAST)
      .toEqual([settled, expected.toSorted()]);
    const alerts = await allAlerts(last);
    await expect
      .poll(async () => {
        await makeDue();
        return alerts.filter(({ id }) => !told.ids.has(id));
      }, AT_LAST)
      .toEqual([]);
    expect(told.ids.size).toBe(alerts.length);
    expect(await last.stop('SIGTERM')).toBe(0);
  },
  onlyWhenLong(7_200_000, 180_000),
);

function writeFile(one: number, url: string): string[] {
  return Array.from({ length: PER_IMPORT }, (_, at) => {
    const number = (one % IMPORTS) * PER_IMPORT + at;
    const subject = { reference: `s-${number}`, name: nameOf(number), dataset: LIST, callback: { url } };
    return `${JSON.stringify({ ...subject, ...(one >= IMPORTS && { aliases: [`Unlike Quistorp ${one}`] }) })}\n`;
  });
}

/** Yields line by line, up to the one at which the service dies. */
async function* piecewise(lines: readonly string[], last: number, { child }: ServerProcess): AsyncGenerator<string> {
  for (const [at, line] of lines.entries()) {
    yield line;
    if (at === last) child.kill('SIGKILL');
    if (at % 10 === 0) await pause(1);
  }
}

/** Oldest first */
async function allAlerts(server: ServerProcess): Promise<ScreeningAlert[]> {
  const all: ScreeningAlert[] = [];
  for (let cursor: string | undefined = ''; cursor !== undefined; ) {
    const page: ScreeningAlertPage = await read(server, `alerts?limit=200${cursor}`);
    all.push(...page.alerts);
    cursor = page.nextCursor === undefined ? undefined : `&cursor=${page.nextCursor}`;
  }
  return all.reverse();
}

function count(server: ServerProcess): Promise<WatchedSubjectCount> {
  return read(server, 'subjects/count');
}

async function read<T>(server: ServerProcess, path: string): Promise<T> {
  for (;;) {
    const reply = await fetch(`${server.address}/v2/screening/${path}`, { headers: { 'x-api-key': KEY } });
    if (reply.ok) return (await reply.json()) as T;
    // At its limit, on a machine busy with other tests.
    if (reply.status !== 503) throw new Error(`${path}: ${reply.status}`);
    await pause(BETWEEN_LOOKS_MS);
  }
}

/** Returns false if the service is at its limit. */
async function send(server: ServerProcess, lines: AsyncIterable<string>): Promise<boolean> {
  const reply = await fetch(`${server.address}/v2/screening/subjects/import`, {
    method: 'POST',
    headers: { 'x-api-key': KEY, 'content-type': 'application/x-ndjson' },
    body: Readable.toWeb(Readable.from(lines).map((line: string) => Buffer.from(line))) as ReadableStream,
    duplex: 'half',
  } as RequestInit);
  if (reply.status === 503) return false;
  expect([reply.status, ((await reply.json()) as { refused: number }).refused]).toEqual([200, 0]);
  return true;
}

/** Accepts every webhook, and records its alerts. */
async function startReceiver() {
  const ids = new Set<string>();
  let held: Set<string> | undefined;
  const server = createServer(async (request, reply) => {
    let body = '';
    for await (const chunk of request) body += chunk;
    const { id } = JSON.parse(body) as { id: string };
    // A held webhook gets no reply, so it must be sent again.
    if (held) held.add(id);
    else {
      ids.add(id);
      reply.end();
    }
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return {
    ids,
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    /** Stops answering. Returns whether this many webhooks have arrived. */
    hold(wanted: number): () => boolean {
      const waiting = new Set<string>();
      held = waiting;
      return () => waiting.size >= wanted;
    },
    release(): void {
      held = undefined;
    },
  };
}
