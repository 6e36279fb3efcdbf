// On both engines the migrations create the declared tables.
import { sql } from 'kysely';
import { expect, it, onTestFinished } from 'vitest';
import { createTestDatabase, engine } from '#testing/database/test-database.ts';
import { openDatabase } from './platform/database/database.ts';
import { TABLES } from './tables.ts';

const TYPES = {
  sqlite: { text: 'TEXT', integer: 'INTEGER', bytes: 'BLOB' },
  postgres: { text: 'text', integer: 'bigint', bytes: 'bytea' },
}[engine];

it('creates every declared column with its type, and no others', async () => {
  const place = await createTestDatabase();
  const database = openDatabase(place);
  onTestFinished(async () => {
    await database.close();
    await place.dispose();
  });
  const { rows } = await (engine === 'sqlite' ? SQLITE : POSTGRES).execute(database.queries);
  const created = rows.map(({ table, column, type, nullable, position }) =>
    // SQLite lets a primary key of one column be null. Nothing writes one.
    [table, column, type, nullable && !position ? 'null' : '', position ? `key ${position}` : ''].join(' ').trimEnd(),
  );
  const declared = Object.entries(TABLES).flatMap(([table, { columns, key }]) =>
    Object.entries(columns).map(([column, { type, isNullable }]) => {
      const position = key.indexOf(column) + 1;
      return [table, column, TYPES[type], isNullable ? 'null' : '', position ? `key ${position}` : '']
        .join(' ')
        .trimEnd();
    }),
  );
  expect(created.sort()).toEqual(declared.sort());
});

interface CreatedColumn {
  table: string;
  column: string;
  type: string;
  nullable: boolean | 0 | 1;
  /** Position in the primary key, from 1; 0 or null outside of it */
  position: number | null;
}

const SQLITE = sql<CreatedColumn>`
  select t.name as "table", c.name as "column", c.type, not c."notnull" as nullable, c.pk as position
  from pragma_table_list t, pragma_table_xinfo(t.name) c
  where t.schema = 'main' and t.type = 'table' and t.name not like 'sqlite_%'`;

const POSTGRES = sql<CreatedColumn>`
  select t.relname as "table", a.attname as "column", format_type(a.atttypid, a.atttypmod) as type,
    not a.attnotnull as nullable, array_position(k.conkey, a.attnum) as position
  from pg_class t
  join pg_attribute a on a.attrelid = t.oid and a.attnum > 0 and not a.attisdropped
  left join pg_constraint k on k.conrelid = t.oid and k.contype = 'p'
  where t.relnamespace = 'public'::regnamespace and t.relkind = 'r'`;
