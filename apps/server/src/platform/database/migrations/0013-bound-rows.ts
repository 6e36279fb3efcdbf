// What is sealed in a webhook delivery is bound to whose it is, its key and its session; and no row that has a seal can be written
// without one any more: a process of an earlier version fails loudly instead of writing rows that count as edited.
import { sql } from 'kysely';
import type { Engine, Transaction } from '../database.ts';
import type { Migration, OpenSealer } from './migration.ts';
import { moveSealed } from './move-sealed.ts';

export const boundRows: Migration = { name: '0013-bound-rows', up };

/** Rows read at a time. */
const BATCH = 500;
const SEALED_TABLES = ['api_keys', 'galleries', 'people', 'embeddings', 'person_devices', 'passkeys'];

async function up(trx: Transaction, engine: Engine, openSealer: OpenSealer): Promise<void> {
  await bindDeliveries(trx, openSealer);
  for (const table of SEALED_TABLES) await refuseWithoutSeal(trx, engine, table);
}

async function bindDeliveries(trx: Transaction, openSealer: OpenSealer): Promise<void> {
  for (let after = ''; ; ) {
    const rows = await trx
      .selectFrom('webhook_deliveries')
      .select(['id', 'customer', 'world', 'api_key_id', 'session_id', 'sealed'])
      .where('sealed', 'is not', null)
      .where('id', '>', after)
      .orderBy('id')
      .limit(BATCH)
      .execute();
    const last = rows.at(-1);
    if (!last) return;
    after = last.id;
    const sealer = await openSealer();
    for (const { id, customer, world, api_key_id, session_id, sealed } of rows) {
      const bound = JSON.stringify([id, customer, world, api_key_id, session_id]);
      const moved = moveSealed(
        sealer,
        sealed!,
        `webhook_deliveries/sealed/${id}`,
        `webhook_deliveries/sealed/${bound}`,
      );
      await trx.updateTable('webhook_deliveries').set({ sealed: moved }).where('id', '=', id).execute();
    }
  }
}

/** SQLite cannot take a default from a column, and making tables of so many rows anew takes too long: there a trigger refuses it. */
async function refuseWithoutSeal(trx: Transaction, engine: Engine, table: string): Promise<void> {
  if (engine === 'postgres') {
    await sql`alter table ${sql.table(table)} alter column mac drop default`.execute(trx);
    return;
  }
  await sql`create trigger if not exists ${sql.id(`${table}_have_seals`)} before insert on ${sql.table(table)}
    when length(new.mac) = 0
    begin select raise(abort, 'a row without a seal: stop the processes of the earlier version'); end`.execute(trx);
}
