// Brings the schema up to date: applies pending migrations in order, in one transaction and under a lock, on both engines.
// Kysely's own migrator is not used because on SQLite it takes no lock and no transaction (docs/decisions.md#two-databases).
//
// A start stops before the contract migrations at the end, because processes of the previous version may still need what those remove
// (docs/decisions.md#migrations-in-two-phases). Contract migrations of an earlier release precede the expand migrations of this one, and are applied with them.
//
// No migration runs twice, even if someone removes its row from `schema_migrations`: the keyring stores the name of the last one under
// the master key.
import { setTimeout as pause } from 'node:timers/promises';
import { sql } from 'kysely';
import type { Clock } from '../base/clock.ts';
import { isLockedOut, lacksRight } from '../base/database-failures.ts';
import { StartError } from '../base/errors.ts';
import type { Database, Engine, QueriedDatabase, Transaction } from './database.ts';
import { migrations as allMigrations, type Migration, runSql } from './migrations/migrations.ts';
import { ALLOW_LONG_WORK } from './postgres-connections.ts';
import { livingProcesses, nameProcess } from './processes.ts';
import type { Schema } from './schema.ts';

/** Arbitrary number that all Limen processes on one PostgreSQL database share. */
const ADVISORY_LOCK = 0x11_3e_17;
/** Maximum wait for a table lock. Everyone who needs the table queues after a waiting migration. */
const LOCK_MS = 2_000;
const MAX_TRIES = 30;
const BETWEEN_TRIES_MS = 250;
const FIRST_BEFORE_BASELINE = '0001-foundation';

/** Name of the last migration of this version. Names sort in the order of the migrations. */
export const LAST_MIGRATION = allMigrations.at(-1)!.name;

/** Note of the last migration in the keyring, read and written in the transaction of the migrations. */
export interface MigrationNote {
  read(trx: Transaction): Promise<string | undefined>;
  write(trx: Transaction, name: string): Promise<void>;
}

type AppliedMigration = Schema['schema_migrations'];
const LOCK_TIMEOUT_MESSAGE =
  'A migration timed out waiting for a table lock, held by a backup (limen backup, pg_dump), or a long ' +
  'query of another tool; pg_stat_activity shows which. Nothing was changed. Wait until it ends, then start again.';

/** Applies the pending migrations, with `contract` those at the end too. Returns their names. */
export async function migrate(
  database: Database,
  clock: Clock,
  note?: MigrationNote,
  { contract = false, migrations = allMigrations, lockMs = LOCK_MS, maxTries = MAX_TRIES } = {},
): Promise<string[]> {
  const { engine } = database;
  for (let tries = 1; ; tries += 1) {
    let hasSchemaLock = false;
    try {
      return await database.transact(async (trx) => {
        await lockSchema(trx, engine);
        hasSchemaLock = true;
        if (engine === 'postgres') await sql.raw(`set local lock_timeout = ${lockMs}`).execute(trx);
        await createMigrationsTable(trx, engine);
        const applied = await appliedMigrations(trx);
        const { atStart, later } = findPending(applied, migrations);
        const wanted = contract ? [...atStart, ...later] : atStart;
        const names = listNames(wanted);
        const known = await note?.read(trx);
        throwIfAlreadyApplied(names, known);
        const now = clock.now();
        if (applied.length > 0) await throwIfOldProcessRuns({ engine, queries: trx }, wanted, now);
        await apply(trx, engine, wanted, now);
        const last = [...listNames(applied), ...names].sort().at(-1);
        if (last !== undefined && (known === undefined || known < last)) await note?.write(trx, last);
        return names;
      });
    } catch (error) {
      if (lacksRight(error)) {
        // PostgreSQL's message names a table or a schema, and never a value.
        const explanation =
          `PostgreSQL refused to migrate the schema: ${error.message}. Nothing was changed. Run "limen migrate" with the account that owns ` +
          'the tables in DATABASE_URL, or give the account of the service the rights in docs/deployment.md (PostgreSQL), then start again.';
        throw new StartError(explanation, { cause: error });
      }
      if (!hasSchemaLock || !isLockedOut(error)) throw error;
      if (tries >= maxTries) throw new StartError(LOCK_TIMEOUT_MESSAGE, { cause: error });
      await pause(BETWEEN_TRIES_MS);
    }
  }
}

/** Returns the migrations of a start, and the contract migrations for later. An empty database gets all of them at once. */
function findPending(applied: readonly AppliedMigration[], migrations: readonly Migration[]) {
  refuseUnknownSchema(applied, migrations);
  const names = new Set(listNames(applied));
  const pending = migrations.filter(({ name }) => !names.has(name));
  const isEmpty = applied.length === 0;
  const end = isEmpty ? pending.length : pending.findLastIndex(({ phase }) => phase !== 'contract') + 1;
  return { atStart: pending.slice(0, end), later: pending.slice(end) };
}

/** Throws if a process runs that does not know a contract migration, and so needs what it removes. */
async function throwIfOldProcessRuns(
  database: QueriedDatabase,
  wanted: readonly Migration[],
  now: number,
): Promise<void> {
  const last = wanted.findLast(({ phase }) => phase === 'contract')?.name;
  if (last === undefined) return;
  const older = (await livingProcesses(database, now)).find(({ knows }) => knows < last);
  if (!older) return;
  throw new StartError(
    `Migration ${last} removes what an earlier Limen needs, and one is running: ${nameProcess(older)} of version ${older.version}, which knows ` +
      `the migrations up to ${older.knows}, last seen ${new Date(older.seen_at).toISOString()}. Stop it first. One that was killed is ` +
      'forgotten after a minute. Nothing was removed.',
  );
}

