// A PostgreSQL account that may read and write rows but not change tables.
import { randomUUID } from 'node:crypto';
import pg from 'pg';

/** Calls `work` with the database's URL for the new account, which may use the existing tables. */
export async function withLimitedRole(databaseUrl: string, work: (url: string) => Promise<void>): Promise<void> {
  const role = `limited_${randomUUID().replaceAll('-', '')}`;
  await run(
    databaseUrl,
    `create role ${role} login; grant select, insert, update, delete on all tables in schema public to ${role}`,
  );
  const url = new URL(databaseUrl);
  url.username = role;
  try {
    await work(url.href);
  } finally {
    await run(databaseUrl, `drop owned by ${role}; drop role ${role}`);
  }
}

async function run(url: string, statements: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await client.query(statements);
  } finally {
    await client.end();
  }
}
