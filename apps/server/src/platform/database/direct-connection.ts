// Refuses PostgreSQL poolers, for commands that need session settings or have no time limit.
import type pg from 'pg';
import { StartError } from '../base/errors.ts';
import { openConnections } from './postgres-connections.ts';

/**
 * Throws if DATABASE_URL leads to a pooler such as PgBouncer, which sends each statement to any free connection and has limits of its
 * own. Its greeting names another process than the one that answers.
 */
export async function refusePooler(url: string, what: string): Promise<void> {
  const connections = openConnections(url, { onBroken: () => {} });
  try {
    const client = (await connections.connect()) as pg.PoolClient & { processID: number };
    try {
      const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid');
      if (rows[0]!.pid === client.processID) return;
    } finally {
      client.release();
    }
  } finally {
    await connections.end();
  }
  throw new StartError(
    `${what} needs a connection to PostgreSQL itself, and DATABASE_URL leads to a pooler such as PgBouncer. ` +
      'Run it with the address of the primary server in DATABASE_URL.',
  );
}
