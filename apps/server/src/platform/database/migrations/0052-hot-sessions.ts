// The index over `state` goes: with it no update of a session was a heap-only one. Sessions that the version before ended get their
// `end_state`, by which they are found from here on.
import { sql } from 'kysely';
import type { Engine, Transaction } from '../database.ts';
import type { Migration } from './migration.ts';

export const hotSessions: Migration = { name: '0052-hot-sessions', phase: 'contract', up };

async function up(trx: Transaction, engine: Engine): Promise<void> {
  // First, because it takes longest: what follows locks the table.
  await sql`update "sessions" set "end_state" = "state" where "ended_at" is not null and "end_state" is null`.execute(
    trx,
  );
  await trx.schema.dropIndex('sessions_end_state').execute();
  // Room on each page for the next version of its rows.
  if (engine === 'postgres') await sql`alter table "sessions" set (fillfactor = 85)`.execute(trx);
}
