// Where the pages of a key may be embedded, and when each key was last used. The second is by itself: it changes often, and the
// rows of keys are sealed.
import type { SealedRow } from '../../sealing/row-seal.ts';
import { createRowSeal } from '../../sealing/row-seal.ts';
import type { Engine, Transaction } from '../database.ts';
import { columnTypes } from './column-types.ts';
import type { Migration, OpenSealer } from './migration.ts';

export const keyLimits: Migration = { name: '0026-key-limits', up };

async function up(trx: Transaction, engine: Engine, openSealer: OpenSealer): Promise<void> {
  const { id, integer } = columnTypes(engine);
  // Whatever columns the table has at this point: the type of today's schema is not asked.
  const before = (await trx.selectFrom('api_keys').selectAll().execute()) as unknown as (SealedRow & { id: string })[];
  await trx.schema.alterTable('api_keys').addColumn('embed_origins', 'text').execute();
  if (before.length > 0) {
    const seal = createRowSeal<SealedRow & { id: string }>(await openSealer(), 'api_keys');
    // One that was edited stays refused.
    for (const row of before.filter((one) => seal.holds(one))) {
      const { mac } = seal.sign({ ...row, embed_origins: null } as typeof row);
      await trx.updateTable('api_keys').set({ mac }).where('id', '=', row.id).execute();
    }
  }
  await trx.schema
    .createTable('api_key_uses')
    .addColumn('key_id', id, (column) => column.primaryKey())
    .addColumn('used_at', integer, (column) => column.notNull())
    .execute();
}
