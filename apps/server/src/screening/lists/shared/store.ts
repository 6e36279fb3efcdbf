// The rows of shared lists, and their index files in parts.
import { createReadStream } from 'node:fs';
import type { Database, Transaction } from '../../../platform/database/database.ts';
import type { Schema } from '../../../platform/database/schema.ts';
import type { DatasetInfo } from '../folder/folder.ts';
import { IndexNotWhole } from '../folder/names.ts';

export type SharedListRow = Schema['shared_lists'];
export type SharedListStore = ReturnType<typeof createSharedListStore>;

/** Size of a row, which is also in memory at once. */
const PART_BYTES = 2 ** 20;
/** After an hour, parts without a list no longer belong to an upload that is under way. */
const ORPHAN_MS = 3_600_000;

export function createSharedListStore({ queries }: Database) {
  return {
    all: () => queries.selectFrom('shared_lists').selectAll().orderBy('name').execute(),

    /** Returns the lists that are not removed. */
    async namesInForce(): Promise<string[]> {
      const rows = await queries.selectFrom('shared_lists').select('name').where('sum', 'is not', null).execute();
      return rows.map(({ name }) => name);
    },

    /** Returns false if the row is no longer the one that was read, `seen`. */
    async write(
      trx: Transaction,
      { name, ...values }: SharedListRow,
      seen: SharedListRow | undefined,
    ): Promise<boolean> {
      if (seen) {
        const update = trx.updateTable('shared_lists').set(values).where('name', '=', name);
        return (await update.where('sealed', '=', seen.sealed).executeTakeFirstOrThrow()).numUpdatedRows === 1n;
      }
      const insert = trx.insertInto('shared_lists').values({ name, ...values });
      const { numInsertedOrUpdatedRows } = await insert
        .onConflict((conflict) => conflict.doNothing())
        .executeTakeFirstOrThrow();
      return numInsertedOrUpdatedRows === 1n;
    },

    /** Asks the machines that have a list to upload its parts again. Does nothing to a row that has changed. */
    async askForParts({ name, sealed }: SharedListRow): Promise<void> {
      const asked = queries.updateTable('shared_lists').set({ sum: null });
      await asked.where('name', '=', name).where('sealed', '=', sealed).execute();
    },

    /** Returns whether every part of a list is there. */
    async hasParts({ indexSum }: DatasetInfo): Promise<boolean> {
      const { count } = await queries
        .selectFrom('shared_list_parts')
        .select(({ fn }) => fn.countAll<number>().as('count'))
        .where('sum', '=', indexSum.sha256)
        .executeTakeFirstOrThrow();
      return Number(count) >= partsOf(indexSum);
    },

    async upload(file: string, sum: string, now: number): Promise<void> {
      let number = 0;
      for await (const contents of createReadStream(file, { highWaterMark: PART_BYTES })) {
        await queries
          .insertInto('shared_list_parts')
          .values({ sum, number, contents: contents as Buffer, created_at: now })
          .onConflict((conflict) =>
            conflict.columns(['sum', 'number']).doUpdateSet({ contents: contents as Buffer, created_at: now }),
          )
          .execute();
        number += 1;
      }
    },

    /** Throws IndexNotWhole if a part is missing. */
    async *download({ name, indexSum }: DatasetInfo): AsyncGenerator<Uint8Array> {
      const parts = queries.selectFrom('shared_list_parts').select('contents').where('sum', '=', indexSum.sha256);
      for (let number = 0; number < partsOf(indexSum); number += 1) {
        const part = await parts.where('number', '=', number).executeTakeFirst();
        if (!part) throw new IndexNotWhole(`A part of the index of ${name} is missing.`);
        yield part.contents;
      }
    },

    async removeOrphans(now: number): Promise<void> {
      await queries
        .deleteFrom('shared_list_parts')
        .where('created_at', '<', now - ORPHAN_MS)
        .where('sum', 'not in', (query) => query.selectFrom('shared_lists').select('sum').where('sum', 'is not', null))
        .execute();
    },
  };
}

function partsOf({ bytes }: DatasetInfo['indexSum']): number {
  return Math.ceil(bytes / PART_BYTES);
}
