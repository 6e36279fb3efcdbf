// Refreshes the lists of this machine at an interval, one after the other.
import { isDue, type Refreshing, type RefreshTuning, startRefreshing } from '../../../platform/async/refreshing.ts';
import type { Clock } from '../../../platform/base/clock.ts';
import { createListOutbound } from '../../../platform/outbound/lists.ts';
import type { DatasetFolder } from '../folder/folder.ts';
import { describeProblem } from './files.ts';
import { syncDataset } from './sync.ts';

interface ScheduledSyncOptions extends RefreshTuning {
  folder: DatasetFolder;
  hours: number;
  clock: Clock;
  log: Record<'info' | 'warn', (fields: Record<string, unknown>, message: string) => void>;
}

/** With 0 hours, never refreshes. */
export function startScheduledSync(options: ScheduledSyncOptions): Refreshing {
  return startRefreshing(options.hours, (signal) => refreshDue(options, signal), options);
}

/** Returns whether every list that was due could be refreshed. */
async function refreshDue({ folder, hours, clock, log }: ScheduledSyncOptions, signal: AbortSignal): Promise<boolean> {
  const outbound = createListOutbound();
  let allWell = true;
  try {
    for (const info of await folder.remembered()) {
      signal.throwIfAborted();
      const { name } = info;
      if (!info.sync) continue;
      // A list that cannot be searched does not wait for its time.
      const isWaiting = !isDue(info.sync.checkedAt, hours, clock.now());
      if (isWaiting && (await folder.examineIndex(info, 'head')) === undefined) continue;
      try {
        const outcome = await syncDataset(name, { folder, outbound, clock }, { signal, known: true });
        const { version, entityCount } = outcome.info;
        const fields = { dataset: name, version, entities: entityCount };
        if (outcome.state === 'unchanged') log.info(fields, 'dataset is up to date');
        else log.info({ ...fields, how: outcome.how, problems: outcome.report.problemCount }, 'dataset was refreshed');
      } catch (error) {
        signal.throwIfAborted();
        allWell = false;
        log.warn(
          { dataset: name, reason: describeReason(error) },
          'dataset could not be refreshed; the old list stays',
        );
      }
    }
  } catch (error) {
    signal.throwIfAborted();
    allWell = false;
    log.warn({ reason: describeReason(error) }, 'datasets could not be refreshed');
  } finally {
    await outbound.close();
  }
  return allWell;
}

/** Reports an error without a sentence of ours by class and code only. */
function describeReason(error: unknown): string {
  const { name, code } = (error ?? {}) as { name?: string; code?: string };
  return describeProblem(error) ?? [name, code].filter(Boolean).join(' ');
}
