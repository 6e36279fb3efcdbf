// Stores API keys. A row whose seal does not verify is treated as missing.
import type { Database, InTransaction, Queries } from '../database/database.ts';
import { holdRows } from '../database/hold-rows.ts';
import type { Schema } from '../database/schema.ts';
import type { SealLog } from '../sealing/edited-rows.ts';
import { createRowSeal } from '../sealing/row-seal.ts';
import type { RowSealer } from '../sealing/sealer.ts';
import { createKeyTraitStore, type KeyTraits } from './key-traits.ts';

export type ApiKeyRow = Schema['api_keys'];

export type ApiKeyStore = ReturnType<typeof createApiKeyStore>;
type KeyChanges = Partial<Pick<ApiKeyRow, 'status' | 'label' | 'embed_origins' | 'last_updated'>>;

export function createApiKeyStore(database: Database, sealer: RowSealer, log: SealLog) {
  const { queries, engine, transact, prepareOne } = database;
  const traits = createKeyTraitStore(database, sealer, log);
  const seal = createRowSeal<ApiKeyRow>(sealer, 'api_keys', { log, nameOf: ({ id }) => id, remembers: true });
  // Prepared, because building this query for each request would cost more than running it.
  const selectByLookup = prepareOne((lookup: Uint8Array) =>
    queries.selectFrom('api_keys').selectAll().where('lookup', '=', lookup),
  );
  const selectById = prepareOne((id: string) => queries.selectFrom('api_keys').selectAll().where('id', '=', id));

  return {
    traits,
    async insert(row: Omit<ApiKeyRow, 'mac'>, wanted?: KeyTraits): Promise<void> {
      await transact(async (trx) => {
        await trx.insertInto('api_keys').values(seal.sign(row)).execute();
        if (wanted) await traits.save(trx, row.id, wanted);
      });
    },
    /** Returns false if there is no such key. */
    saveTraits: (id: string, wanted: KeyTraits): Promise<boolean> =>
      transact(async (trx) => {
        const row = await trx.selectFrom('api_keys').select('id').where('id', '=', id).executeTakeFirst();
        if (row) await traits.save(trx, id, wanted);
        return row !== undefined;
      }),
    async findByLookup(lookup: Uint8Array): Promise<ApiKeyRow | undefined> {
      return seal.ifWhole(await selectByLookup(lookup));
    },
    hasLookup: async (lookup: Uint8Array): Promise<boolean> => (await selectByLookup(lookup)) !== undefined,
    async findById(id: string): Promise<ApiKeyRow | undefined> {
      return seal.ifWhole(await selectById(id));
    },
    async findDevelopmentKey(): Promise<ApiKeyRow | undefined> {
      const rows = await queries
        .selectFrom('api_keys')
        .selectAll()
        .where('kind', '=', 'development')
        .where('status', '=', 'active')
        .orderBy('id')
        .execute();
      return rows.find((row) => seal.ifWhole(row));
    },
    list: () => listApiKeys(queries),
    change: (id: string, changes: KeyChanges, writeAudit?: InTransaction): Promise<boolean> =>
      transact(async (trx) => {
        const query = trx.selectFrom('api_keys').selectAll().where('id', '=', id);
        const row = await holdRows(engine, query).executeTakeFirst();
        if (!row) return false;
        // An edited row stays invalid.
        const { mac } = seal.holds(row) ? seal.sign({ ...row, ...changes }) : row;
        await trx
          .updateTable('api_keys')
          .set({ ...changes, mac })
          .where('id', '=', id)
          .execute();
        await writeAudit?.(trx);
        return true;
      }),
  };
}

/** For read-only commands, which have no keys to check the seal. */
export function listApiKeys(queries: Queries): Promise<ApiKeyRow[]> {
  return queries.selectFrom('api_keys').selectAll().orderBy('id').execute();
}
