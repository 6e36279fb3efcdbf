// The tables of records.
import type { OperatorId } from '../platform/base/ids.ts';
import type { World } from '../platform/base/world.ts';
import { bindList, bytes, defineTable, integer, type SchemaRows, text } from '../platform/database/table.ts';
import { ACTIVITY_DAYS } from './limits.ts';

export const tables = {
  audit_lines: defineTable({
    about: 'Actions and views of operators in the console.',
    stays: 'for `AUDIT_DAYS`, a day at a time',
    deletedBy: 'nothing',
    key: ['seq'],
    columns: {
      seq: integer('nothing'),
      at: integer('pseudonym'),
      operator_id: text<OperatorId>('pseudonym'),
      act: text('nothing'),
      sealed: bytes('sealed', 'operator’s name, address, and the ids of what it was about; no search text'),
    },
    places: { sealed: bindList('audit_lines/sealed', 'seq', 'at', 'operator_id', 'act') },
  }),
  audit_segments: defineTable({
    about: 'A checkpoint for each day of that log.',
    stays: 'for ever',
    deletedBy: 'nothing',
    key: ['day'],
    columns: {
      /** UTC, as 2026-01-31. */
      day: text('nothing'),
      first_seq: integer('nothing'),
      lines: integer('nothing'),
      /** Hash that the first line is linked to, and hash of the last line. */
      start: text('nothing'),
      hash: text('nothing'),
      pruned: integer<0 | 1>('nothing'),
      /** Ed25519 over all other columns. */
      signature: bytes('nothing'),
    },
  }),
  activity_counts: defineTable({
    about: 'How often what happened on a day, by key; numbers alone.',
    stays: `${ACTIVITY_DAYS} days`,
    deletedBy: 'nothing',
    key: ['day', 'api_key_id', 'name'],
    columns: {
      day: text('nothing'),
      api_key_id: text('nothing'),
      /** Such as `age/recommendation/ALLOW`. */
      name: text('nothing'),
      count: integer('nothing'),
    },
  }),
  activity_totals: defineTable({
    about: 'Activity of all keys of a world together.',
    stays: `${ACTIVITY_DAYS} days`,
    deletedBy: 'nothing',
    key: ['day', 'world', 'name'],
    columns: {
      day: text('nothing'),
      world: text<World>('nothing'),
      name: text('nothing'),
      count: integer('nothing'),
    },
  }),
};

declare module '../platform/database/schema.ts' {
  interface Schema extends SchemaRows<typeof tables> {}
}
