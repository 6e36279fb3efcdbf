// PostgreSQL outages under load: no process ends, everything recovers, nothing acknowledged is
// lost.
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { findPostgres, startCluster } from '@limen/testing/postgres-cluster.ts';
import { IS_LONG, onlyWhenLong } from '@limen/testing/rounds.ts';
import pg from 'pg';
import { describe, expect, it, onTestFinished } from 'vitest';
import { setReadOnly } from '#testing/database/read-only.ts';
import { createTestDatabase, engine } from '#testing/database/test-database.ts';
import { makeFace } from '#testing/faces.ts';
import { type ServerProcess, startServer } from '#testing/processes/server-process.ts';
import { startTcpProxy, type TcpProxy } from '#testing/processes/tcp-proxy.ts';
import { startTestApp } from '#testing/test-app.ts';

const CLIENTS = onlyWhenLong(16, 6);
/** Requests that the clients must complete between two outages */
const DONE_PER_ROUND = onlyWhenLong(40, 12);
const API_KEY = 'a-development-key-for-this-test';
const HEADERS = { 'content-type': 'application/json', 'x-api-key': API_KEY };
const TIMEOUT = { timeout: onlyWhenLong(3_600_000, 180_000) };
const RETRY_MS = 50;
/**
 * Maximum refusals by `/ready` after the database answers another client. Each queries the database
 * and waits at most 2 s, so two make the five seconds promised in docs/operate.md. The clock of a
 * busy machine does not matter.
 */
const MOST_REFUSALS = 2;
const featuresOf = (face: number) => ({ features: { embedding_vector: [...makeFace(face)] } });

/** Acknowledged writes */
interface Ledger {
  strings: Map<string, string>;
  /** Tokens of finished sessions, each of which owes a webhook */
  ended: Set<string>;
  /** Person by number of the face */
  people: Map<number, string>;
  refused: number;
  done: number;
}

interface Load {
  ledger: Ledger;
  /**
   * Resolves after this many more acknowledged writes, with one by each client, so that no request
   * spans two outages.
   */
  progress(count: number): Promise<void>;
  stop(): Promise<void>;
}