/** Creates the tables of an older schema in an empty database, for a restore. */
export async function createTablesUpTo(trx: Transaction, engine: Engine, last: string): Promise<void> {
  await lockSchema(trx, engine);
  await createMigrationsTable(trx, engine);
  const wanted = allMigrations.filter(({ name }) => name <= last);
  await apply(trx, engine, wanted, 0);
}

async function apply(trx: Transaction, engine: Engine, wanted: readonly Migration[], now: number): Promise<void> {
  for (const { name, phase, up } of wanted) {
    await up(trx, engine);
    await trx.insertInto('schema_migrations').values({ name, applied_at: now, phase }).execute();
  }
}

/** Whether these are migrations of versions before the baseline, which this version cannot upgrade. */
export function areBeforeBaseline(names: readonly string[]): boolean {
  return names.includes(FIRST_BEFORE_BASELINE);
}

export function isKnownMigration(name: string): boolean {
  return allMigrations.some((migration) => migration.name === name);
}

/** Creates the first table, so this is also the moment to check whose database it is. */
async function createMigrationsTable(trx: Transaction, engine: Engine): Promise<void> {
  // Checked first: an account without the right to create tables is refused even if the table exists.
  if (await hasTable({ engine, queries: trx }, 'schema_migrations')) return;
  if (await hasTable({ engine, queries: trx }, 'enrol_keys')) {
    throw new StartError(
      'DATABASE_URL is the key-holder’s own database, so one stolen copy would hold both tokens and keys. Give the service a ' +
        'database of its own. Nothing was changed.',
    );
  }
  const table =
    'create table schema_migrations (name text primary key, applied_at INTEGER not null, phase text not null);';
  await runSql(trx, engine, table);
}

export async function planMigrations(database: QueriedDatabase, migrations: readonly Migration[] = allMigrations) {
  const applied = (await hasTable(database, 'schema_migrations')) ? await appliedMigrations(database.queries) : [];
  return findPending(applied, migrations);
}

export async function pendingMigrations(database: QueriedDatabase): Promise<string[]> {
  return listNames((await planMigrations(database)).atStart);
}

/** Returns the names of a newer version's migrations that this version tolerates. */
export async function unknownMigrations({ queries }: QueriedDatabase): Promise<string[]> {
  return listNames(await appliedMigrations(queries)).filter((name) => !isKnownMigration(name));
}

export async function hasTable({ engine, queries }: QueriedDatabase, table: string): Promise<boolean> {
  const { rows } =
    engine === 'postgres'
      ? await sql`select 1 where to_regclass(${table}) is not null`.execute(queries)
      : await sql`select 1 from sqlite_schema where type = 'table' and name = ${table}`.execute(queries);
  return rows.length > 0;
}

/** Waits for other processes on PostgreSQL. On SQLite, the write transaction is already the lock that all processes share. */
export async function lockSchema(trx: Transaction, engine: Engine): Promise<void> {
  if (engine !== 'postgres') return;
  await sql`set local lock_timeout = '5min'`.execute(trx);
  await sql.raw(ALLOW_LONG_WORK).execute(trx);
  await sql`select pg_advisory_xact_lock(${ADVISORY_LOCK})`.execute(trx);
}

/** Throws if the keyring says that a pending migration was applied. */
export function throwIfAlreadyApplied(pending: readonly string[], migratedTo: string | undefined): void {
  const repeated = migratedTo === undefined ? undefined : pending.find((name) => name <= migratedTo);
  if (repeated === undefined) return;
  throw new StartError(
    `The keyring says that migration ${repeated} was applied, but the table schema_migrations does not list it, ` +
      'so the table was edited. Restore a backup. Nothing was changed.',
  );
}

export async function lastApplied(db: Database['queries']): Promise<string> {
  const names = listNames(await appliedMigrations(db));
  return names.sort().at(-1) ?? LAST_MIGRATION;
}

async function appliedMigrations(db: Database['queries']): Promise<AppliedMigration[]> {
  return db.selectFrom('schema_migrations').selectAll().execute();
}

/** Throws if a newer version removed something, or if the tables are older than the baseline. Additions of a newer version are fine. */
function refuseUnknownSchema(applied: readonly AppliedMigration[], migrations: readonly Migration[]): void {
  if (areBeforeBaseline(listNames(applied))) {
    throw new StartError(
      'This database was made by a version before 0.1.0, which this version cannot migrate: name an empty folder in DATA_DIR, or an ' +
        'empty database in DATABASE_URL, and create keys, people and operators again. Nothing was changed.',
    );
  }
  const known = new Set(listNames(migrations));
  const unknown = applied.find(({ name, phase }) => !known.has(name) && phase !== 'expand');
  if (unknown !== undefined) {
    throw new StartError(
      `The database was written by a newer Limen (migration ${unknown.name}); start that version or restore a backup. ` +
        'Nothing was changed.',
    );
  }
}

function listNames(migrations: readonly Pick<Migration, 'name'>[]): string[] {
  return migrations.map(({ name }) => name);
}
