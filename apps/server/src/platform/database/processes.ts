// The processes that work on a database, each in a row that it renews: so that nothing is taken from one that still needs it.
import type { Clock } from '../clock.ts';
import type { Ids } from '../ids.ts';
import { VERSION } from '../version.ts';
import type { Database, Queries } from './database.ts';
import type { Schema } from './schema.ts';

export type ProcessRow = Schema['processes'];

const RENEWED_MS = 10_000;
/** A process that was not seen for so long has ended without a word. Its statements would have been given up as well. */
const GONE_MS = 60_000;
const FORGOTTEN_MS = 3_600_000;

export interface Presence {
  id: string;
  /** Takes the row away. */
  end(): Promise<void>;
}

interface PresenceOptions {
  database: Database;
  clock: Clock;
  ids: Ids;
  /** The last migration that this process knows of. */
  knows: string;
}

export async function announceProcess({ database, clock, ids, knows }: PresenceOptions): Promise<Presence> {
  const { queries } = database;
  const id = ids.sortable();
  const startedAt = clock.now();
  const renew = async () => {
    const row: ProcessRow = { id, version: VERSION, knows, started_at: startedAt, seen_at: clock.now() };
    await queries
      .insertInto('processes')
      .values(row)
      .onConflict((conflict) => conflict.column('id').doUpdateSet({ seen_at: row.seen_at }))
      .execute();
  };
  // A database that is away or full right now is told at the next turn; nothing else waits for this.
  const renewIfPossible = () => renew().catch(() => {});
  let renewing = renewIfPossible();
  await renewing;
  await queries
    .deleteFrom('processes')
    .where('seen_at', '<', startedAt - FORGOTTEN_MS)
    .execute()
    .catch(() => {});
  const timer = setInterval(() => {
    renewing = renewing.then(renewIfPossible);
  }, RENEWED_MS).unref();
  return {
    id,
    async end() {
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

/** The oldest first. */
export function livingProcesses(queries: Queries, now: number): Promise<ProcessRow[]> {
  return queries
    .selectFrom('processes')
    .selectAll()
    .where('seen_at', '>=', now - GONE_MS)
    .orderBy('id')
    .execute();
}