describe.runIf(engine === 'postgres')('a service outlives its database', () => {
  it(
    'whose server ends its connections or becomes read-only, and whose connection is cut, under load',
    TIMEOUT,
    async () => {
      const place = await createTestDatabase();
      onTestFinished(place.dispose);
      const wire = await wireTo(place.url!);
      const mine = new URL(wire.url);
      mine.searchParams.set('application_name', place.dataDir);
      const endConnections = () =>
        runOn(place.url!, 'select pg_terminate_backend(pid) from pg_stat_activity where application_name = $1', [
          place.dataDir.slice(0, 63), // PostgreSQL truncates names to this length.
        ]);
      await outlive({ ...place.environment, DATABASE_URL: mine.href }, onlyWhenLong(21, 2), async (round, server) => {
        if (round % 3 === 2) {
          await setReadOnly(place.url!, true);
          await endConnections();
          await untilReady(server, 503);
          await setReadOnly(place.url!, false);
          return;
        }
        if (round % 3 === 1) {
          wire.proxy.setDoor('shut');
          wire.proxy.cut();
          await untilReady(server, 503); // The outage was noticed, and must not be remembered.
          wire.proxy.setDoor('open');
          return;
        }
        await endConnections();
      });
    },
  );

  it.runIf(IS_LONG)('whose server becomes read-only and back, with its connections left open', TIMEOUT, async () => {
    const cluster = await startCluster(findPostgres()!, { durable: true });
    onTestFinished(cluster.stop);
    const place = await createTestDatabase();
    onTestFinished(place.dispose);
    await outlive({ DATA_DIR: place.dataDir, DATABASE_URL: cluster.url }, 10, async (_round, server) => {
      await setSystemWide(cluster.url, 'default_transaction_read_only', 'on');
      await untilReady(server, 503);
      await setSystemWide(cluster.url, 'default_transaction_read_only', 'off');
    });
  });

  it.runIf(IS_LONG)('whose commits wait for an absent standby', TIMEOUT, async () => {
    const cluster = await startCluster(findPostgres()!, { durable: true });
    onTestFinished(cluster.stop);
    const place = await createTestDatabase();
    onTestFinished(place.dispose);
    const server = await startServer({ DATA_DIR: place.dataDir, DATABASE_URL: cluster.url });
    await untilReady(server);
    const createOnce = () => call(server, '/strings', { value: 'committed' }, { 'idempotency-key': 'once' });
    await setSystemWide(cluster.url, 'synchronous_standby_names', '*');
    expect(await createOnce()).toMatchObject({ status: 503, retryAfter: '2' });
    await untilReady(server);
    await setSystemWide(cluster.url, 'synchronous_standby_names', '');
    expect(await createOnce()).toMatchObject({ status: 201 });
    const { strings } = (await (await fetch(`${server.address}/strings`)).json()) as { strings: unknown[] };
    expect(strings).toHaveLength(1);
    expect(await server.stop('SIGTERM')).toBe(0);
  });

  it('that is read-only for a while: 503 with Retry-After, /ready names the cause, and writes resume', async () => {
    const place = await createTestDatabase();
    onTestFinished(place.dispose);
    const { http } = await startTestApp({ database: place });
    const create = () => http.inject({ method: 'POST', url: '/strings', payload: { value: 'x' } });
    await setReadOnly(place.url!, true);
    await runOn(place.url!, OTHERS_ENDED, []);
    const { statusCode, headers } = await create();
    expect([statusCode, headers['retry-after'], headers['x-error-code']]).toEqual([503, '2', 'unavailable']);
    const ready = await http.inject('/ready');
    expect(ready.statusCode).toBe(503);
    expect(ready.json().checks.database).toBe('the database is read-only: default_transaction_read_only is on');
    await setReadOnly(place.url!, false);
    expect((await create()).statusCode).toBe(201);
  });

  it.runIf(IS_LONG)('whose server is killed or shut down at once, and restarted, under load', TIMEOUT, async () => {
    const cluster = await startCluster(findPostgres()!, { durable: true });
    onTestFinished(cluster.stop);
    const place = await createTestDatabase();
    onTestFinished(place.dispose);
    await outlive({ DATA_DIR: place.dataDir, DATABASE_URL: cluster.url }, 20, async (round, server) => {
      await cluster.end(round % 2 === 0 ? 'SIGKILL' : 'SIGQUIT');
      await untilReady(server, 503);
      await cluster.restart();
    });
  });

  it.runIf(IS_LONG)('whose connection falls silent', TIMEOUT, async () => {
    const place = await createTestDatabase();
    onTestFinished(place.dispose);
    const wire = await wireTo(place.url!);
    await outlive(
      { ...place.environment, DATABASE_URL: wire.url },
      2,
      async () => wire.proxy.goSilent(),
      // Only silence takes longer to notice than a query takes: 35 s for every caller.
      Number.POSITIVE_INFINITY,
    );
  });

  it('that becomes available some time after the start', TIMEOUT, async () => {
    const place = await createTestDatabase();
    onTestFinished(place.dispose);
    const wire = await wireTo(place.url!);
    wire.proxy.setDoor('shut');
    const starting = startServer({ ...place.environment, DATABASE_URL: wire.url });
    await expect.poll(() => wire.proxy.turnedAway()).toBeGreaterThan(1);
    wire.proxy.setDoor('open');
    const server = await starting;
    expect(server.stdout()).toContain('"msg":"waiting for the database"');
    await untilReady(server);
    expect(await server.stop('SIGTERM')).toBe(0);
  });
});

const OTHERS_ENDED =
  'select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()';

async function outlive(
  environment: Record<string, string>,
  rounds: number,
  breakIt: (round: number, server: ServerProcess) => Promise<void> | void,
  mostRefusals = MOST_REFUSALS,
): Promise<void> {
  const hooks = await startReceiver();
  const server = await startServer({ ...environment, DEV_API_KEY: API_KEY, LOG_LEVEL: 'fatal' });
  await untilReady(server);
  const load = startLoad(server, hooks.url);
  for (let round = 0; round < rounds; round += 1) {
    await load.progress(DONE_PER_ROUND);
    await breakIt(round, server);
    await expectReady(server, environment['DATABASE_URL']!, mostRefusals);
  }
  await load.progress(DONE_PER_ROUND);
  await load.stop();
  const { ledger } = load;
  for (const [id, value] of ledger.strings) {
    const kept = (await (await fetch(`${server.address}/strings/${id}`)).json()) as { value: string };
    expect(kept.value).toBe(value);
  }
  for (const [face, puid] of ledger.people) {
    const { reply } = await call(server, '/node/plainPredict', featuresOf(face));
    expect(reply).toMatchObject({ status: 0, puid });
  }
  await expect.poll(() => [...ledger.ended].filter((token) => !hooks.tokens.has(token))).toEqual([]);
  // The outages affected all kinds of work.
  expect(ledger.refused).toBeGreaterThan(0);
  for (const { size } of [ledger.strings, ledger.ended, ledger.people]) expect(size).toBeGreaterThan(0);
  expect(server.child.exitCode).toBe(null);
  expect(await server.stop('SIGTERM')).toBe(0);
}

/**
 * Strings with their own transactions, sessions whose webhooks are jobs, enrollments that are
 * awaited jobs.
 */
