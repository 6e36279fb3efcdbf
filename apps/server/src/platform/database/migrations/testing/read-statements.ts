// Parses the statements of a migration without running them, and finds those that break the
// previous version.
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
import type { Engine } from '../../database.ts';
import type { Schema } from '../../schema.ts';
import type { Migration } from '../migrations.ts';

export interface Statement {
  sql: string;
  /** Reason why the previous version cannot work with it; undefined if it can. */
  breaks: string | undefined;
}

interface Rules {
  engine: Engine;
  /**
   * Tables whose rows have a seal over all columns. An added column breaks every seal for the
   * previous version.
   */
  sealedTables: readonly string[];
}

export async function readStatements({ up }: Migration, { engine, sealedTables }: Rules): Promise<Statement[]> {
  const written: string[] = [];
  const queries = recordInto(written, engine);
  await queries.transaction().execute((trx) => up(trx, engine));
  const made = new Set<string>();
  return written.map((sql) => {
    const found = KINDS.flatMap(({ form, read }) => {
      const match = form.exec(sql);
      return match ? [{ breaks: read({ parts: match.slice(1), sealedTables, made }) }] : [];
    })[0];
    return { sql, breaks: found ? found.breaks : 'no rule covers this kind of statement' };
  });
}

interface ReadStatement {
  parts: string[];
  sealedTables: readonly string[];
  /** Tables that this migration creates, which no process uses yet. */
  made: Set<string>;
}

interface Kind {
  form: RegExp;
  read(found: ReadStatement): Statement['breaks'];
}

const KINDS: Kind[] = [
  {
    form: /^create table (?:if not exists )?"?(\w+)"?/,
    read({ parts: [table], made }) {
      made.add(table!);
      return undefined;
    },
  },
  {
    form: /^create (unique )?index .*? on "?(\w+)"?/,
    read: ({ parts: [unique, table], made }) =>
      unique && !made.has(table!) ? 'it may refuse rows that the version before writes' : undefined,
  },
  {
    form: /^alter table "?(\w+)"? (add column .*)$/,
    read: ({ parts: [table, rest], sealedTables }) =>
      sealedTables.includes(table!)
        ? 'its rows are sealed as a whole; put the column into a table of its own'
        : rest!.split(/, (?=add column )/).some(refusesOldRows)
          ? 'the version before writes rows without the column, which must be null or have a default'
          : undefined,
  },
  { form: /^alter table "?\w+"? drop column/, read: () => 'the version before reads and writes the column' },
  {
    form: /^alter table "?\w+"? alter column .* set not null/,
    read: () => 'it refuses rows that the version before writes',
  },
  { form: /^alter table "?\w+"? alter column/, read: () => 'the version before expects the column as it was' },
  { form: /^alter table "?\w+"? rename/, read: () => 'the version before knows the old name' },
  { form: /^drop (?:table|index) /, read: () => 'the version before uses it' },
  {
    form: /^insert into "?(\w+)"?/,
    read: ({ parts: [table], made }) =>
      made.has(table!) ? undefined : 'the version before would find rows that it did not write',
  },
];

function refusesOldRows(column: string): boolean {
  const isRequired = / not null/.test(column) && !/ default /.test(column);
  return isRequired || / (unique|primary key)\b/.test(column);
}

/** Records the text of every query, and returns no rows. */
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
