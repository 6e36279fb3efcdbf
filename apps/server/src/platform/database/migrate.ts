// Brings the schema up to date at start: all pending migrations in one transaction, under a lock, on both engines.
// Kysely's own migrator is not used because on SQLite it takes no lock and no transaction (docs/adr/0002).
//
// Some migrations seal rows as they find them. Whoever can write to the database could edit rows and then have such a migration run
// once more, by taking it out of `schema_migrations`: so the keyring knows, under the master key, which migration was the last.
import { sql } from 'kysely';
import type { Clock } from '../clock.ts';
import { StartError } from '../errors.ts';
import type { Sealer } from '../sealing/sealer.ts';
import type { Database, Engine, Transaction } from './database.ts';
import { migrations } from './migrations/index.ts';
import type { Migration } from './migrations/migration.ts';
import { ALLOW_LONG_WORK } from './postgres-connections.ts';

/** Any fixed number; every Limen process on one PostgreSQL database uses the same. */
const ADVISORY_LOCK = 0x11_3e_17;

/** The name that the keyring of an up-to-date database has. Names sort in the order of the migrations. */
export const LAST_MIGRATION = migrations.at(-1)!.name;

/** The keyring, within the transaction of the migrations. */
export interface MigrationKeys {
  openSealer(trx: Transaction): Promise<Sealer>;
  /** The last migration that was applied; undefined where there are no keys yet, or of a version that did not keep it. */
  migratedTo(trx: Transaction): Promise<string | undefined>;
  /** Does nothing where there are no keys yet. */
  setMigratedTo(trx: Transaction, name: string): Promise<void>;
}

/** Returns the names of the migrations that were applied. */
export async function migrate(database: Database, clock: Clock, keys: MigrationKeys = WITHOUT_KEYS): Promise<string[]> {
  return database.transact(async (trx) => {
    await lockSchema(trx, database.engine);
    await createMigrationsTable(trx, database.engine);
    const applied = await appliedMigrations(trx);
    refuseNewerSchema(applied);
    const pending = migrations.filter(({ name }) => !applied.includes(name));
    const names = pending.map(({ name }) => name);
    const known = await keys.migratedTo(trx);
    refuseToRepeat(names, known);
    await apply(trx, database.engine, { wanted: pending, keys, now: clock.now() });
    if (known !== LAST_MIGRATION) await keys.setMigratedTo(trx, LAST_MIGRATION);
    return names;
  });
}

/** The tables as they were after a migration, in an empty database, for rows that are put back. */
export async function createTablesAsOf(trx: Transaction, engine: Engine, last: string): Promise<void> {
  await lockSchema(trx, engine);
  await createMigrationsTable(trx, engine);
  const wanted = migrations.filter(({ name }) => name <= last);
  await apply(trx, engine, { wanted, keys: WITHOUT_KEYS, now: 0 });
}

interface Application {
  wanted: readonly Migration[];
  keys: MigrationKeys;
  now: number;
}

async function apply(trx: Transaction, engine: Engine, { wanted, keys, now }: Application): Promise<void> {
  for (const { name, up } of wanted) {
    await up(trx, engine, () => keys.openSealer(trx));
    await trx.insertInto('schema_migrations').values({ name, applied_at: now }).execute();
  }
}

/** Whether this version knows a migration. */
export function isKnownMigration(name: string): boolean {
  return migrations.some((migration) => migration.name === name);
}

async function createMigrationsTable(trx: Transaction, engine: Engine): Promise<void> {
  await trx.schema
    .createTable('schema_migrations')
    .ifNotExists()
    .addColumn('name', 'text', (column) => column.primaryKey())
    .addColumn('applied_at', engine === 'sqlite' ? 'integer' : 'bigint', (column) => column.notNull())
    .execute();
}

/** What `limen doctor` reports; changes nothing. */
export async function pendingMigrations(database: Database): Promise<string[]> {
  const applied = (await hasTable(database, 'schema_migrations')) ? await appliedMigrations(database.queries) : [];
  refuseNewerSchema(applied);
  return migrations.filter(({ name }) => !applied.includes(name)).map(({ name }) => name);
}

/** Whether a table is where our own queries would look for it. */
export async function hasTable(
  { engine, queries }: Pick<Database, 'engine' | 'queries'>,
  table: string,
): Promise<boolean> {
  const { rows } =
    engine === 'postgres'
      ? await sql`select 1 where to_regclass(${table}) is not null`.execute(queries)
      : await sql`select 1 from sqlite_schema where type = 'table' and name = ${table}`.execute(queries);
  return rows.length > 0;
}

/**
 * PostgreSQL waits here for the other processes. SQLite needs nothing: its write transaction, which has begun, is
 * already the lock that all processes share.
 */
export async function lockSchema(trx: Transaction, engine: Engine): Promise<void> {
  if (engine !== 'postgres') return;
  await sql`set local lock_timeout = '5min'`.execute(trx);
  await sql.raw(ALLOW_LONG_WORK).execute(trx);
  await sql`select pg_advisory_xact_lock(${ADVISORY_LOCK})`.execute(trx);
}

/** Throws where one is pending that the keyring says was applied. */
export function refuseToRepeat(pending: readonly string[], migratedTo: string | undefined): void {
  const repeated = migratedTo === undefined ? undefined : pending.find((name) => name <= migratedTo);
  if (repeated === undefined) return;
  throw new StartError(
    `The keyring says that migration ${repeated} was applied, but the table schema_migrations does not list it: somebody has ` +
      'changed that table. Applying it again would seal the rows as they are now, edited ones among them; restore a backup. ' +
      'Nothing was changed.',
  );
}

/** For databases without any. */
const WITHOUT_KEYS: MigrationKeys = {
  openSealer: () => Promise.reject(new Error('this migration needs the keyring')),
  migratedTo: async () => undefined,
  setMigratedTo: async () => {},
};

async function appliedMigrations(db: Database['queries']): Promise<string[]> {
  const rows = await db.selectFrom('schema_migrations').select('name').execute();
  return rows.map(({ name }) => name);
}

function refuseNewerSchema(applied: string[]): void {
  const unknown = applied.find((name) => !isKnownMigration(name));
  if (unknown !== undefined) {
    throw new StartError(
      `The database was written by a newer Limen (migration ${unknown}); start that version or restore a backup. ` +
        'Nothing was changed.',
    );
  }
}
