// What is sealed in a webhook delivery is bound to whose it is, its key and its session; and no row that has a seal can be written
// without one any more: a process of an earlier version fails loudly instead of writing rows that count as edited.
import { sql } from 'kysely';
import type { Sealer } from '../../sealing/sealer.ts';
import type { Engine, Transaction } from '../database.ts';
import { eachRow } from './each-row.ts';
import type { Migration, OpenSealer } from './migration.ts';
import { moveSealed } from './move-sealed.ts';

export const boundRows: Migration = { name: '0013-bound-rows', up };

const SEALED_TABLES = ['api_keys', 'galleries', 'people', 'embeddings', 'person_devices', 'passkeys'];

async function up(trx: Transaction, engine: Engine, openSealer: OpenSealer): Promise<void> {
  await bindDeliveries(trx, openSealer);
  for (const table of SEALED_TABLES) await refuseWithoutSeal(trx, engine, table);
}

async function bindDeliveries(trx: Transaction, openSealer: OpenSealer): Promise<void> {
  let sealer: Sealer | undefined;
  const page = (after: string, limit: number) =>
    trx
      .selectFrom('webhook_deliveries')
      .select(['id', 'customer', 'world', 'api_key_id', 'session_id', 'sealed'])
      .where('sealed', 'is not', null)
      .where('id', '>', after)
      .orderBy('id')
      .limit(limit)
      .execute();
  await eachRow(page, async ({ id, customer, world, api_key_id, session_id, sealed }) => {
    sealer ??= await openSealer();
    const bound = JSON.stringify([id, customer, world, api_key_id, session_id]);
    const [from, to] = [id, bound].map((place) => `webhook_deliveries/sealed/${place}`);
    const moved = moveSealed(sealer, sealed!, from!, to!);
    await trx.updateTable('webhook_deliveries').set({ sealed: moved }).where('id', '=', id).execute();
  });
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
