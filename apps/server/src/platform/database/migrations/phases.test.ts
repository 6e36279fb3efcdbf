// An expand migration changes nothing that breaks the previous version.
import { sql } from 'kysely';
import { describe, expect, it } from 'vitest';
import { SEALED_ROWS } from '../../../operations/data-keys/row-seals.ts';
import type { Transaction } from '../database.ts';
import { migrations } from './migrations.ts';
import { readStatements } from './testing/read-statements.ts';

const ENGINES = ['sqlite', 'postgres'] as const;
/** Their seals cover all columns, so the previous release would reject rows with a new column. */
const sealedTables = [...SEALED_ROWS, 'review_cases'];
const rules = (engine: (typeof ENGINES)[number]) => ({ engine, sealedTables });

it('sorts the migrations by name', () => {
  const names = migrations.map(({ name }) => name);
  expect(names).toEqual(names.toSorted());
});

describe.each(ENGINES)('on %s', (engine) => {
  it.each(migrations.filter(({ phase }) => phase === 'expand'))(
    '$name does not break processes of the previous version',
    async (migration) => {
      const broken = (await readStatements(migration, rules(engine))).filter(({ breaks }) => breaks !== undefined);
      expect(broken).toEqual([]);
    },
  );

  it('contracts only with migrations that remove something', async () => {
    for (const migration of migrations.filter(({ phase }) => phase === 'contract')) {
      const statements = await readStatements(migration, rules(engine));
      expect(statements.some(({ breaks }) => breaks !== undefined)).toBe(true);
    }
  });
});

describe('the rule finds', () => {
  const judge = async (...texts: string[]) => {
    const up = async (trx: Transaction) => {
      for (const text of texts) await sql.raw(text).execute(trx);
    };
    return readStatements({ name: 'planted', phase: 'expand', up }, rules('postgres'));
  };

  it.each([
    ['drop table "strings"', 'uses it'],
    ['drop index "jobs_ready"', 'uses it'],
    ['alter table "strings" drop column "value"', 'reads and writes the column'],
    ['alter table "strings" rename column "value" to "text"', 'knows the old name'],
    ['alter table "strings" rename to "texts"', 'knows the old name'],
    ['alter table "jobs" alter column "unique_key" set not null', 'refuses rows'],
    ['alter table "jobs" alter column "attempts" type text', 'expects the column as it was'],
    ['alter table "jobs" add column "priority" integer not null', 'must be null or have a default'],
    ['alter table "jobs" add column "a" text, add column "b" text not null', 'must be null or have a default'],
    ['alter table "jobs" add column "priority" integer unique', 'must be null or have a default'],
    ['alter table "api_keys" add column "note" text', 'sealed as a whole'],
    ['alter table "review_cases" add column "note" text', 'sealed as a whole'],
    ['create unique index "one" on "jobs" ("kind")', 'may refuse rows'],
    ['insert into "strings" ("id") values (1)', 'did not write'],
    ['update "jobs" set "attempts" = 0', 'no rule covers'],
    ['delete from "jobs"', 'no rule covers'],
    ['create trigger t before insert on jobs execute function f()', 'no rule covers'],
  ])('reports %s', async (text, reason) => {
    expect((await judge(text))[0]!.breaks).toContain(reason);
  });

  it.each([
    'create table "new" ("id" text references "jobs" ("id"))',
    'create index "i" on "jobs" ("kind")',
    'alter table "jobs" add column "priority" integer',
    'alter table "jobs" add column "priority" integer default 0 not null',
  ])('reports nothing in %s', async (text) => {
    expect(await judge(text)).toEqual([{ sql: text, breaks: undefined }]);
  });

  it('reports nothing in changes to a table that is itself new', async () => {
    const statements = await judge(
      'create table "new" ("id" text)',
      'create unique index "i" on "new" ("id")',
      'insert into "new" values (1)',
    );
    expect(statements.map(({ breaks }) => breaks)).toEqual([undefined, undefined, undefined]);
  });
});
