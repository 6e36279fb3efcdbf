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

export interface AuditStore {
  /** The newest day, kept from others until the transaction ends; undefined where there is none yet. */
  lockNewest(trx: Transaction): Promise<SegmentRow | undefined>;
  /** False when another did so first. */
  insertSegment(trx: Transaction, row: SegmentRow): Promise<boolean>;
  updateSegment(trx: Transaction, row: SegmentRow): Promise<void>;
  insertLine(trx: Transaction, row: LineRow): Promise<void>;
  /** Newest first. */
  list(filter: LineFilter): Promise<LineRow[]>;
  /** In their order. */
  listFrom(seq: number, limit: number): Promise<LineRow[]>;
  /** The first line before `from`, or else from `to` on. */
  findOutside(from: number, to: number): Promise<LineRow | undefined>;
  /** Oldest first. */
  listSegments(db?: Queries): Promise<SegmentRow[]>;
  deleteLines(trx: Transaction, from: number, to: number): Promise<void>;
}

export function createAuditStore({ queries, engine }: Pick<Database, 'queries' | 'engine'>): AuditStore {
  const newest = (db: Queries) => db.selectFrom('audit_segments').selectAll().orderBy('day', 'desc').limit(1);
  return {
    async lockNewest(trx) {
      for (;;) {
        const held = await holdRows(engine, newest(trx)).executeTakeFirst();
        // Whoever had it before may have begun a day meanwhile.
        if (!held || (await newest(trx).executeTakeFirst())?.day === held.day) return held;
      }
    },
    async insertSegment(trx, row) {
      const { numInsertedOrUpdatedRows = 0n } = await trx
        .insertInto('audit_segments')
        .values(row)
        .onConflict((conflict) => conflict.column('day').doNothing())
        .executeTakeFirst();
      return numInsertedOrUpdatedRows > 0n;
    },
    async updateSegment(trx, { day, ...changes }) {
      await trx.updateTable('audit_segments').set(changes).where('day', '=', day).execute();
    },
    async insertLine(trx, row) {
      await trx.insertInto('audit_lines').values(row).execute();
    },
    list({ before, from, operatorId, act, except, limit }) {
      let query = queries.selectFrom('audit_lines').selectAll();
      if (before !== undefined) query = query.where('seq', '<', before);
      if (from !== undefined) query = query.where('seq', '>=', from);
      if (operatorId !== undefined) query = query.where('operator_id', '=', operatorId);
      if (act !== undefined) query = query.where('act', '=', act);
      if (except !== undefined) query = query.where('act', '!=', except);
      return query.orderBy('seq', 'desc').limit(limit).execute();
    },
    listFrom: (seq, limit) =>
      queries.selectFrom('audit_lines').selectAll().where('seq', '>=', seq).orderBy('seq').limit(limit).execute(),
    findOutside: (from, to) =>
      queries
        .selectFrom('audit_lines')
        .selectAll()
        .where((where) => where.or([where('seq', '<', from), where('seq', '>=', to)]))
        .orderBy('seq')
        .limit(1)
        .executeTakeFirst(),
    listSegments: (db = queries) => db.selectFrom('audit_segments').selectAll().orderBy('day').execute(),
    async deleteLines(trx, from, to) {
      await trx.deleteFrom('audit_lines').where('seq', '>=', from).where('seq', '<', to).execute();
    },
  };
}
