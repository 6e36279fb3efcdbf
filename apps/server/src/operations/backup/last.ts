// Finds the last backup in the audit log, which all machines of a database share. A restored
// database knows only the backups before the one that it came from.
import type { Clock } from '../../platform/base/clock.ts';
import type { Database, Queries } from '../../platform/database/database.ts';
import type { Metrics } from '../../platform/watch/metrics.ts';
import type { Act } from '../../records/audit/acts.ts';

/** Returns the last finished backup, otherwise the first one that was started, if any. */
export async function findLastBackup(queries: Queries, now: number) {
  const find = (act: Act, order: 'asc' | 'desc') =>
    queries
      .selectFrom('audit_lines')
      .select('at')
      .where('act', '=', act)
      // A line from the future, written by a clock that was ahead, would hide that backups have stopped.
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
) {
  const help = 'Since the last whole backup, or the first attempt at one; absent if limen backup was never run.';
  metrics.addGauge('limen_backup_age_seconds', help, [], async (gauge) => {
    const now = clock.now();
    const last = await findLastBackup(queries, now);
    if (last) gauge.set((now - last.at) / 1000);
  });
}
