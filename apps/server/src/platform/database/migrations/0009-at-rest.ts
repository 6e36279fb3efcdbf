// Rows that speak for a person are sealed as a whole, what is sealed in a session is bound to its other columns, and the delivery
// log keeps the origin of a target only. What is there is taken as it is: before this nothing could tell an edited row.
//
// A later migration that adds a column to passkeys or person_devices signs anew those rows whose seal holds, and no others.
import { sql } from 'kysely';
import { named, type SessionId } from '../../ids.ts';
import { createRowSeal, type SealedRow } from '../../sealing/row-seal.ts';
import type { Sealer } from '../../sealing/sealer.ts';
import type { Engine, Transaction } from '../database.ts';
import type { Schema } from '../schema.ts';
import { columnTypes } from './column-types.ts';
import { eachRow } from './each-row.ts';
import type { Migration, OpenSealer } from './migration.ts';
import { moveSealed } from './move-sealed.ts';

export const atRest: Migration = { name: '0009-at-rest', up };

async function up(trx: Transaction, engine: Engine, openSealer: OpenSealer): Promise<void> {
  const { bytes } = columnTypes(engine);
  const empty = engine === 'sqlite' ? sql`x''` : sql`''`;
  for (const [table, key] of [
    ['person_devices', 'id'],
    ['passkeys', 'credential_id'],
  ] as const) {
    await trx.schema
      .alterTable(table)
      .addColumn('mac', bytes, (column) => column.notNull().defaultTo(empty))
      .execute();
    await signRows(trx, table, key, openSealer);
  }
  await bindSessions(trx, openSealer);
  await cutTargets(trx);
}

async function signRows(
  trx: Transaction,
  table: 'person_devices' | 'passkeys',
  key: string,
  openSealer: OpenSealer,
): Promise<void> {
  // Whatever columns the table has at this point: the type of today's schema is not asked.
  const rows = (await trx.selectFrom(table).selectAll().execute()) as unknown as (Record<string, unknown> &
    SealedRow)[];
  if (rows.length === 0) return;
  const seal = createRowSeal(await openSealer(), table);
  for (const row of rows) {
    const { mac } = seal.sign(row);
    await sql`update ${sql.table(table)} set mac = ${mac} where ${sql.ref(key)} = ${row[key]}`.execute(trx);
  }
}

type SessionRow = Pick<
  Schema['sessions'],
  | 'id'
  | 'kind'
  | 'customer'
  | 'world'
  | 'api_key_id'
  | 'created_at'
  | 'expires_at'
  | 'sealed'
  | 'outcome'
  | 'state'
  | 'ended_at'
  | 'purge_at'
  | 'person_id'
>;

async function bindSessions(trx: Transaction, openSealer: OpenSealer): Promise<void> {
  let sealer: Sealer | undefined;
  const page = (after: string, limit: number): Promise<SessionRow[]> =>
    trx
      .selectFrom('sessions')
      .select([
        'id',
        'kind',
        'customer',
        'world',
        'api_key_id',
        'created_at',
        'expires_at',
        'sealed',
        'outcome',
        'state',
      ])
      .select(['ended_at', 'purge_at', 'person_id'])
      .where('id', '>', named<SessionId>(after))
      .orderBy('id')
      .limit(limit)
      .execute();
  await eachRow(page, async (row) => {
    sealer ??= await openSealer();
    const { id, kind, customer, world, api_key_id, created_at, expires_at } = row;
    const { state, ended_at, purge_at, person_id } = row;
    const contents = JSON.stringify([id, kind, customer, world, api_key_id, created_at, expires_at]);
    const end = JSON.stringify([id, state, ended_at, purge_at, person_id]);
    const sealed = moveSealed(sealer, row.sealed, `sessions/sealed/${id}`, `sessions/sealed/${contents}`);
    const outcome = row.outcome && moveSealed(sealer, row.outcome, `sessions/outcome/${id}`, `sessions/outcome/${end}`);
    await trx.updateTable('sessions').set({ sealed, outcome }).where('id', '=', id).execute();
  });
}

/** `https://host:8443/a/path` becomes `https://host:8443`. */
function cutTargets(trx: Transaction): Promise<void> {
  const page = (after: string, limit: number) =>
    trx
      .selectFrom('webhook_deliveries')
      .select(['id', 'target'])
      .where('id', '>', after)
      .orderBy('id')
      .limit(limit)
      .execute();
  return eachRow(page, ({ id, target }) => {
    const origin = URL.canParse(target) ? new URL(target).origin : '';
    return trx.updateTable('webhook_deliveries').set({ target: origin }).where('id', '=', id).execute();
  });
}
