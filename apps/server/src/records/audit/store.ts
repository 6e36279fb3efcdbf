// The SQL of the console's audit log.
import type { OperatorId } from '../../platform/base/ids.ts';
import type { Database, Queries, Transaction } from '../../platform/database/database.ts';
import { holdRows } from '../../platform/database/hold-rows.ts';
import type { Schema } from '../../platform/database/schema.ts';
import type { SegmentRow } from './checkpoints.ts';

export type LineRow = Schema['audit_lines'];

export interface LineFilter {
  /** Number after the newest line. */
  before?: number | undefined;
  /** Number of the oldest line. */
  from?: number | undefined;
  operatorId?: OperatorId | undefined;
  act?: string | undefined;
  except?: string | undefined;
  limit: number;
}

export function createAuditStore({ queries, engine }: Pick<Database, 'queries' | 'engine'>) {
  const newest = (db: Queries) => db.selectFrom('audit_segments').selectAll().orderBy('day', 'desc').limit(1);
  return {
    /** Locks the newest day until the transaction ends. Returns undefined if there is none yet. */
    async lockNewest(trx: Transaction) {
      for (;;) {
        const locked = await holdRows(engine, newest(trx)).executeTakeFirst();
        // The previous holder of the lock may have begun another day.
        if (!locked || (await newest(trx).executeTakeFirst())?.day === locked.day) return locked;
      }
    },
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
    list({ before, from, operatorId, act, except, limit }: LineFilter) {
      let query = queries.selectFrom('audit_lines').selectAll();
      if (before !== undefined) query = query.where('seq', '<', before);
      if (from !== undefined) query = query.where('seq', '>=', from);
      if (operatorId !== undefined) query = query.where('operator_id', '=', operatorId);
      if (act !== undefined) query = query.where('act', '=', act);
      if (except !== undefined) query = query.where('act', '!=', except);
      return query.orderBy('seq', 'desc').limit(limit).execute();
    },
    listFrom: (seq: number, limit: number) =>
      queries.selectFrom('audit_lines').selectAll().where('seq', '>=', seq).orderBy('seq').limit(limit).execute(),
    /** Returns the first line before `from` or from `to` on. */
    findOutside: (from: number, to: number) =>
      queries
        .selectFrom('audit_lines')
        .selectAll()
        .where((where) => where.or([where('seq', '<', from), where('seq', '>=', to)]))
        .orderBy('seq')
        .limit(1)
        .executeTakeFirst(),
    listSegments: (db: Queries = queries) => db.selectFrom('audit_segments').selectAll().orderBy('day').execute(),
    async deleteLines(trx: Transaction, from: number, to: number) {
      await trx.deleteFrom('audit_lines').where('seq', '>=', from).where('seq', '<', to).execute();
    },
  };
}

export type AuditStore = ReturnType<typeof createAuditStore>;
