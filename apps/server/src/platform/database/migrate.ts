// Brings the schema up to date: pending migrations in their order and in one transaction, under a lock, on both engines.
// Kysely's own migrator is not used because on SQLite it takes no lock and no transaction (docs/adr/0002).
//
// A start stops before the contract migrations at the end: processes of the version before may need what those take away
// (docs/adr/0023). Contract migrations of an earlier release come before the expand ones of this release, and go with them.
//
// No migration runs twice, even if someone removes its row from `schema_migrations`: the keyring knows, under the master key, which
// migration was the last.
import { setTimeout as pause } from 'node:timers/promises';
import { sql } from 'kysely';
import type { Clock } from '../base/clock.ts';
import { isLockedOut, lacksRight } from '../base/database-failures.ts';
import { StartError } from '../base/errors.ts';
import type { Database, Engine, Transaction } from './database.ts';
import { migrations as allMigrations, type Migration, runSql } from './migrations/migrations.ts';
import { ALLOW_LONG_WORK } from './postgres-connections.ts';
import { livingProcesses, nameProcess } from './processes.ts';
import type { Schema } from './schema.ts';

/** Any fixed number; every Limen process on one PostgreSQL database uses the same. */
const ADVISORY_LOCK = 0x11_3e_17;

/** The last that this version knows. Names sort in the order of the migrations. */
export const LAST_MIGRATION = allMigrations.at(-1)!.name;

/** The first migration of the versions before the baseline. */
const FIRST_BEFORE_BASELINE = '0001-foundation';

/** The keyring's note of the last migration, within the transaction of the migrations. */
export interface MigrationNote {
  /** Returns the last migration that was applied; undefined if there are no keys yet. */
  read(trx: Transaction): Promise<string | undefined>;
  /** Does nothing if there are no keys yet. */
  write(trx: Transaction, name: string): Promise<void>;
}

interface MigrateOptions {
  /** Whether the contract migrations at the end are applied too. */
  contract?: boolean;
  /** Other than this version's, in a test. */
  migrations?: readonly Migration[];
  /** How long a migration waits for a table that somebody holds, before it lets those behind it pass and tries again. */
  lockMs?: number;
  /** How often it tries. */
  maxTries?: number;
}

/** While a change of a table waits for those who hold it, everybody who comes later waits behind it. */
const LOCK_MS = 2_000;
const MAX_TRIES = 30;
const BETWEEN_TRIES_MS = 250;
const TABLES_HELD =
  'A migration has to change a table that others held for as long as it tried: a backup that is being taken (limen backup, pg_dump), or a long ' +
  'query of another tool; pg_stat_activity says whose. Nothing was changed. Wait until that is done, then start again.';

/** Returns the names of the migrations that were applied. */
export async function migrate(
  database: Database,
  clock: Clock,
  note?: MigrationNote,
  { contract = false, migrations = allMigrations, lockMs = LOCK_MS, maxTries = MAX_TRIES }: MigrateOptions = {},
): Promise<string[]> {
  for (let tries = 1; ; tries += 1) {
    let isOurTurn = false;
    try {
      return await database.transact(async (trx) => {
        await lockSchema(trx, database.engine);
        isOurTurn = true;
        if (database.engine === 'postgres') await sql.raw(`set local lock_timeout = ${lockMs}`).execute(trx);
        return migrateNow(trx, { engine: database.engine, now: clock.now(), note, contract, migrations });
      });
    } catch (error) {
      if (lacksRight(error)) throw new StartError(explainMissingRight(error), { cause: error });
      if (!isOurTurn || !isLockedOut(error)) throw error;
      if (tries >= maxTries) throw new StartError(TABLES_HELD, { cause: error });
      await pause(BETWEEN_TRIES_MS);
    }
  }
}

/** PostgreSQL's own sentence names a table or a schema, and never a value. */
function explainMissingRight({ message }: Error): string {
  return (
    `PostgreSQL refused to bring the schema up to date: ${message}. Nothing was changed. Run "limen migrate" with the account that owns ` +
    'the tables in DATABASE_URL, or give the account of the service the rights in docs/deployment.md (PostgreSQL), then start again.'
  );
}

type MigrationRun = Required<Pick<MigrateOptions, 'contract' | 'migrations'>> & {
  engine: Engine;
  now: number;
  note: MigrationNote | undefined;
};

async function migrateNow(trx: Transaction, run: MigrationRun): Promise<string[]> {
  const { engine, now, note, migrations } = run;
  await createMigrationsTable(trx, engine);
  const applied = await appliedMigrations(trx);
  refuseUnknownSchema(applied, migrations);
  const wanted = choose(applied, run);
  const known = await note?.read(trx);
  refuseToRepeat(namesOf(wanted), known);
  if (applied.length > 0) await refuseToBreakOthers({ engine, queries: trx }, wanted, now);
  await apply(trx, engine, wanted, now);
  const last = [...namesOf(applied), ...namesOf(wanted)].sort().at(-1);
  if (last !== undefined && (known === undefined || known < last)) await note?.write(trx, last);
  return namesOf(wanted);
}