function startLoad(server: ServerProcess, hookUrl: string): Load {
  const ledger: Ledger = { strings: new Map(), ended: new Set(), people: new Map(), refused: 0, done: 0 };
  const doneBy = Array.from({ length: CLIENTS }, () => 0);
  let stopped = false;
  let failure: unknown;
  const clients = Array.from({ length: CLIENTS }, async (_, client) => {
    for (let number = 0; !stopped; number += 1) {
      const kind = (client + number) % 4;
      if (kind === 0) await endSession();
      else if (kind === 1) await enroll(client + CLIENTS * number);
      else await createString(`${client}-${number}`);
      ledger.done += 1;
      doneBy[client]! += 1;
    }
  });
  const all = Promise.all(clients).catch((error: unknown) => {
    failure = error;
    stopped = true;
  });

  async function createString(value: string): Promise<void> {
    const { id } = await insist<{ id: string }>('/strings', { value }, { 'idempotency-key': value });
    ledger.strings.set(id, value);
  }

  async function endSession(): Promise<void> {
    const { token } = await insist<{ token: string }>('/session', { callback: { url: hookUrl } });
    // The first of two attempts may have finished it without a reply. Then the second gets 409.
    await insist(`/session/${token}/simulate`, { outcome: 'above' }, {}, 409);
    ledger.ended.add(token);
  }

  async function enroll(face: number): Promise<void> {
    const { puid } = await insist<{ puid: string }>('/node/plainEnroll', featuresOf(face));
    ledger.people.set(face, puid);
  }

  /** Retries while the database is away, which must give 503 with Retry-After and nothing else. */
  async function insist<T>(path: string, body: object, headers: object = {}, alsoFine?: number): Promise<T> {
    for (;;) {
      const { status, reply, retryAfter } = await call(server, path, body, headers);
      if ((status >= 200 && status < 300) || status === alsoFine) return reply as T;
      if (status !== 503 || retryAfter === null) throw new Error(`${path} answered ${status}`);
      ledger.refused += 1;
      await pause(RETRY_MS);
    }
  }

  return {
    ledger,
    async progress(count) {
      const goal = ledger.done + count;
      const before = [...doneBy];
      const isBehind = () => ledger.done < goal || doneBy.some((done, client) => done === before[client]);
      while (isBehind() && !failure) await pause(RETRY_MS);
      if (failure) throw failure;
    },
    async stop() {
      stopped = true;
      await all;
      if (failure) throw failure;
    },
  };
}

async function call(server: ServerProcess, path: string, body: object, headers: object = {}) {
  const request = { method: 'POST', headers: { ...HEADERS, ...headers }, body: JSON.stringify(body) };
  const answer = await fetch(server.address + path, request);
  return {
    status: answer.status,
    retryAfter: answer.headers.get('retry-after'),
    reply: (await answer.json()) as unknown,
  };
}

/** Lists and faces still load during a start. Without a database they do not. */
async function untilReady(server: ServerProcess, status: 200 | 503 = 200): Promise<void> {
  await expect.poll(async () => (await fetch(`${server.address}/ready`)).status, { interval: 100 }).toBe(status);
}

/** Counts from the moment at which the database answers an unrelated connection. */
async function expectReady(server: ServerProcess, databaseUrl: string, mostRefusals: number): Promise<void> {
  const isBack = () =>
    runOn(databaseUrl, 'select 1', []).then(
      () => true,
      () => false,
    );
  while (!(await isBack())) await pause(RETRY_MS);
  const refusals: unknown[] = [];
  for (;;) {
    const answer = await fetch(`${server.address}/ready`);
    if (answer.status === 200) break;
    refusals.push(await answer.json());
    expect(refusals.length, JSON.stringify(refusals)).toBeLessThanOrEqual(mostRefusals);
  }
  expect(server.child.exitCode).toBe(null);
}

async function wireTo(address: string): Promise<{ proxy: TcpProxy; url: string }> {
  const url = new URL(address);
  const proxy = await startTcpProxy({ host: url.hostname, port: Number(url.port) });
  onTestFinished(proxy.close);
  url.port = String(proxy.port);
  return { proxy, url: url.href };
}

async function setSystemWide(url: string, name: string, value: string): Promise<void> {
  // Runs in its own transaction.
  await runOn(url, `alter system set ${name} = '${value}'`, []);
  await runOn(url, 'select pg_reload_conf()', []);
}

async function runOn(url: string, statement: string, values: unknown[]): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query(statement, values);
  await client.end();
}

async function startReceiver(): Promise<{ url: string; tokens: Set<string> }> {
  const tokens = new Set<string>();
  const server = createServer(async (request, reply) => {
    let body = '';
    for await (const chunk of request) body += chunk;
    tokens.add((JSON.parse(body) as { token: string }).token);
    reply.writeHead(204).end();
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`, tokens };
}
