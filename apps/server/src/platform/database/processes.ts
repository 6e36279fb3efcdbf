// The processes that work on a database, each in a row that it renews: so that nothing is taken from one that still needs it.
import { hostname } from 'node:os';
import { sql } from 'kysely';
import { startStopwatch } from '../async/stopwatch.ts';
import type { Clock } from '../base/clock.ts';
import { isDiskFull } from '../base/database-failures.ts';
import { StartError } from '../base/errors.ts';
import type { Ids } from '../base/ids.ts';
import { VERSION } from '../base/version.ts';
import type { Database, Engine } from './database.ts';
import type { Schema } from './schema.ts';

export type ProcessRow = Schema['processes'];

const RENEWED_MS = 10_000;
/** A process that was not seen for so long has ended without a word. Its statements would have been given up as well. */
const GONE_MS = 60_000;
const FORGOTTEN_MS = 3_600_000;

interface FollowedKeys {
  refresh(): Promise<void>;
  held(): { opensWith: string; sealsWith: string };
}

export interface PresenceOptions {
  database: Database;
  clock: Clock;
  ids: Ids;
  /** The last migration that this process knows of. */
  knows: string;
  /** Throws a StartError where what this version needs has been taken away. */
  checkSchema(): Promise<unknown>;
  /** Told with that error, each time that it looks: this process can do nothing more, and refuses to seal. */
  onOutgrown?: ((error: StartError) => void) | undefined;
  /** Runs each time that the row is renewed. */
  onHeartbeat?: (() => Promise<void>) | undefined;
}

export type Presence = Awaited<ReturnType<typeof announceProcess>>;

/**
 * Before it reads the data keys: whoever changes them then knows of a process that may have read them too early. Throws where the database
 * does not take the row, because nobody would wait for this process.
 */
export async function announceProcess(options: PresenceOptions) {
  const { database, clock, ids, knows } = options;
  const { queries, engine } = database;
  const id = ids.sortable();
  const startedAt = clock.now();
  let keys: FollowedKeys | undefined;
  let sinceLook = startStopwatch();
  const checkSchema = async () => {
    try {
      await options.checkSchema();
    } catch (error) {
      if (error instanceof StartError) options.onOutgrown?.(error);
      throw error;
    }
  };
  const renew = async () => {
    const sinceThis = startStopwatch();
    // Nobody takes anything away from a process that is seen: only one that was taken for gone has to look.
    if (sinceLook() >= GONE_MS) await checkSchema();
    // A master key that is no longer the right one: it goes on with what it has, and its row says which that is.
    await keys?.refresh().catch((error: unknown) => {
      if (!(error instanceof StartError)) throw error;
    });
    // Also where the row cannot be written: where the disk is full, nobody can change the keys.
    sinceLook = sinceThis;
    const held = keys?.held();
    const present = {
      opens_with: held?.opensWith ?? null,
      seals_with: held?.sealsWith ?? null,
      seen_at: timeOf(engine, clock.now()),
    };
    await queries
      .insertInto('processes')
      .values({ id, version: VERSION, knows, started_at: startedAt, host: hostname(), pid: process.pid, ...present })
      .onConflict((conflict) => conflict.column('id').doUpdateSet(present))
      .execute();
  };
  // A database that is away or full right now is told at the next turn; nothing else waits for this.
  const renewIfPossible = () => renew().catch(() => {});
  let renewing = renew().catch((error: unknown) => {
    if (!isDiskFull(error)) throw error; // on a full disk a start is there to delete; its row comes when there is room
  });
  await renewing;
  await queries
    .deleteFrom('processes')
    .where('seen_at', '<', sql<number>`${timeOf(engine, startedAt)} - ${sql.lit(FORGOTTEN_MS)}`)
    .execute()
    .catch(() => {});
  const renewNext = () => {
    renewing = renewing
      .then(renewIfPossible)
      .then(options.onHeartbeat)
      .catch(() => {});
    return renewing;
  };
  const timer = setInterval(renewNext, RENEWED_MS).unref();
  let isHurrying = false;
  const hurry = async () => {
    if (isHurrying) return;
    isHurrying = true;
    await renewNext();
    isHurrying = false;
  };
  return {
    id,
    /** Takes over what has changed of the data keys, now and each time that the row is renewed, and notes in it which ones it has. */
    follow(followed: FollowedKeys): Promise<void> {
      keys = followed;
      return renewNext();
    },
    /** Renews the row before its time. */
    renew: renewNext,
    /**
     * Returns false if the process has not looked at the keys for so long that others take it for gone: the keys may have been changed
     * without it. Then it looks at once.
     */
    isCurrent(): boolean {
      const isCurrent = sinceLook() < GONE_MS;
      if (!isCurrent) void hurry();
      return isCurrent;
    },
    /** Takes the row away. */
    async end(): Promise<void> {
      clearInterval(timer);
      await renewing;
      await queries
        .deleteFrom('processes')
        .where('id', '=', id)
        .execute()
        .catch(() => {});
    },
  };
}

/** Names a process for an operator. */
export function nameProcess({ id, host, pid }: Pick<ProcessRow, 'id' | 'host' | 'pid'>): string {
  return `process ${id} (host ${host}, pid ${pid})`;
}

/** The oldest first. `now` is by this machine's clock. */
export function livingProcesses(database: Pick<Database, 'engine' | 'queries'>, now: number): Promise<ProcessRow[]> {
  return seenWithin(database, now, GONE_MS);
}

/** Those that live, and those that ended without a word in the last hour: one that was cut off or suspended may come back. */
export function possibleProcesses(database: Pick<Database, 'engine' | 'queries'>, now: number): Promise<ProcessRow[]> {
  return seenWithin(database, now, FORGOTTEN_MS);
}

function seenWithin(
  { engine, queries }: Pick<Database, 'engine' | 'queries'>,
  now: number,
  ms: number,
): Promise<ProcessRow[]> {
  return queries
    .selectFrom('processes')
    .selectAll()
    .where('seen_at', '>=', sql<number>`${timeOf(engine, now)} - ${sql.lit(ms)}`)
    .orderBy('id')
    .execute();
}

/** The database's own where several machines share it: one whose clock is behind must not count as gone while it works. */
function timeOf(engine: Engine, now: number) {
  return engine === 'postgres'
    ? sql<number>`floor(extract(epoch from clock_timestamp()) * 1000)::bigint`
    : sql<number>`${sql.lit(now)}`;
}
