// Connections that break at every possible moment: the process survives, and the work fails as
// retryable.

import { PATIENCE_MS } from '@limen/testing/patience.ts';
import { sql } from 'kysely';
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { setReadOnly } from '#testing/database/read-only.ts';
import { createTestDatabase, engine } from '#testing/database/test-database.ts';
import { startTcpProxy } from '#testing/processes/tcp-proxy.ts';
import { isUnavailable } from '../base/database-failures.ts';
import { type Database, openDatabase, type Transaction } from './database.ts';
import { lockSchema } from './migrate.ts';
import type { PostgresTimeouts } from './postgres-connections.ts';

/** Short enough to wait for in a test, longer than any reply here takes. */
const SILENCE_MS = 2_000;
const TIMEOUTS: PostgresTimeouts = {
  connectMs: PATIENCE_MS,
  statementMs: PATIENCE_MS,
  lockMs: PATIENCE_MS,
  idleTransactionMs: PATIENCE_MS,
  silenceMs: SILENCE_MS,
  keepAliveMs: 1_000,
};

// An unhandled `error` event is an uncaught exception and fails the run. Most tests here look for
// it.
describe.runIf(engine === 'postgres')('a connection to PostgreSQL that breaks', () => {
  let url: URL;
  let other: Database;
  beforeAll(async () => {
    const place = await createTestDatabase();
    other = openDatabase(place);
    url = new URL(place.url!);
    return async () => {
      await other.close();
      await place.dispose();
    };
  });

  /** Connects a service through a wire that the test can cut. */
  async function connect() {
    const wire = await startTcpProxy({ host: url.hostname, port: Number(url.port) });
    const address = new URL(url);
    address.port = String(wire.port);
    const broken: Error[] = [];
    const onConnectionError = (error: Error) => broken.push(error);
    const options = { dataDir: '', onConnectionError, timeouts: TIMEOUTS, refusesReadOnly: true };
    const database = openDatabase({ url: address.href, ...options });
    onTestFinished(async () => {
      await database.close();
      await wire.close();
    });
    return { database, wire, broken };
  }

  const terminate = async (pid: number) => void (await sql`select pg_terminate_backend(${pid})`.execute(other.queries));
  const pidOf = async (db: Transaction | Database['queries']) =>
    (await sql<{ pid: number }>`select pg_backend_pid() as pid`.execute(db)).rows[0]!.pid;
  const insert = (db: Transaction, name: string) =>
    db.insertInto('schema_migrations').values({ name, applied_at: 0, phase: 'expand' }).execute();
  const failure = async (work: Promise<unknown>) => {
    const error = await work.then(
      () => undefined,
      (reason: unknown) => reason,
    );
    expect(error).toBeDefined();
    return error;
  };
  const expectToGoOn = async (database: Database) => {
    await expect.poll(() => database.ping().then(() => 'answers', isUnavailable)).toBe('answers');
    const rows = await other.queries.selectFrom('schema_migrations').where('name', 'like', 'half %').execute();
    expect(rows).toEqual([]);
  };

  type Break = (pid: number, wire: { cut(): void }) => Promise<void> | void;
  const BREAKS: [string, Break][] = [
    ['ended by the server', (pid) => terminate(pid)],
    ['cut', (_pid, wire) => wire.cut()],
  ];

  it.each(BREAKS)('costs nothing if it breaks while idle, %s', async (_how, breakIt) => {
    const { database, wire, broken } = await connect();
    await breakIt(await pidOf(database.queries), wire);
    await expect.poll(() => broken.length).toBe(1);
    await database.ping();
  });

  it.each(BREAKS)('costs the transaction if it breaks between two queries, %s', async (_how, breakIt) => {
    const { database, wire, broken } = await connect();
    const work = database.transact(async (trx) => {
      await insert(trx, 'half before');
      await breakIt(await pidOf(trx), wire);
      await expect.poll(() => broken.length).toBe(1);
      await insert(trx, 'half after');
    });
    expect(isUnavailable(await failure(work))).toBe(true);
    await expectToGoOn(database);
  });

  it.each(BREAKS)('costs the transaction if it breaks before the commit, %s', async (_how, breakIt) => {
    const { database, wire, broken } = await connect();
    const work = database.transact(async (trx) => {
      await insert(trx, 'half committed');
      await breakIt(await pidOf(trx), wire);
      await expect.poll(() => broken.length).toBe(1);
    });
    expect(isUnavailable(await failure(work))).toBe(true);
    await expectToGoOn(database);
  });

  it.each(BREAKS)('costs the query if it breaks in the middle, %s', async (_how, breakIt) => {
    const { database, wire } = await connect();
    const work = database.transact(async (trx) => {
      const pid = await pidOf(trx);
      const waiting = sql`select pg_sleep(3600)`.execute(trx);
      await Promise.all([waiting, breakIt(pid, wire)]);
    });
    expect(isUnavailable(await failure(work))).toBe(true);
    await expectToGoOn(database);
  });

  it('is discarded after a timeout if it falls silent', async () => {
    const { database, wire, broken } = await connect();
    await database.ping();
    wire.goSilent();
    expect(isUnavailable(await failure(database.ping()))).toBe(true);
    expect(broken.length).toBe(1);
    await database.ping();
    const work = database.transact(async (trx) => {
      await insert(trx, 'half silent');
      wire.goSilent();
      await insert(trx, 'half unheard');
    });
    // The rollback, which would use the same dead connection, adds no second wait.
    expect(isUnavailable(await failure(work))).toBe(true);
    expect(broken.length).toBe(2);
    await expectToGoOn(database);
  });

  it('causes a single timeout if it falls silent, even with other idle connections', async () => {
    const { database, wire, broken } = await connect();
    const pids = await Promise.all(Array.from({ length: 4 }, () => database.transact(pidOf)));
    expect(new Set(pids).size).toBe(4);
    wire.goSilent();
    expect(isUnavailable(await failure(database.ping()))).toBe(true);
    const after = await Promise.all(pids.map(() => database.transact(pidOf)));
    expect(after.filter((pid) => pids.includes(pid))).toEqual([]);
    expect(broken.length).toBe(1);
  });

  it('is not considered broken during a long migration', async () => {
    const { database, broken } = await connect();
    const seconds = (1.25 * SILENCE_MS) / 1_000;
    await database.transact(async (trx) => {
      await lockSchema(trx, 'postgres');
      await sql`select pg_sleep(${seconds})`.execute(trx);
    });
    expect(broken).toEqual([]);
    // The longer timeout ends with the transaction.
    expect(isUnavailable(await failure(sql`select pg_sleep(${seconds})`.execute(database.queries)))).toBe(true);
  });

  it('is refused by a read-only database with the reason, and reopened afterwards', async () => {
    const { database } = await connect();
    await setReadOnly(url.href, true);
    onTestFinished(() => setReadOnly(url.href, false));
    const error = await failure(database.transact((trx) => insert(trx, 'half begun')));
    expect(error).toMatchObject({ message: 'the database is read-only: default_transaction_read_only is on' });
    expect(isUnavailable(error)).toBe(true);
    expect(await failure(database.ping())).toEqual(error);
    await setReadOnly(url.href, false);
    await expectToGoOn(database);
  });

  it.each([
    ['a write', (database: Database) => database.transact((trx) => insert(trx, 'half begun'))],
    ['the health check', (database: Database) => database.ping()],
  ])('is closed with all others when %s finds that the server became read-only', async (_what, find) => {
    const { database, broken } = await connect();
    const turn = async (trx: Transaction) => {
      await sql`set default_transaction_read_only = on`.execute(trx);
      return pidOf(trx);
    };
    const pids = await Promise.all(Array.from({ length: 4 }, () => database.transact(turn)));
    expect(new Set(pids).size).toBe(4);
    expect(isUnavailable(await failure(find(database)))).toBe(true);
    const after = await Promise.all(pids.map(() => database.transact(pidOf)));
    expect(after.filter((pid) => pids.includes(pid))).toEqual([]);
    await expectToGoOn(database);
    expect(broken).toEqual([]);
  });

  it('fails as transient if the server is gone', async () => {
    const { database, wire } = await connect();
    await wire.close();
    expect(isUnavailable(await failure(database.ping()))).toBe(true);
    expect(isUnavailable(await failure(database.transact((trx) => insert(trx, 'half begun'))))).toBe(true);
  });
});
