// Types and helpers of the doctor's checks.
import { statSync } from 'node:fs';
import type { Config } from '../../../config.ts';
import type { Clock } from '../../../platform/base/clock.ts';
import type { Database } from '../../../platform/database/database.ts';
import { hasTable } from '../../../platform/database/migrate.ts';

export interface DoctorFinding {
  level: 'ok' | 'warning' | 'failure';
  /** Sentence without secrets */
  found: string;
  remedy?: string;
}

export interface Facts {
  config: Config;
  clock: Clock;
  database: DatabaseFacts;
}

/** The database is open for reading only, does not exist yet, or cannot be used. */
export type DatabaseFacts =
  | { state: 'answers'; database: Database }
  | { state: 'absent' }
  | { state: 'silent'; problem: string };

export type DoctorCheck = (facts: Facts) => Promise<DoctorFinding[]>;

export function ok(found: string): DoctorFinding {
  return { level: 'ok', found };
}

export function warning(found: string, remedy: string): DoctorFinding {
  return { level: 'warning', found, remedy };
}

export function failure(found: string, remedy: string): DoctorFinding {
  return { level: 'failure', found, remedy };
}

/** Finding of checks that need the database. Its own check names the problem. */
export const DATABASE_SILENT = warning('not checked, because the database does not answer', 'see above');

/** Returns the database if it answers and has this table. */
export async function findTable({ database: facts }: Pick<Facts, 'database'>, table: string) {
  return facts.state === 'answers' && (await hasTable(facts.database, table)) ? facts.database : undefined;
}

export function judgePrivacy(path: string, which: string, remedy: string): DoctorFinding[] {
  const mode = statSync(path).mode & 0o777;
  if (process.platform === 'win32' || (mode & 0o077) === 0) return [];
  return [warning(`other users of this machine can read ${which} (mode ${mode.toString(8)})`, remedy)];
}
