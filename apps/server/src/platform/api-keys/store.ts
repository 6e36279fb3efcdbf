// The SQL of API keys. Each row is sealed as a whole: one that was edited is as good as not there.
import type { Database, InTransaction, Queries } from '../database/database.ts';
import { holdRows } from '../database/hold-rows.ts';
import type { Schema } from '../database/schema.ts';
import { createRowSeal, type SealLog } from '../sealing/row-seal.ts';
import type { RowSealer } from '../sealing/sealer.ts';
import { createKeyTraitStore, type KeyTraitStore, type KeyTraits } from './key-traits.ts';

export type ApiKeyRow = Schema['api_keys'];

export interface ApiKeyStore {
  traits: Pick<KeyTraitStore, 'find' | 'list'>;
  /** With its traits, if it has some. */
  insert(row: Omit<ApiKeyRow, 'mac'>, traits?: KeyTraits): Promise<void>;
  /** False when there is no such key. */
  saveTraits(id: string, traits: KeyTraits): Promise<boolean>;
  findByLookup(lookup: Uint8Array): Promise<ApiKeyRow | undefined>;
  /** Whether there is such a row, whole or not. */
  hasLookup(lookup: Uint8Array): Promise<boolean>;
  findById(id: string): Promise<ApiKeyRow | undefined>;
  findDevelopmentKey(): Promise<ApiKeyRow | undefined>;
  /** As the rows say, whole or not. */
  list(): Promise<ApiKeyRow[]>;
  change(
    id: string,
    changes: Partial<Pick<ApiKeyRow, 'status' | 'label' | 'embed_origins' | 'last_updated'>>,
    noted?: InTransaction,
  ): Promise<boolean>;
}

export function createApiKeyStore(database: Database, sealer: RowSealer, log: SealLog): ApiKeyStore {
  const { queries, engine, transact, prepareOne } = database;
  const traits = createKeyTraitStore(database, sealer, log);
  const seal = createRowSeal<ApiKeyRow>(sealer, 'api_keys', { log, nameOf: ({ id }) => id, remembers: true });
  // Every request with a key begins with one of these: building the query would cost more than running it.
  const selectByLookup = prepareOne((lookup: Uint8Array) =>
    queries.selectFrom('api_keys').selectAll().where('lookup', '=', lookup),
  );
  const selectById = prepareOne((id: string) => queries.selectFrom('api_keys').selectAll().where('id', '=', id));

  return {
    traits,
    async insert(row, wanted) {
      const signed = seal.sign(row);
      if (!wanted) {
        await queries.insertInto('api_keys').values(signed).execute();
        return;
      }
      await transact(async (trx) => {
        await trx.insertInto('api_keys').values(signed).execute();
        await traits.save(trx, row.id, wanted);
      });
    },
    saveTraits: (id, wanted) =>
      transact(async (trx) => {
        const row = await trx.selectFrom('api_keys').select('id').where('id', '=', id).executeTakeFirst();
        if (row) await traits.save(trx, id, wanted);
        return row !== undefined;
      }),
    async findByLookup(lookup) {
      return seal.ifWhole(await selectByLookup(lookup));
    },
    hasLookup: async (lookup) => (await selectByLookup(lookup)) !== undefined,
    async findById(id) {
      return seal.ifWhole(await selectById(id));
    },
    async findDevelopmentKey() {
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
    change: (id, changes, noted) =>
      transact(async (trx) => {
        const query = trx.selectFrom('api_keys').selectAll().where('id', '=', id);
        const row = await holdRows(engine, query).executeTakeFirst();
        if (!row) return false;
        // One that was edited is refused already, and must not become whole by this.
        const { mac } = seal.holds(row) ? seal.sign({ ...row, ...changes }) : row;
        await trx
          .updateTable('api_keys')
          .set({ ...changes, mac })
          .where('id', '=', id)
          .execute();
        await noted?.(trx);
        return true;
      }),
  };
}

/** For commands that only look, without the keys that the seal needs. */
export function listApiKeys(queries: Queries): Promise<ApiKeyRow[]> {
  return queries.selectFrom('api_keys').selectAll().orderBy('id').execute();
}
