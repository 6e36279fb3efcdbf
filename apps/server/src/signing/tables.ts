// The tables of signing.
import type { World } from '../platform/base/world.ts';
import { bindList, bytes, defineTable, integer, type SchemaRows, text } from '../platform/database/table.ts';

export const tables = {
  signing_keys: defineTable({
    about: 'The keys that sign results and receipts.',
    stays: 'until everything it signed has expired',
    deletedBy: '`limen signing-keys remove`',
    key: ['id'],
    columns: {
      /** The `kid` of JWTs: the world and the RFC 7638 thumbprint. */
      id: text('nothing'),
      world: text<World>('nothing'),
      /** Number of the key in its world. Processes that create the next key at once create only one. */
      number: integer('nothing'),
      created_at: integer('nothing'),
      /** The key is published earlier. */
      signs_from: integer('nothing'),
      sealed: bytes('sealed', 'the key; its private part until another signs'),
    },
    places: {
      // All columns that decide what the key may do
      sealed: bindList('signing_keys/sealed', 'id', 'world', 'number', 'created_at', 'signs_from'),
    },
  }),
};

declare module '../platform/database/schema.ts' {
  interface Schema extends SchemaRows<typeof tables> {}
}
