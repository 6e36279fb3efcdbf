// Switches a PostgreSQL database to read-only and back, as a failover to an unpromoted standby
// would.
import pg from 'pg';

export async function setReadOnly(url: string, isReadOnly: boolean): Promise<void> {
  const client = new pg.Client({ connectionString: url, options: '-c default_transaction_read_only=off' });
  await client.connect();
  try {
    const name = client.escapeIdentifier(client.database!);
    await client.query(`alter database ${name} set default_transaction_read_only = ${isReadOnly}`);
  } finally {
    await client.end();
  }
}
