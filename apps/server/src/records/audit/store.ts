// The SQL of the console's audit log.

import type { OperatorId } from '../../platform/base/ids.ts';
import type { Database, Queries, Transaction } from '../../platform/database/database.ts';
import { holdRows } from '../../platform/database/hold-rows.ts';
import type { Schema } from '../../platform/database/schema.ts';
import type { SegmentRow } from './checkpoints.ts';

export type LineRow = Schema['audit_lines'];

export interface LineFilter {
  /** Only older ones. */
  before?: number | undefined;
  /** Of this line and newer ones. */
  from?: number | undefined;
  operatorId?: OperatorId | undefined;
  act?: string | undefined;
  /** An act that is left out. */
  except?: string | undefined;
  limit: number;
}

export function createAuditStore({ queries, engine }: Pick<Database, 'queries' | 'engine'>) {
  const newest = (db: Queries) => db.selectFrom('audit_segments').selectAll().orderBy('day', 'desc').limit(1);
  return {
    /** The newest day, kept from others until the transaction ends; undefined where there is none yet. */
    async lockNewest(trx: Transaction) {
      for (;;) {
        const held = await holdRows(engine, newest(trx)).executeTakeFirst();
        // Whoever had it before may have begun a day meanwhile.
        if (!held || (await newest(trx).executeTakeFirst())?.day === held.day) return held;
      }
    },
    /** False when another did so first. */
    async insertSegment(trx: Transaction, row: SegmentRow) {
      const { numInsertedOrUpdatedRows = 0n } = await trx
        .insertInto('audit_segments')
        .values(row)
        .onConflict((conflict) => conflict.column('day').doNothing())
        .executeTakeFirst();
      return numInsertedOrUpdatedRows > 0n;
    },
    async updateSegment(trx: Transaction, { day, ...changes }: SegmentRow) {
      await trx.updateTable('audit_segments').set(changes).where('day', '=', day).execute();
    },
    async insertLine(trx: Transaction, row: LineRow) {
      await trx.insertInto('audit_lines').values(row).execute();
    },
    /** Newest first. */
    list({ before, from, operatorId, act, except, limit }: LineFilter) {
      let query = queries.selectFrom('audit_lines').selectAll();
      if (before !== undefined) query = query.where('seq', '<', before);
      if (from !== undefined) query = query.where('seq', '>=', from);
      if (operatorId !== undefined) query = query.where('operator_id', '=', operatorId);
      if (act !== undefined) query = query.where('act', '=', act);
      if (except !== undefined) query = query.where('act', '!=', except);
      return query.orderBy('seq', 'desc').limit(limit).execute();
    },
    /** In their order. */
    listFrom: (seq: number, limit: number) =>
      queries.selectFrom('audit_lines').selectAll().where('seq', '>=', seq).orderBy('seq').limit(limit).execute(),
    /** The first line before `from`, or else from `to` on. */
    findOutside: (from: number, to: number) =>
      queries
        .selectFrom('audit_lines')
        .selectAll()
        .where((where) => where.or([where('seq', '<', from), where('seq', '>=', to)]))
        .orderBy('seq')
        .limit(1)
        .executeTakeFirst(),
    /** Oldest first. */
    listSegments: (db: Queries = queries) => db.selectFrom('audit_segments').selectAll().orderBy('day').execute(),
    async deleteLines(trx: Transaction, from: number, to: number) {
      await trx.deleteFrom('audit_lines').where('seq', '>=', from).where('seq', '<', to).execute();
    },
  };
}

export type AuditStore = ReturnType<typeof createAuditStore>;
