// Whether the service can do its work: the database must answer, and soon.
import type { Health } from '@limen/contract';
import type { Database } from '../../platform/database/database.ts';
import { SERVICE, VERSION } from '../../platform/version.ts';

const PATIENCE_MS = 2_000;

export async function checkHealth(database: Database, uptimeSeconds: number): Promise<Health> {
  const status = (await answers(database)) ? 'ok' : 'unavailable';
  return { status, service: SERVICE, version: VERSION, uptimeSeconds };
}

/** True when the database answered in time. */
export async function answers(database: Database): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<false>((resolve) => {
    timer = setTimeout(resolve, PATIENCE_MS, false);
  });
  const answered = database.ping().then(
    () => true,
    () => false,
  );
  try {
    return await Promise.race([answered, late]);
  } finally {
    clearTimeout(timer);
  }
}
