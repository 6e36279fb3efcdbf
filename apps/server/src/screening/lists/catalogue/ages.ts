// Reports in /ready and in the metrics how old the lists are.
import type { Context } from '../../../platform/context.ts';
import { describeAge } from '../../../platform/text/count-of.ts';
import { READY } from '../../../platform/watch/readiness.ts';
import type { DatasetInfo } from '../folder/folder.ts';
import type { Catalogue } from './catalogue.ts';

/** `syncHours` is the time between two refreshes of the lists; 0 means never. */
export function watchDatasetAges(
  {
    clock,
    metrics,
    readiness,
  }: Pick<Context, 'clock' | 'readiness'> & { metrics: Pick<Context['metrics'], 'addGauge'> },
  catalogue: Pick<Catalogue, 'lists' | 'progress' | 'unread'>,
  syncHours: number,
): void {
  readiness.add('datasets', () => {
    const progress = catalogue.progress();
    const now = clock.now();
    const stale = catalogue.lists().filter((info) => isStale(info, syncHours, now));
    const unread = catalogue.unread();
    // The service is ready without them, because the other lists still work.
    if (progress !== READY) return progress;
    const named = stale.map((info) => `${info.name} (${describeAge(computeAge(info, now))})`).sort();
    return [
      READY,
      ...(unread.length > 0 ? [`cannot be read: ${unread.join(', ')}`] : []),
      ...(named.length > 0 ? [`not refreshed for too long: ${named.join(', ')}`] : []),
    ].join('; ');
  });
  const age = 'Time since a list was compared with its publisher, or since the file it was loaded from was made.';
  metrics.addGauge('limen_dataset_age_seconds', age, ['dataset'], async (gauge) => {
    for (const info of catalogue.lists()) gauge.set({ dataset: info.name }, computeAge(info, clock.now()) / 1000);
  });
  const stale = '1 for a list that was not refreshed for too long, which /ready names; 0 for the others.';
  metrics.addGauge('limen_dataset_stale', stale, ['dataset'], async (gauge) => {
    for (const info of catalogue.lists()) {
      gauge.set({ dataset: info.name }, isStale(info, syncHours, clock.now()) ? 1 : 0);
    }
  });
}

const HOUR_MS = 3_600_000;
/** Publishers change their lists several times a month. */
const UNATTENDED_HOURS = 7 * 24;
const MISSED_REFRESHES = 3;
const LEAST_HOURS = 24;

/** Returns the time since the last check with the publisher, or since a file was published, in milliseconds. */
export function computeAge({ builtAt, sync, version }: DatasetInfo, now: number): number {
  const since = sync
    ? Date.parse(sync.checkedAt)
    : Math.min(Date.parse(builtAt), readPublishedTime(version) ?? Infinity);
  return Math.max(0, now - since);
}

function readPublishedTime(version: string): number | undefined {
  const day = /^\d{4}-\d{2}-\d{2}(?=$|T)/.exec(version)?.[0];
  const time = day === undefined ? Number.NaN : Date.parse(day);
  return Number.isNaN(time) ? undefined : time;
}

export function isStale(info: DatasetInfo, syncHours: number, now: number): boolean {
  const isRefreshed = info.sync !== undefined && syncHours > 0;
  const hours = isRefreshed ? Math.max(LEAST_HOURS, MISSED_REFRESHES * syncHours) : UNATTENDED_HOURS;
  return computeAge(info, now) >= hours * HOUR_MS;
}
