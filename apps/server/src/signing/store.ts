// The SQL of signing keys.

import type { World } from '../platform/base/world.ts';
import type { Database, Queries, Transaction } from '../platform/database/database.ts';
import { holdRows } from '../platform/database/hold-rows.ts';
import type { Schema } from '../platform/database/schema.ts';

export type SigningKeyRow = Schema['signing_keys'];

export function createSigningKeyStore(database: Database) {
  const { queries, engine } = database;
  const selectOfWorld = database.prepare((world: World) =>
    queries.selectFrom('signing_keys').selectAll().where('world', '=', world).orderBy('number'),
  );
  return {
    ofWorld: selectOfWorld,
    all: () => listSigningKeys(queries),
    /** Returns the keys of one world, locked until the transaction ends. */
    hold: (trx: Transaction, world: World) =>
      holdRows(
        engine,
        trx.selectFrom('signing_keys').selectAll().where('world', '=', world).orderBy('number'),
      ).execute(),
    /** False where its world has a key of this number already. */
    async insert(db: Queries, row: SigningKeyRow) {
      const { numInsertedOrUpdatedRows } = await db
        .insertInto('signing_keys')
        .values(row)
        .onConflict((conflict) => conflict.columns(['world', 'number']).doNothing())
        .executeTakeFirstOrThrow();
      return Number(numInsertedOrUpdatedRows) === 1;
    },
    async setSealed(trx: Transaction, id: string, sealed: Uint8Array) {
      await trx.updateTable('signing_keys').set({ sealed }).where('id', '=', id).execute();
    },
    async delete(trx: Transaction, id: string) {
      await trx.deleteFrom('signing_keys').where('id', '=', id).execute();
    },
  };
}

/** For commands that only look, without the keys that open them. */
export function listSigningKeys(queries: Queries): Promise<SigningKeyRow[]> {
  return queries.selectFrom('signing_keys').selectAll().orderBy('world').orderBy('number').execute();
}
