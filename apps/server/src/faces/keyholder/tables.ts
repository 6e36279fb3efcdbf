// The table of the service's database that names its key-holder. The key-holder's own database is in store/tables.ts.
import { bytes, defineTable, integer, nullable, type SchemaRows, text } from '../../platform/database/table.ts';

export const tables = {
  key_holder: defineTable({
    about: 'Which key-holder belongs to this database.',
    stays: 'for ever',
    deletedBy: 'nothing',
    key: ['one'],
    columns: {
      one: integer<1>('nothing'),
      identity: bytes('nothing'),
      thread: nullable(text('nothing')),
      recorded_at: integer('nothing'),
    },
  }),
};

declare module '../../platform/database/schema.ts' {
  interface Schema extends SchemaRows<typeof tables> {}
}
