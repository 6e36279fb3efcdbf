// Checks the database: it answers, is sound, and has the schema of this version.
import { statSync } from 'node:fs';
import { sql } from 'kysely';
import { openForReading } from '../../../command-line/read-only.ts';
import { describeFailure } from '../../../command-line/terminal/describe-failure.ts';
import type { Config } from '../../../config.ts';
import { type Database, sqliteFile } from '../../../platform/database/database.ts';
import { hasTable, pendingMigrations } from '../../../platform/database/migrate.ts';
import { formatBytes } from '../../../platform/files/free-space.ts';
import { type JobCounts, JobStore } from '../../../platform/jobs/store.ts';
import { formatCount } from '../../../platform/text/count-of.ts';
import {
  DATABASE_SILENT,
  type DatabaseFacts,
  type DoctorCheck,
  type DoctorFinding,
  failure,
  findTable,
  ok,
  warning,
} from './check.ts';

/** Oldest version that still gets fixes */
const OLDEST_POSTGRES = 140_000;

export const checkDatabase: DoctorCheck = async ({ config, database: facts }) => {
  if (facts.state === 'absent') return [ok('no database file yet; it will be created at the first start')];
  if (facts.state === 'silent') {
    const remedy =
      'the start will fail in the same way; see docs/reference/configuration.md for DATABASE_URL and DATA_DIR';
    return [failure(facts.problem, remedy)];
  }
  const { database } = facts;
  const engine =
    database.engine === 'sqlite' ? await checkFile(database, config.DATA_DIR) : await checkServer(database);
  return [...engine, await checkSchema(database)];
};

async function checkFile(database: Database, dataDir: string): Promise<DoctorFinding[]> {
  const file = sqliteFile(dataDir);
  const { rows } = await sql<{ quick_check: string }>`pragma quick_check`.execute(database.queries);
  const isSound = rows.length === 1 && rows[0]?.quick_check === 'ok';
  return [
    isSound
      ? ok(`SQLite file of ${formatBytes(statSync(file).size)}, sound (quick_check)`)
      : failure(`the SQLite file is damaged: quick_check found ${rows.length} faults`, `restore a backup of ${file}`),
  ];
}

async function checkServer(database: Database): Promise<DoctorFinding[]> {
  const { rows } = await sql<ServerFacts>`
    select
      current_setting('server_version') as version,
      current_setting('server_version_num')::int as number,
      current_setting('server_encoding') as encoding,
      current_setting('transaction_read_only')::boolean as "isReadOnly"
  `.execute(database.queries);
  return rows.flatMap(judgeServer);
}

interface ServerFacts {
  version: string;
  number: number;
  encoding: string;
  /** True on a standby, too */
  isReadOnly: boolean;
}

export function judgeServer({ version, number, encoding, isReadOnly }: ServerFacts): DoctorFinding[] {
  const found = `PostgreSQL ${version} answers`;
  const findings = [
    number < OLDEST_POSTGRES ? warning(found, `upgrade to PostgreSQL ${OLDEST_POSTGRES / 10_000} or newer`) : ok(found),
  ];
  if (encoding !== 'UTF8') {
    const remedy = 'create it with: createdb --encoding=UTF8 --template=template0';
    findings.push(failure(`the database is in ${encoding}`, remedy));
  }
  if (isReadOnly) {
    const remedy = 'see "Read-only after a fail-over" in docs/runbooks.md; until then requests get 503';
    findings.push(failure('the database is read-only', remedy));
  }
  return findings;
}

async function checkSchema(database: Database): Promise<DoctorFinding> {
  const pending = await pendingMigrations(database); // throws if the schema is newer
  if (!(await hasTable(database, 'schema_migrations')))
    return ok('empty; its tables will be created at the first start');
  if (pending.length === 0) return ok('the schema is up to date');
  const found = `${formatCount(pending.length, 'pending migration')}: ${pending.join(', ')}`;
  return warning(found, 'back up the database, then start the server, which applies them');
}

export const checkJobs: DoctorCheck = async (facts) => {
  if (facts.database.state === 'silent') return [DATABASE_SILENT];
  const database = await findTable(facts, 'jobs');
  return [database ? judgeJobs(await new JobStore(database).countByKind()) : ok('none yet')];
};

export function judgeJobs(counts: readonly JobCounts[]): DoctorFinding {
  const dead = counts.filter((count) => count.dead > 0);
  if (dead.length === 0) return ok('none is dead');
  const kinds = dead.map(({ kind, dead: number }) => `${number} ${kind}`).join(', ');
  return warning(`dead: ${kinds}`, 'see limen jobs list --dead, fix the cause, then: limen jobs retry ID');
}

export async function probeDatabase(config: Config): Promise<DatabaseFacts> {
  let database: Database | undefined;
  try {
    database = openForReading(config);
    if (!database) return { state: 'absent' };
    // SQLite reads the file only with a query for its contents.
    await (database.engine === 'sqlite' ? sql`pragma schema_version` : sql`select 1`).execute(database.queries);
    return { state: 'answers', database };
  } catch (error) {
    await database?.close();
    return { state: 'silent', problem: describeFailure(error) };
  }
}
