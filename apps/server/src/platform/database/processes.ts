// Tracks the processes that work on a database. Each renews its own row, so that nothing it still needs is removed.
import { hostname } from 'node:os';
import { sql } from 'kysely';
import { shareRuns } from '../async/share-runs.ts';
import { startStopwatch } from '../async/stopwatch.ts';
import type { Clock } from '../base/clock.ts';
import { isDiskFull } from '../base/database-failures.ts';
import { StartError } from '../base/errors.ts';
import type { Ids } from '../base/ids.ts';
import { VERSION } from '../base/version.ts';
import type { Database, Engine, QueriedDatabase } from './database.ts';
import type { Schema } from './schema.ts';

export type ProcessRow = Schema['processes'];
const RENEWED_MS = 10_000;
/** Age at which a process counts as gone. Its statements have timed out by then as well. */
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
  knows: string;
  /** Throws a StartError if a newer version removed something that this process needs. */
  checkSchema(): Promise<unknown>;
  /** Called with that error at each check. The process can do nothing more, and refuses to seal. */
  onOutgrown?: ((error: StartError) => void) | undefined;
  onHeartbeat?: (() => Promise<void>) | undefined;
}

/** Writes the row of this process, or throws. Must run before the data keys are read, so that a change of keys waits for it. */
export async function announceProcess(options: PresenceOptions) {
  const { database, clock, ids, knows, onOutgrown, onHeartbeat } = options;
  const { queries, engine } = database;
  const id = ids.sortable();
  const startedAt = clock.now();
  let keys: FollowedKeys | undefined;
  let sinceRenewal = startStopwatch();

  const renew = async () => {
    const sinceStart = startStopwatch();
    // Only a process that counted as gone may have lost something.
    if (sinceRenewal() >= GONE_MS) {
      await options.checkSchema().catch((error: unknown) => {
        if (error instanceof StartError) onOutgrown?.(error);
        throw error;
      });
    }
    // With a master key that no longer fits, the process keeps its keys, and its row says which.
    await keys?.refresh().catch((error: unknown) => {
      if (!(error instanceof StartError)) throw error;
    });
    // Set even if the row cannot be written: on a full disk, no process can change the keys.
    sinceRenewal = sinceStart;
    const held = keys?.held();
    const present = {
      opens_with: held?.opensWith ?? null,
      seals_with: held?.sealsWith ?? null,
      seen_at: selectTime(engine, clock.now()),
    };
    await queries
      .insertInto('processes')
      .values({ id, version: VERSION, knows, started_at: startedAt, host: hostname(), pid: process.pid, ...present })
      .onConflict((conflict) => conflict.column('id').doUpdateSet(present))
      .execute();
  };
  // Deletions must be possible after a start on a full disk. The row follows when there is room.
  let renewing = renew().catch((error: unknown) => {
    if (!isDiskFull(error)) throw error;
  });
  await renewing;
  await queries
    .deleteFrom('processes')
    .where('seen_at', '<', sql<number>`${selectTime(engine, startedAt)} - ${sql.lit(FORGOTTEN_MS)}`)
    .execute()
    .catch(() => {});
  const renewNext = () => {
    renewing = renewing
      .then(() => renew().catch(() => {})) // the next renewal retries
      .then(onHeartbeat)
      .catch(() => {});
    return renewing;
  };
  const timer = setInterval(renewNext, RENEWED_MS).unref();
  const renewSoon = shareRuns(renewNext);
  return {
    id,
    /** Refreshes the data keys now and with each renewal, and writes to the row which ones the process has. */
    follow(followed: FollowedKeys): Promise<void> {
      keys = followed;
      return renewNext();
    },
    renew: renewNext,
    /** Returns false if the process counts as gone, so that the keys may have been changed without it. It then renews at once. */
    isCurrent(): boolean {
      const isCurrent = sinceRenewal() < GONE_MS;
      if (!isCurrent) void renewSoon();
      return isCurrent;
    },
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

export function nameProcess({ id, host, pid }: Pick<ProcessRow, 'id' | 'host' | 'pid'>): string {
  return `process ${id} (host ${host}, pid ${pid})`;
}

/** Returns the running processes, oldest first. `now` is by this machine's clock. */
export function livingProcesses(database: QueriedDatabase, now: number): Promise<ProcessRow[]> {
  return seenWithin(database, now, GONE_MS);
}

/** Returns the processes of the last hour. A process that was cut off or suspended may come back. */
export function possibleProcesses(database: QueriedDatabase, now: number): Promise<ProcessRow[]> {
  return seenWithin(database, now, FORGOTTEN_MS);
}

function seenWithin({ engine, queries }: QueriedDatabase, now: number, ms: number): Promise<ProcessRow[]> {
  return queries
    .selectFrom('processes')
    .selectAll()
    .where('seen_at', '>=', sql<number>`${selectTime(engine, now)} - ${sql.lit(ms)}`)
    .orderBy('id')
    .execute();
}

/** Returns the database's own time where machines share it: a process whose clock is slow must not count as gone. */
function selectTime(engine: Engine, now: number) {
  return engine === 'postgres'
    ? sql<number>`floor(extract(epoch from clock_timestamp()) * 1000)::bigint`
    : sql<number>`${sql.lit(now)}`;
}
