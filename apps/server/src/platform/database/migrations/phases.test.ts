// The rule for migrations of two phases: one that expands holds nothing that the version before cannot live with.
import { sql } from 'kysely';
import { describe, expect, it } from 'vitest';
import { TABLES_OF_FIXED_COLUMNS } from '../../sealing/sealed-tables.ts';
import type { Transaction } from '../database.ts';
import { readStatements } from '../statements.ts';
import { migrations } from './index.ts';

/** The last of those for which every process has to be stopped. */
const LAST_WITHOUT_PHASE = '0032-shared-lists';
const ENGINES = ['sqlite', 'postgres'] as const;
const rules = (engine: (typeof ENGINES)[number]) => ({ engine, sealedTables: TABLES_OF_FIXED_COLUMNS });

const phased = migrations.filter(({ name }) => name > LAST_WITHOUT_PHASE);

it('every migration says its phase', () => {
  expect(phased.filter(({ phase }) => phase === undefined)).toEqual([]);
  expect(migrations.filter(({ name, phase }) => name <= LAST_WITHOUT_PHASE && phase !== undefined)).toEqual([]);
  const names = migrations.map(({ name }) => name);
  expect(names).toEqual(names.toSorted());
});

describe.each(ENGINES)('on %s', (engine) => {
  it.each(phased.filter(({ phase }) => phase === 'expand'))('$name breaks nobody', async (migration) => {
    const broken = (await readStatements(migration, rules(engine))).filter(({ breaks }) => breaks !== undefined);
    expect(broken).toEqual([]);
  });

  it('what contracts does take something away', async () => {
    for (const migration of phased.filter(({ phase }) => phase === 'contract')) {
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
    ['update "jobs" set "attempts" = 0', 'nobody has looked at'],
    ['delete from "jobs"', 'nobody has looked at'],
    ['create trigger t before insert on jobs execute function f()', 'nobody has looked at'],
  ])('%s', async (text, reason) => {
    expect((await judge(text))[0]!.breaks).toContain(reason);
  });

  it.each([
    ['create table "new" ("id" text primary key)', 'nobody waits for it'],
    [
      'create table "new" ("a" text references "jobs" ("id"), "b" text references "keys" ("id"), "c" text references "jobs" ("id"))',
      'writes to jobs and keys wait for a moment',
    ],
    ['create table "new" ("id" text primary key, "parent" text references "new" ("id"))', 'nobody waits for it'],
    ['create index "i" on "jobs" ("kind")', 'writes to jobs wait while it is built'],
    ['alter table "jobs" add column "priority" integer', 'jobs is locked for a moment, no row is rewritten'],
    ['alter table "jobs" add column "priority" integer default 0 not null', 'no row is rewritten'],
    ['alter table "jobs" add column "drawn" text default md5(random()::text)', 'while every row is rewritten'],
  ])('nothing in %s, and says who waits', async (text, effect) => {
    const [statement] = await judge(text);
    expect(statement).toMatchObject({ breaks: undefined, effect: expect.stringContaining(effect) });
  });

  it('nothing in what is done to a table that is new itself', async () => {
    const statements = await judge(
      'create table "new" ("id" text)',
      'create unique index "i" on "new" ("id")',
      'insert into "new" values (1)',
    );
    expect(statements.map(({ breaks }) => breaks)).toEqual([undefined, undefined, undefined]);
  });
});
