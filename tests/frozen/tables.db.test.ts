// The tables of a new database on each engine. Released tables change only by a migration: a difference here without one is a fault.
import { sql } from 'kysely';
import { expect, it, onTestFinished } from 'vitest';
import { openDatabase, type Queries } from '../../apps/server/src/platform/database/database.ts';
import { createTestDatabase, engine } from '../../apps/server/testing/database/test-database.ts';

it('a new database has the tables of the snapshot', async () => {
  const place = await createTestDatabase();
  const database = openDatabase(place);
  onTestFinished(async () => {
    await database.close();
    await place.dispose();
  });
  const { rows } = await (engine === 'sqlite' ? describeSqlite : describePostgres)(database.queries);
  const lines = rows.map(({ owner, line }) => `${owner}: ${line}`).sort();
  await expect(`${lines.join('\n')}\n`).toMatchFileSnapshot(`tables.${engine}.txt`);
});

/** A row per table, column, index, foreign key and trigger. */
interface Line {
  owner: string;
  line: string;
}

const describeSqlite = (queries: Queries) =>
  sql<Line>`
    with tables as (
      select name, 'table' || iif(wr, ' without rowid', '') || iif(strict, ' strict', '') as kind
      from pragma_table_list where schema = 'main' and type = 'table' and name not like 'sqlite_%')
    select name as owner, kind as line from tables
    union all
    select t.name, printf('column %s %s%s%s%s', c.name, lower(c.type), iif(c."notnull", ' not null', ''),
      coalesce(' default ' || c.dflt_value, ''), iif(c.pk, ' key ' || c.pk, ''))
    from tables t, pragma_table_xinfo(t.name) c
    union all
    select t.name, printf('%s (%s)%s',
      iif(i.origin = 'c', 'index ' || i.name, 'constraint ' || i.origin) || iif(i."unique", ' unique', ''),
      (select group_concat(coalesce(p.name, 'expression') || iif(p.desc, ' desc', ''), ', ') from
        (select * from pragma_index_xinfo(i.name) where key order by seqno) p),
      iif(i.partial, (select substr(sql, instr(sql, ' where ')) from sqlite_schema s where s.name = i.name), ''))
    from tables t, pragma_index_list(t.name) i
    union all
    select t.name, printf('foreign key (%s) references %s (%s) on update %s on delete %s',
      group_concat(f."from", ', '), f."table", group_concat(f."to", ', '), lower(f.on_update), lower(f.on_delete))
    from tables t, pragma_foreign_key_list(t.name) f group by t.name, f.id
    union all
    select t.name, 'check' from tables t join sqlite_schema s on s.name = t.name where s.sql like '%check (%'
    union all
    select tbl_name, type || ' ' || sql from sqlite_schema where type in ('trigger', 'view')`.execute(queries);

const describePostgres = (queries: Queries) =>
  sql<Line>`
    with tables as (
      select oid, relname as name, relkind, reloptions from pg_class
      where relnamespace = 'public'::regnamespace and relkind in ('r', 'p', 'v', 'm', 'S'))
    select name as owner, 'table ' || relkind::text || coalesce(' ' || array_to_string(reloptions, ' '), '') as line from tables
    union all
    select t.name, 'column ' || a.attname || ' ' || format_type(a.atttypid, a.atttypmod)
      || case when a.attcollation not in (0, 100) then ' collate ' || a.attcollation::regcollation else '' end
      || case when a.attnotnull then ' not null' else '' end
      || coalesce(' default ' || pg_get_expr(d.adbin, d.adrelid), '')
    from tables t join pg_attribute a on a.attrelid = t.oid and a.attnum > 0 and not a.attisdropped
    left join pg_attrdef d on d.adrelid = t.oid and d.adnum = a.attnum
    union all
    select t.name, 'constraint ' || c.conname || ' ' || pg_get_constraintdef(c.oid)
    from tables t join pg_constraint c on c.conrelid = t.oid where c.contype <> 'n'
    union all
    select t.name, pg_get_indexdef(i.indexrelid) from tables t join pg_index i on i.indrelid = t.oid
    union all
    select t.name, pg_get_triggerdef(g.oid) from tables t join pg_trigger g on g.tgrelid = t.oid where not g.tgisinternal`.execute(
    queries,
  );
