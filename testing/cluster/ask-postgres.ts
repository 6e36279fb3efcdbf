// Runs one PostgreSQL statement, on a connection as opened by the service.
import { openConnections } from '../../apps/server/src/platform/database/postgres-connections.ts';

export async function askPostgres<Row>(url: string, statement: string, values: unknown[] = []): Promise<Row[]> {
  const connections = openConnections(url, { onBroken: () => {} }); // the statement reports the error
  try {
    const client = await connections.connect();
    try {
      return (await client.query(statement, values)).rows as Row[];
    } finally {
      client.release(true);
    }
  } finally {
    await connections.end();
  }
}
