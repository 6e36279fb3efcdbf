// The rows of shared lists, and their index files in parts.
import { createReadStream } from 'node:fs';
import type { Database, Transaction } from '../../../platform/database/database.ts';
import type { Schema } from '../../../platform/database/schema.ts';
import type { DatasetInfo } from '../folder/folder.ts';
import { DamagedIndexError } from '../folder/names.ts';

export type SharedListRow = Schema['shared_lists'];

const PART_BYTES = 2 ** 20;
/** Parts without a list that are older than this do not belong to an upload that is still running. */
const ORPHAN_MS = 3_600_000;

export function createSharedListStore({ queries }: Database) {
  return {
    all: () => queries.selectFrom('shared_lists').selectAll().orderBy('name').execute(),

    async namesInForce(): Promise<string[]> {
      const rows = await queries.selectFrom('shared_lists').select('name').where('sum', 'is not', null).execute();
      return rows.map(({ name }) => name);
    },

    /** Returns false if the row is no longer `seen`, the one that was read. */
    async write(trx: Transaction, row: SharedListRow, seen: SharedListRow | undefined): Promise<boolean> {
      const { numInsertedOrUpdatedRows } = await trx
        .insertInto('shared_lists')
        .values(row)
        .onConflict((conflict) =>
          seen
            ? conflict.column('name').doUpdateSet(row).where('shared_lists.sealed', '=', seen.sealed)
            : conflict.doNothing(),
        )
        .executeTakeFirstOrThrow();
      return numInsertedOrUpdatedRows === 1n;
    },

    /** Asks the machines that have a list to upload its parts again. Does nothing to a row that has changed. */
    async askForParts({ name, sealed }: SharedListRow): Promise<void> {
      const asked = queries.updateTable('shared_lists').set({ sum: null });
      await asked.where('name', '=', name).where('sealed', '=', sealed).execute();
    },

    async hasParts({ bytes, sha256 }: DatasetInfo['indexSum']): Promise<boolean> {
      const parts = queries.selectFrom('shared_list_parts').where('sum', '=', sha256);
      const { count } = await parts.select(({ fn }) => fn.countAll().as('count')).executeTakeFirstOrThrow();
      return Number(count) >= Math.ceil(bytes / PART_BYTES);
    },

    async upload(file: string, sum: string, now: number): Promise<void> {
      let number = 0;
      for await (const contents of createReadStream(file, { highWaterMark: PART_BYTES })) {
        const part = { sum, number, contents: contents as Buffer, created_at: now };
        const insert = queries.insertInto('shared_list_parts').values(part);
        await insert.onConflict((conflict) => conflict.columns(['sum', 'number']).doUpdateSet(part)).execute();
        number += 1;
      }
    },

    async *download({ name, indexSum: { bytes, sha256 } }: DatasetInfo): AsyncGenerator<Uint8Array> {
      const parts = queries.selectFrom('shared_list_parts').select('contents').where('sum', '=', sha256);
      for (let number = 0; number < Math.ceil(bytes / PART_BYTES); number += 1) {
        const part = await parts.where('number', '=', number).executeTakeFirst();
        if (!part) throw new DamagedIndexError(`A part of the index of ${name} is missing.`);
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
