// The statements of a migration, and what each of them means for processes that go on meanwhile. Nothing is run.
import {
  type CompiledQuery,
  type DatabaseConnection,
  type Driver,
  Kysely,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
} from 'kysely';
import type { Engine } from './database.ts';
import type { Migration } from './migrations/migration.ts';
import type { Schema } from './schema.ts';

export interface Statement {
  sql: string;
  /** What waits for it, and what it rewrites. */
  effect: string;
  /** Why processes of the version before cannot live with it; undefined where they can. */
  breaks: string | undefined;
}

interface Rules {
  engine: Engine;
  /** Whose rows carry a seal over all of their columns: a column more, and no seal holds for the version before. */
  sealedTables: readonly string[];
}

/** For migrations that have a phase: they change tables whatever is in them, and leave rows to jobs. */
export async function readStatements({ up }: Migration, { engine, sealedTables }: Rules): Promise<Statement[]> {
  const written: string[] = [];
  const queries = recordInto(written, engine);
  await queries
    .transaction()
    .execute((trx) => up(trx, engine, () => Promise.reject(new Error('a phased migration leaves rows alone'))));
  const made = new Set<string>();
  return written.map((sql) => {
    const found = KINDS.flatMap(({ form, read }) => {
      const match = form.exec(sql);
      return match ? [read({ parts: match.slice(1), engine, sealedTables, made })] : [];
    })[0];
    return { sql, ...(found ?? { effect: 'unknown: read it', breaks: 'it is of a kind that nobody has looked at' }) };
  });
}

interface Found {
  parts: string[];
  engine: Engine;
  sealedTables: readonly string[];
  /** Tables of this very migration, which nobody else knows yet. */
  made: Set<string>;
}

interface Kind {
  form: RegExp;
  read(found: Found): Omit<Statement, 'sql'>;
}

const NOBODY_WAITS = 'nobody waits for it';
const FOR_A_MOMENT = (table: string) => `${table} is locked for a moment, no row is rewritten`;
const WHILE_REWRITTEN = (table: string) => `${table} is locked while every row is rewritten`;

const KINDS: Kind[] = [
  {
    form: /^create table (?:if not exists )?"(\w+)"(.*)/,
    read({ parts: [table, rest], made, engine }) {
      made.add(table!);
      const named = [...rest!.matchAll(/references "(\w+)"/g)].map(([, other]) => other!);
      const others = [...new Set(named)].filter((other) => !made.has(other));
      // PostgreSQL puts its triggers on the tables that foreign keys point to.
      const isWaitedFor = engine === 'postgres' && others.length > 0;
      return {
        effect: isWaitedFor ? `writes to ${others.join(' and ')} wait for a moment` : NOBODY_WAITS,
        breaks: undefined,
      };
    },
  },
  {
    form: /^create (unique )?index .*? on "(\w+)"/,
    read({ parts: [unique, table], made, engine }) {
      if (made.has(table!)) return { effect: NOBODY_WAITS, breaks: undefined };
      const effect =
        engine === 'postgres' ? `writes to ${table} wait while it is built` : 'writes wait while it is built';
      return { effect, breaks: unique && 'it may refuse rows that the version before writes' };
    },
  },
  {
    form: /^alter table "(\w+)" (add column .*)$/,
    read({ parts: [table, rest], sealedTables }) {
      const columns = rest!.split(/, (?=add column )/).map((column) => readColumn(column));
      const breaks = sealedTables.includes(table!)
        ? 'its rows are sealed as a whole; put the column into a table of its own'
        : columns.find(({ breaks: problem }) => problem !== undefined)?.breaks;
      const isRewritten = columns.some(({ rewrites }) => rewrites);
      return { effect: (isRewritten ? WHILE_REWRITTEN : FOR_A_MOMENT)(table!), breaks };
    },
  },
  {
    form: /^alter table "(\w+)" drop column/,
    read: ({ parts: [table], engine }) => ({
      effect: (engine === 'postgres' ? FOR_A_MOMENT : WHILE_REWRITTEN)(table!),
      breaks: 'the version before reads and writes the column',
    }),
  },
  {
    form: /^alter table "(\w+)" alter column .* set not null/,
    read: ({ parts: [table] }) => ({
      effect: `${table} is locked while every row is read`,
      breaks: 'it refuses rows that the version before writes',
    }),
  },
  {
    form: /^alter table "(\w+)" alter column/,
    read: ({ parts: [table] }) => ({
      effect: WHILE_REWRITTEN(table!),
      breaks: 'the version before expects the column as it was',
    }),
  },
  {
    form: /^alter table "(\w+)" rename/,
    read: ({ parts: [table] }) => ({ effect: FOR_A_MOMENT(table!), breaks: 'the version before knows the old name' }),
  },
  {
    form: /^drop (?:table|index) (?:if exists )?"(\w+)"/,
    read: ({ parts: [name] }) => ({ effect: FOR_A_MOMENT(name!), breaks: 'the version before uses it' }),
  },
  {
    form: /^insert into "(\w+)"/,
    read: ({ parts: [table], made }) => ({
      effect: NOBODY_WAITS,
      breaks: made.has(table!) ? undefined : 'the version before would find rows that it did not write',
    }),
  },
];

function readColumn(column: string): { breaks: string | undefined; rewrites: boolean } {
  const hasDefault = / default /.test(column);
  const isRequired = / not null/.test(column) && !hasDefault;
  const isUnique = / (unique|primary key)\b/.test(column);
  return {
    breaks:
      isRequired || isUnique
        ? 'the version before writes rows without the column, which must be null or have a default'
        : undefined,
    // A constant is kept beside the table; what has to be computed is written into every row.
    rewrites: / default .*\(/.test(column),
  };
}

/** Keeps the text of every query, and answers each with no rows. */
function recordInto(written: string[], engine: Engine): Kysely<Schema> {
  const connection: DatabaseConnection = {
    async executeQuery({ sql }: CompiledQuery) {
      written.push(sql.replaceAll(/\s+/g, ' ').trim());
      return { rows: [] };
    },
    // biome-ignore lint/correctness/useYield: migrations do not stream
    async *streamQuery() {
      throw new Error('a migration does not stream');
    },
  };
  const nothing = async () => {};
  const driver: Driver = {
    init: nothing,
    acquireConnection: async () => connection,
    beginTransaction: nothing,
    commitTransaction: nothing,
    rollbackTransaction: nothing,
    releaseConnection: nothing,
    destroy: nothing,
  };
  const isPostgres = engine === 'postgres';
  return new Kysely<Schema>({
    dialect: {
      createDriver: () => driver,
      createAdapter: () => (isPostgres ? new PostgresAdapter() : new SqliteAdapter()),
      createIntrospector: (db) => (isPostgres ? new PostgresIntrospector(db) : new SqliteIntrospector(db)),
      createQueryCompiler: () => (isPostgres ? new PostgresQueryCompiler() : new SqliteQueryCompiler()),
    },
  });
}
