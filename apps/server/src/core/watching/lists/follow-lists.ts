// Follows the lists: when one has a new version, whom that may concern is screened again, by one process for all of them.
//
// Nothing is remembered of a walk that is cut short: the next one begins anew and finds that what was written stands. A list counts
// as worked through only at the end, so that no change is passed over.
import type { Logger } from 'pino';
import type { Clock } from '../../../platform/clock.ts';
import type { Database } from '../../../platform/database/database.ts';
import type { WatchedSubjectId } from '../../../platform/ids.ts';
import { defineRecurringJob } from '../../../platform/jobs/job.ts';
import type { Jobs } from '../../../platform/jobs/jobs.ts';
import type { DatasetFolder, DatasetInfo } from '../../datasets/folder/dataset-folder.ts';
import { DatasetError } from '../../datasets/folder/dataset-names.ts';
import type { Catalogue } from '../../screening/lists/catalogue.ts';
import { isCollection } from '../../screening/lists/collections.ts';
import type { SubjectContent } from '../contents.ts';
import type { OpenSubject, ScreenWatched } from '../screen-watched.ts';
import { screenDue } from '../screening-job.ts';
import type { WatchStore } from '../store.ts';
import { contentOf, findNews } from './find-news.ts';
import { readChanges } from './read-changes.ts';
import type { WorkedLists } from './worked-lists.ts';

const followLists = defineRecurringJob('watching.lists', 15_000);

/** Read and looked at together; each takes a few kilobytes. */
const PAGE = 200;

interface IdPage {
  ids: WatchedSubjectId[];
  /** Where the next one begins; nothing at the end. */
  last: WatchedSubjectId | undefined;
}

export interface FollowListsOptions {
  database: Database;
  store: WatchStore;
  worked: WorkedLists;
  jobs: Jobs;
  catalogue: Pick<Catalogue, 'progress' | 'loaded' | 'describe'>;
  folder: Pick<DatasetFolder, 'changesOf'>;
  screen: ScreenWatched;
  openSubject: OpenSubject;
  clock: Clock;
  log: Pick<Logger, 'info' | 'warn'>;
}

/** Does all that the lists call for; says how many subjects were screened. */
export type FollowLists = (signal: AbortSignal) => Promise<number>;

export function handleLists(jobs: Jobs, follow: FollowLists): void {
  jobs.handle(followLists, async (_payload, { signal }) => void (await follow(signal)));
}

export function createFollowLists(options: FollowListsOptions): FollowLists {
  const { database, store, worked, jobs, catalogue, folder, screen, openSubject, clock, log } = options;

  return async (signal) => {
    // While lists are still being loaded, some would seem to be gone.
    if (catalogue.progress() !== 'ready') return 0;
    const loaded = catalogue.loaded();
    const known = new Set(catalogue.describe().map(({ name }) => name));
    const { changed, fresh, gone } = findNews(await worked.all(), loaded, known);
    let screened = 0;
    const everybody = [...fresh];
    for (const info of changed) {
      const changes = await tellChanges(info);
      if (!changes) everybody.push(info);
      else {
        screened += await screenOnChanges(info.name, changes, signal);
        await record([info], []);
      }
    }
    if (everybody.length > 0) screened += await screenAll(everybodyAfter, signal);
    else if (gone.length > 0) screened += await screenAll(thoseWithHitsAfter, signal);
    await record(everybody, gone);
    const news = { changed: changed.length, fresh: fresh.length, gone: gone.length };
    if (changed.length + fresh.length + gone.length > 0)
      log.info({ ...news, screened }, 'lists changed; subjects screened');
    return screened;
  };

  /** Undefined where the version before is not there any more, or too much is different. */
  async function tellChanges(info: DatasetInfo): Promise<Set<string> | undefined> {
    try {
      return await readChanges(folder.changesOf(info));
    } catch (error) {
      if (!(error instanceof DatasetError)) throw error;
      log.warn({ dataset: info.name }, 'what changed in a list cannot be told; everybody is screened');
      return undefined;
    }
  }

  async function everybodyAfter(after: string): Promise<IdPage> {
    const ids = (await worked.subjectsAfter(after, PAGE)).map(({ id }) => id);
    return { ids, last: ids.at(-1) };
  }

  async function thoseWithHitsAfter(after: string): Promise<IdPage> {
    const ids = await worked.subjectsWithHitsAfter(after, PAGE);
    return { ids, last: ids.at(-1) };
  }

  async function screenAll(
    pageAfter: (after: string) => Promise<IdPage>,
    signal: AbortSignal,
    entities?: ReadonlySet<string>,
  ): Promise<number> {
    let count = 0;
    for (let after = ''; ; ) {
      signal.throwIfAborted();
      const { ids, last } = await pageAfter(after);
      if (last === undefined) return count;
      await screenOrQueue(ids, signal, entities);
      count += ids.length;
      after = last;
    }
  }

  /**
   * Everybody who is watched against the list, on the changed entities alone: how names compare depends on all that are listed, so
   * that a look into the changed ones by themselves would miss some (docs/watching.md).
   */
  function screenOnChanges(list: string, entities: ReadonlySet<string>, signal: AbortSignal): Promise<number> {
    const pageAfter = async (after: string) => {
      const rows = await worked.subjectsAfter(after, PAGE);
      const open = rows.flatMap(openSubject).filter(({ content }) => isWatchedAgainst(content, list));
      return { ids: open.map(({ row }) => row.id), last: rows.at(-1)?.id };
    };
    return entities.size === 0 ? Promise.resolve(0) : screenAll(pageAfter, signal, entities);
  }

  /** Who could not be screened now is due: the list counts as worked through, and they are not forgotten. */
  async function screenOrQueue(
    ids: readonly WatchedSubjectId[],
    signal: AbortSignal,
    entities?: ReadonlySet<string>,
  ): Promise<void> {
    const left = await screen(ids, { signal, entities });
    if (left.length === 0) return;
    await database.transact(async (trx) => {
      for (const id of left) await store.update(trx, id, { state: 'due' });
      await jobs.enqueue(trx, screenDue, { ids: left });
    });
  }

  async function record(lists: readonly DatasetInfo[], gone: readonly string[]): Promise<void> {
    if (lists.length + gone.length === 0) return;
    await database.transact(async (trx) => {
      for (const info of lists) {
        const { name, version, builtAt } = info;
        const built_at = Date.parse(builtAt);
        await worked.record(trx, { name, version, content: contentOf(info), built_at, worked_at: clock.now() });
      }
      for (const name of gone) await worked.forget(trx, name);
    });
  }
}

function isWatchedAgainst({ dataset }: SubjectContent, list: string): boolean {
  return dataset === list || isCollection(dataset);
}
