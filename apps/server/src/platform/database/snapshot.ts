// Reads all rows of the database as of one moment, while others read and write.
import { DatabaseSync } from 'node:sqlite';
import { sqliteFile } from './database.ts';
import { ALLOW_LONG_WORK, openConnections } from './postgres-connections.ts';
import type { Schema } from './schema.ts';

export type SnapshotRow = Readonly<Record<string, unknown>>;

export interface Snapshot {
  /** Yields rows in batches, with the same values as a query, on both engines. */
  rowsOf(table: keyof Schema): AsyncIterable<SnapshotRow[]>;
}

const BUSY_TIMEOUT_MS = 5_000;
const ROWS_AT_ONCE = 500;

/** Uses a separate connection: a transaction of the service's own would block every writer on SQLite. */
export function withSnapshot<T>(
  { url, dataDir }: { url: string | undefined; dataDir: string },
  work: (snapshot: Snapshot) => Promise<T>,
): Promise<T> {
  return url === undefined ? withSqliteSnapshot(sqliteFile(dataDir), work) : withPostgresSnapshot(url, work);
}

async function withSqliteSnapshot<T>(file: string, work: (snapshot: Snapshot) => Promise<T>): Promise<T> {
  const db = new DatabaseSync(file, { readOnly: true, timeout: BUSY_TIMEOUT_MS });
  try {
    db.exec('begin');
    db.prepare('select 1 from schema_migrations').get(); // the first read takes the snapshot
    return await work({
      async *rowsOf(table) {
        let rows: SnapshotRow[] = [];
        for (const row of db.prepare(`select * from "${table}"`).iterate()) {
          rows.push(row as SnapshotRow);
          if (rows.length < ROWS_AT_ONCE) continue;
          yield rows;
          rows = [];
        }
        if (rows.length > 0) yield rows;
      },
    });
  } finally {
    db.close();
  }
}

async function withPostgresSnapshot<T>(url: string, work: (snapshot: Snapshot) => Promise<T>): Promise<T> {
  const connections = openConnections(url, { onBroken: () => {} });
  const client = await connections.connect();
  try {
    await client.query('begin isolation level repeatable read read only');
    await client.query(ALLOW_LONG_WORK);
    // The reader may be slow.
    await client.query('set local idle_in_transaction_session_timeout = 0');
    return await work({
      async *rowsOf(table) {
        await client.query(`declare taken no scroll cursor for select * from "${table}"`);
        try {
          for (;;) {
            const { rows } = await client.query<SnapshotRow>(`fetch ${ROWS_AT_ONCE} from taken`);
            if (rows.length === 0) return;
            yield rows;
          }
        } finally {
          await client.query('close taken');
        }
      },
    });
  } finally {
    client.release(true);
    await connections.end();
  }
}
