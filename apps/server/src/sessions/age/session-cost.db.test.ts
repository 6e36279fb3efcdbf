// Cost of a session on PostgreSQL: number of statements, and updated columns without an index.
import { sql } from 'kysely';
import pg from 'pg';
import { expect, it, vi } from 'vitest';
import { engine } from '#testing/database/test-database.ts';
import { newHost, startSessionApp } from '#testing/session-app.ts';
import { startReceiver } from '#testing/webhooks/receiver.ts';

/** Includes the statements that begin and end its three transactions. */
const MAX_STATEMENTS = 22;
/**
 * Statements shared by many sessions: workers poll jobs, galleries and lists together, connections
 * are opened rarely, and the use of an API key is recorded hourly.
 */
const SHARED =
  /^(select exists|update "jobs"|select \* from "(galleries|shared_lists)"|select case\n|insert into "api_key_uses")/;

it.runIf(engine === 'postgres')('takes few statements, from its creation to its webhook', async () => {
  const app = await startSessionApp();
  const host = await newHost(app);
  const receiver = await startReceiver(() => 200);
  const query = vi.spyOn(pg.Client.prototype, 'query');
  const create = { callback: { url: receiver.url } };
  const { token } = (await host.create(create, { 'idempotency-key': 'one' })).body;
  expect((await host.simulate(token, { outcome: 'above' })).status).toBe(200);
  expect((await host.result(token)).status).toBe(200);
  while ((await app.jobs.runDue()) > 0);
  expect(receiver.received).toHaveLength(1);
  const statements = query.mock.calls.map(([text]) => String(text)).filter((text) => !SHARED.test(text));
  query.mockRestore();
  expect(statements.filter((text) => text === 'commit')).toHaveLength(3);
  expect(statements.length, statements.join('\n')).toBeLessThanOrEqual(MAX_STATEMENTS);
});

// An index over such a column, even in its condition, makes every update write all indexes of the
// table: ten times the write-ahead log.
it.runIf(engine === 'postgres')('updates on its way what is in no index', async () => {
  const { database } = await startSessionApp();
  const { rows } = await sql<{ column: string }>`
    select distinct relname || '.' || attname as column from pg_depend
      join pg_index on indexrelid = objid
      join pg_class on pg_class.oid = refobjid
      join pg_attribute on attrelid = refobjid and attnum = refobjsubid`.execute(database.queries);
  const indexed = rows.map(({ column }) => column);
  expect(indexed).toEqual(
    expect.arrayContaining(['sessions.end_state', 'sessions.ended_at', 'idempotency_keys.resource']),
  );
  for (const column of ['sessions.state', 'idempotency_keys.reply']) expect(indexed).not.toContain(column);
});
