// Compares the lists of this machine with those of the others every few seconds, for as long as the process runs.
import { describeForLog } from '../../../platform/errors.ts';
import { shareRuns } from '../../../platform/share-runs.ts';
import { createSharedLists, type SharedLists, type SharedListsOptions } from './shared-lists.ts';

const EVERY_MS = 5_000;

export interface Sharing extends Pick<SharedLists, 'lacking' | 'behind' | 'inForce'> {
  /** Resolves after the first comparison, also where that failed: the lists of this machine are there all the same. */
  start(): Promise<void>;
  /** Whether one has succeeded. Until then nobody knows what the others have. */
  isCompared(): boolean;
  stop(): Promise<void>;
}

export function createSharing(options: SharedListsOptions & { everyMs?: number | undefined }): Sharing {
  const { log, everyMs = EVERY_MS } = options;
  const { reconcile, ...lists } = createSharedLists(options);
  let timer: NodeJS.Timeout | undefined;
  let last: Promise<void> = Promise.resolve();
  let isWell = true;
  let isCompared = false;
  const run = shareRuns(async () => {
    try {
      isCompared = (await reconcile()) || isCompared;
      isWell = true;
    } catch (error) {
      if (isWell) log.error(describeForLog(error), 'lists cannot be compared with those of other machines');
      isWell = false;
    }
  });
  return {
    ...lists,
    isCompared: () => isCompared,
    start() {
      timer = setInterval(() => {
        last = run();
      }, everyMs).unref();
      last = run();
      return last;
    },
    async stop() {
      clearInterval(timer);
      await last;
    },
  };
}
