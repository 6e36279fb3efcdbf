// The last step of every load: judges what was built and puts it in place of what was there.
import type { Clock } from '../../platform/clock.ts';
import type { Built } from './build-dataset.ts';
import { DatasetError } from './dataset-error.ts';
import type { DatasetFolder, DatasetInfo } from './dataset-folder.ts';

export interface StoreOptions {
  folder: DatasetFolder;
  clock: Clock;
  /** Take the list even if it has less than half of the entities of the one that it replaces. */
  force: boolean;
}

export type Described = Pick<DatasetInfo, 'name' | 'format' | 'source' | 'sync'> & { version?: string };

export async function storeDataset(described: Described, built: Built, options: StoreOptions): Promise<DatasetInfo> {
  const { folder, clock, force } = options;
  const previous = await folder.find(described.name);
  refuseLoss(described.name, built, force ? undefined : previous);
  const builtAt = new Date(clock.now()).toISOString();
  return folder.replace(
    {
      ...described,
      version: described.version ?? built.report.version ?? builtAt,
      entityCount: built.index.entityCount,
      ...built.counts,
      builtAt,
      problemCount: built.report.problemCount,
    },
    built.index,
  );
}

/** A file that was cut off, or is not the list at all, must not clear the people who were on it. */
function refuseLoss(name: string, { index, report }: Built, previous: DatasetInfo | undefined): void {
  if (index.entityCount === 0) {
    throw new DatasetError(
      `${name} would be empty: nothing in ${report.records} records could be used, and an empty list must clear nobody. ` +
        'Check the file and --format.',
      report.problems,
    );
  }
  if (previous && index.entityCount * 2 < previous.entityCount) {
    throw new DatasetError(
      `${name} would shrink from ${previous.entityCount} to ${index.entityCount} entities, which looks like a file that ` +
        'was cut off; the old list stays. If it is right, repeat with --force.',
      report.problems,
    );
  }
}
