// Whether the service can do its work: the database must answer soon, and take writes.
import type { Health } from '@limen/contract';
import { isReadOnly } from '../../platform/base/database-failures.ts';
import { SERVICE, VERSION } from '../../platform/base/version.ts';
import type { Database } from '../../platform/database/database.ts';

const PATIENCE_MS = 2_000;
const SILENT = 'does not answer';

export async function checkHealth(database: Database, uptimeSeconds: number): Promise<Health> {
  const status = (await findProblem(database)) === undefined ? 'ok' : 'unavailable';
  return { status, service: SERVICE, version: VERSION, uptimeSeconds };
}

/** Returns why the database cannot be used; undefined when it answered in time. */
export async function findProblem(database: Database): Promise<string | undefined> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<string>((resolve) => {
    timer = setTimeout(resolve, PATIENCE_MS, SILENT);
  });
  const answered = database.ping().then(
    () => undefined,
    (error: Error) => (isReadOnly(error) ? error.message : SILENT),
  );
  try {
    return await Promise.race([answered, late]);
  } finally {
    clearTimeout(timer);
  }
}
