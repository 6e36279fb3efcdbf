// Last step of every load: checks the new list and replaces the old one with it.
import { LOADER_VERSION } from '@limen/screening';
import type { Clock } from '../../../platform/base/clock.ts';
import { countEntities, formatCount } from '../../../platform/text/count-of.ts';
import type { DatasetFolder, DatasetInfo } from './folder.ts';
import type { BuildSummary } from './info.ts';
import { DatasetError } from './names.ts';

export interface StoreOptions {
  folder: DatasetFolder;
  clock: Clock;
  /** Throws if another process has taken over. */
  requireLock(): Promise<void>;
  /** Accepts a list that has less than half of the old one's entities or seems cut off. */
  force: boolean;
}

export async function storeDataset(
  described: Pick<DatasetInfo, 'name' | 'format' | 'source' | 'sync'> & { version?: string },
  built: BuildSummary,
  options: StoreOptions,
): Promise<DatasetInfo> {
  const { folder, clock, force } = options;
  const previous = await folder.find(described.name);
  refuseEmpty(described.name, built);
  if (!force) refuseLoss(described.name, built, previous);
  const builtAt = new Date(clock.now()).toISOString();
  await options.requireLock();
  return folder.replace(
    {
      ...described,
      version: described.version ?? built.report.version ?? builtAt,
      entityCount: built.index.entityCount,
      ...built.counts,
      builtAt,
      problemCount: built.report.problemCount,
      loader: LOADER_VERSION,
    },
    built.index,
  );
}

/** Not even `force` allows an empty list, which would clear everyone. */
function refuseEmpty(name: string, { index, report }: BuildSummary): void {
  if (index.entityCount > 0) return;
  if (report.bytes === 0) throw new DatasetError('The file is empty; there is nothing to load.');
  throw new DatasetError(
    `${name} would be empty: nothing in ${formatCount(report.records, 'record')} could be used, and an empty list must ` +
      'clear no one. Check the file and --format.',
    report.problems,
  );
}

/** Refuses a file that was cut off, or is another list: it would clear the people who were on the old one. */
function refuseLoss(name: string, { index, report }: BuildSummary, previous: DatasetInfo | undefined): void {
  if (report.truncated) {
    throw new DatasetError(
      `The file of ${name} seems to be cut off: it ends in the middle, after ${countEntities(index.entityCount)}. ` +
        'Get it again; if it is right, repeat with --force.',
      report.problems,
    );
  }
  if (previous && index.entityCount * 2 < previous.entityCount) {
    throw new DatasetError(
      `${name} would shrink from ${previous.entityCount} to ${countEntities(index.entityCount)}, which looks like a ` +
        'file that was cut off; the old list stays. If it is right, repeat with --force.',
      report.problems,
    );
  }
}
