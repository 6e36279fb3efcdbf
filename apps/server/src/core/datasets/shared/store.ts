// The rows of lists that are shared through the database.
import type { Database, Transaction } from '../../../platform/database/database.ts';
import { holdRows } from '../../../platform/database/hold-rows.ts';
import type { Schema } from '../../../platform/database/schema.ts';

export type SharedListRow = Schema['shared_lists'];

/** Pieces that nobody refers to may be those of a list that is just being brought; after an hour they are not. */
const ORPHAN_MS = 3_600_000;

export interface SharedListStore {
  all(): Promise<SharedListRow[]>;
  /** Of those that were not removed. */
  namesInForce(): Promise<string[]>;
  /** Held until the transaction ends; undefined where there is none. */
  hold(trx: Transaction, name: string): Promise<SharedListRow | undefined>;
  /** False where there is one already. */
  add(trx: Transaction, row: SharedListRow): Promise<boolean>;
  replace(trx: Transaction, row: SharedListRow): Promise<void>;
  /** Says of a row, as long as it is this one, that its pieces are to be brought again. */
  askForParts(row: SharedListRow): Promise<void>;
  addPart(sum: string, number: number, contents: Uint8Array, now: number): Promise<void>;
  countParts(sum: string, trx?: Transaction): Promise<number>;
  findPart(sum: string, number: number): Promise<Uint8Array | undefined>;
  removeOrphans(now: number): Promise<void>;
}

export function createSharedListStore({ queries, engine }: Database): SharedListStore {
  return {
    all: () => queries.selectFrom('shared_lists').selectAll().orderBy('name').execute(),
    async namesInForce() {
      const rows = await queries.selectFrom('shared_lists').select('name').where('sum', 'is not', null).execute();
      return rows.map(({ name }) => name);
    },
    async hold(trx, name) {
      const found = trx.selectFrom('shared_lists').selectAll().where('name', '=', name);
      return (await holdRows(engine, found).execute())[0];
    },
    async add(trx, row) {
      const { numInsertedOrUpdatedRows } = await trx
        .insertInto('shared_lists')
        .values(row)
        .onConflict((conflict) => conflict.doNothing())
        .executeTakeFirstOrThrow();
      return numInsertedOrUpdatedRows === 1n;
    },
    async replace(trx, { name, ...values }) {
      await trx.updateTable('shared_lists').set(values).where('name', '=', name).execute();
    },
    async askForParts({ name, sealed }) {
      await queries
        .updateTable('shared_lists')
        .set({ sum: null })
        .where('name', '=', name)
        .where('sealed', '=', sealed)
        .execute();
    },
    async addPart(sum, number, contents, now) {
      await queries
        .insertInto('shared_list_parts')
        .values({ sum, number, contents, created_at: now })
        .onConflict((conflict) => conflict.columns(['sum', 'number']).doUpdateSet({ contents, created_at: now }))
        .execute();
    },
    async countParts(sum, trx) {
      const { count } = await (trx ?? queries)
        .selectFrom('shared_list_parts')
        .select(({ fn }) => fn.countAll<number>().as('count'))
        .where('sum', '=', sum)
        .executeTakeFirstOrThrow();
      return Number(count);
    },
    async findPart(sum, number) {
      const found = await queries
        .selectFrom('shared_list_parts')
        .select('contents')
        .where('sum', '=', sum)
        .where('number', '=', number)
        .executeTakeFirst();
      return found?.contents;
    },
    async removeOrphans(now) {
      await queries
        .deleteFrom('shared_list_parts')
        .where('created_at', '<', now - ORPHAN_MS)
        .where('sum', 'not in', (query) => query.selectFrom('shared_lists').select('sum').where('sum', 'is not', null))
        .execute();
    },
  };
}
