// The SQL of API keys.
import type { Database } from '../database/database.ts';
import type { Schema } from '../database/schema.ts';

export type ApiKeyRow = Schema['api_keys'];

export interface ApiKeyStore {
  insert(row: ApiKeyRow): Promise<void>;
  findByLookup(lookup: Uint8Array): Promise<ApiKeyRow | undefined>;
  findById(id: string): Promise<ApiKeyRow | undefined>;
  findDevelopmentKey(): Promise<ApiKeyRow | undefined>;
  list(): Promise<ApiKeyRow[]>;
  setStatus(id: string, status: string, now: number): Promise<boolean>;
}

export function createApiKeyStore({ queries }: Database): ApiKeyStore {
  return {
    async insert(row) {
      await queries.insertInto('api_keys').values(row).execute();
    },
    findByLookup: (lookup) =>
      queries.selectFrom('api_keys').selectAll().where('lookup', '=', lookup).executeTakeFirst(),
    findById: (id) => queries.selectFrom('api_keys').selectAll().where('id', '=', id).executeTakeFirst(),
    findDevelopmentKey: () =>
      queries
        .selectFrom('api_keys')
        .selectAll()
        .where('kind', '=', 'development')
        .where('status', '=', 'active')
        .orderBy('id')
        .executeTakeFirst(),
    list: () => queries.selectFrom('api_keys').selectAll().orderBy('id').execute(),
    async setStatus(id, status, now) {
      const result = await queries
        .updateTable('api_keys')
        .set({ status, last_updated: now })
        .where('id', '=', id)
        .executeTakeFirst();
      return result.numUpdatedRows > 0n;
    },
  };
}
