// How long ago the last whole backup was finished, by what is in the audit log: the same for every machine of a database, wherever the
// backup was taken. A restored database knows of those before the one that it came from, and so never of one that it has not got.
import type { Clock } from '../../platform/base/clock.ts';
import type { Database, Queries } from '../../platform/database/database.ts';
import type { Metrics } from '../../platform/watch/metrics.ts';
import type { Act } from '../../records/audit/acts.ts';

export interface LastBackup {
  at: number;
  /** False where none was ever finished: then it is when the first one was begun. */
  isWhole: boolean;
}

/** Undefined where none was ever begun with Limen. */
export async function findLastBackup(queries: Queries, now: number): Promise<LastBackup | undefined> {
  const find = (act: Act, order: 'asc' | 'desc') =>
    queries
      .selectFrom('audit_lines')
      .select('at')
      .where('act', '=', act)
      // A line from the future, by a clock that was ahead, would hide for as long that there are no more backups.
      .where('at', '<=', now)
      .orderBy('seq', order)
      .limit(1)
      .executeTakeFirst();
  const finished = await find('backup.finish', 'desc');
  if (finished) return { at: finished.at, isWhole: true };
  const begun = await find('backup.take', 'asc');
  return begun && { at: begun.at, isWhole: false };
}

export function addBackupMetrics(
  metrics: Pick<Metrics, 'addGauge'>,
  { queries }: Pick<Database, 'queries'>,
  clock: Clock,
): void {
  const help = 'Since the last whole backup, or the first attempt at one; not there where limen backup was never run.';
  metrics.addGauge('limen_backup_age_seconds', help, [], async (gauge) => {
    const now = clock.now();
    const last = await findLastBackup(queries, now);
    if (last) gauge.set((now - last.at) / 1000);
  });
}
