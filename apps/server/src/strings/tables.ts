// The tables of strings.
import { defineTable, integer, type SchemaRows, text } from '../platform/database/table.ts';

export const tables = {
  strings: defineTable({
    about: 'Strings in the string store.',
    stays: 'until they are deleted',
    deletedBy: '`DELETE /strings/:id`',
    key: ['owner', 'id'],
    columns: {
      /** Customer, or empty if the store is open */
      owner: text('readable', 'the customer, if the store is closed'),
      id: text('nothing'),
      value: text('readable', 'whatever you store: keep nothing personal in it'),
      created_at: integer('nothing'),
      bytes: integer('nothing'),
    },
  }),
};

declare module '../platform/database/schema.ts' {
  interface Schema extends SchemaRows<typeof tables> {}
}