/** An empty database gets all of them: nobody works on it. */
function choose(applied: readonly Applied[], { contract, migrations }: Pick<MigrationRun, 'contract' | 'migrations'>) {
  const { atStart, later } = sortPending(applied, migrations);
  return contract || applied.length === 0 ? [...atStart, ...later] : atStart;
}

export interface PendingMigrations {
  /** A start applies these. */
  atStart: Migration[];
  /** Contract migrations, for when no earlier version runs any more. */
  later: Migration[];
}

function sortPending(applied: readonly Applied[], migrations: readonly Migration[]): PendingMigrations {
  const names = new Set(namesOf(applied));
  const pending = migrations.filter(({ name }) => !names.has(name));
  const end = pending.findLastIndex(({ phase }) => phase !== 'contract') + 1;
  return { atStart: pending.slice(0, end), later: pending.slice(end) };
}

/** Throws where a process runs that does not know of a contract migration: it needs what that takes away. */
async function refuseToBreakOthers(
  database: Pick<Database, 'engine' | 'queries'>,
  wanted: readonly Migration[],
  now: number,
): Promise<void> {
  const last = wanted.findLast(({ phase }) => phase === 'contract')?.name;
  if (last === undefined) return;
  const older = (await livingProcesses(database, now)).find(({ knows }) => knows < last);
  if (!older) return;
  throw new StartError(
    `Migration ${last} takes away what an earlier Limen needs, and one is running: ${nameProcess(older)} of version ${older.version}, which knows ` +
      `the migrations up to ${older.knows}, last seen ${new Date(older.seen_at).toISOString()}. Stop it first. One that was killed is ` +
      'forgotten after a minute. None of it was taken away.',
  );
}

/** The tables as they were after a migration, in an empty database, for rows that are put back. */
export async function createTablesAsOf(trx: Transaction, engine: Engine, last: string): Promise<void> {
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

/** Whether these are migrations of the versions before the baseline, which this version does not bring up to date. */
export function areBeforeBaseline(names: readonly string[]): boolean {
  return names.includes(FIRST_BEFORE_BASELINE);
}

/** Whether this version knows a migration. */
export function isKnownMigration(name: string): boolean {
  return allMigrations.some((migration) => migration.name === name);
}

/** The first thing that is written to a database, so it is also the moment to see whose that is. */
async function createMigrationsTable(trx: Transaction, engine: Engine): Promise<void> {
  // Asked first: an account that may not create tables is refused even if the table is there.
  if (await hasTable({ engine, queries: trx }, 'schema_migrations')) return;
  if (await hasTable({ engine, queries: trx }, 'enrol_keys')) {
    throw new StartError(
      'DATABASE_URL names the key-holder’s own database: whoever got a copy of it would have tokens and keys. Give the service a ' +
        'database of its own. Nothing was changed.',
    );
  }
  const table =
    'create table schema_migrations (name text primary key, applied_at INTEGER not null, phase text not null);';
  await runSql(trx, engine, table);
}

/** What would be done; changes nothing. */
export async function planMigrations(
  database: Database,
  migrations: readonly Migration[] = allMigrations,
): Promise<PendingMigrations> {
  const applied = (await hasTable(database, 'schema_migrations')) ? await appliedMigrations(database.queries) : [];
  refuseUnknownSchema(applied, migrations);
  const { atStart, later } = sortPending(applied, migrations);
  return applied.length === 0 ? { atStart: [...atStart, ...later], later: [] } : { atStart, later };
}

/** The names of those that a start applies. */
export async function pendingMigrations(database: Database): Promise<string[]> {
  return namesOf((await planMigrations(database)).atStart);
}

/** Migrations of a newer version that this one can live with, but knows nothing of. */
export async function unknownMigrations(database: Database): Promise<string[]> {
  return namesOf(await appliedMigrations(database.queries)).filter((name) => !isKnownMigration(name));
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
      'changed that table. Restore a backup. Nothing was changed.',
  );
}

type Applied = Schema['schema_migrations'];

/** The last one that the tables have seen; contract migrations may be left. */
export async function lastApplied(db: Database['queries']): Promise<string> {
  return (
    namesOf(await appliedMigrations(db))
      .sort()
      .at(-1) ?? LAST_MIGRATION
  );
}

async function appliedMigrations(db: Database['queries']): Promise<Applied[]> {
  return db.selectFrom('schema_migrations').selectAll().execute();
}

/** Throws if a newer version took something away, or if the tables are older than the baseline. Additions of a newer version are fine. */
function refuseUnknownSchema(applied: readonly Applied[], migrations: readonly Migration[]): void {
  if (areBeforeBaseline(namesOf(applied))) {
    throw new StartError(
      'This database was made by a version before 0.1.0, which this version cannot bring up to date: name an empty folder in DATA_DIR, or an ' +
        'empty database in DATABASE_URL, and create keys, people and operators again. Nothing was changed.',
    );
  }
  const known = new Set(namesOf(migrations));
  const unknown = applied.find(({ name, phase }) => !known.has(name) && phase !== 'expand');
  if (unknown !== undefined) {
    throw new StartError(
      `The database was written by a newer Limen (migration ${unknown.name}); start that version or restore a backup. ` +
        'Nothing was changed.',
    );
  }
}

function namesOf(migrations: readonly Pick<Migration, 'name'>[]): string[] {
  return migrations.map(({ name }) => name);
}
