// Follows the lists: when one has a new version, whom that may concern is screened again, by one process for all of them.
//
// Nothing is remembered of a walk that is cut short: the next one begins anew and finds that what was written stands. A list counts
// as worked through only at the end, so that no change is passed over.
import { CANDIDATE_FLOOR, type Subject } from '@limen/screening';
import type { Logger } from 'pino';
import type { Clock } from '../../../platform/clock.ts';
import type { Database } from '../../../platform/database/database.ts';
import type { WatchedSubjectId } from '../../../platform/ids.ts';
import { defineRecurringJob } from '../../../platform/jobs/job.ts';
import type { Jobs } from '../../../platform/jobs/jobs.ts';
import type { Sealer } from '../../../platform/sealing/sealer.ts';
import type { DatasetFolder, DatasetInfo } from '../../datasets/folder/dataset-folder.ts';
import { DatasetError } from '../../datasets/folder/dataset-names.ts';
import type { Catalogue } from '../../screening/lists/catalogue.ts';
import { isCollection } from '../../screening/lists/collections.ts';
import type { ScreeningPool } from '../../screening/pool/screening-pool.ts';
import type { Edition } from '../../screening/pool/worker-messages.ts';
import { readSubject } from '../../screening/subjects/read-subject.ts';
import type { SubjectContent } from '../contents.ts';
import { digestEntity } from '../record-outcome.ts';
import type { OpenSubject, ScreenWatched } from '../screen-watched.ts';
import { screenDue } from '../screening-job.ts';
import type { WatchStore } from '../store.ts';
import { contentOf, findNews } from './find-news.ts';
import { type ListChanges, readChanges } from './read-changes.ts';
import type { WorkedLists } from './worked-lists.ts';

const followLists = defineRecurringJob('watching.lists', 15_000);

/** Read and looked at together; each takes a few kilobytes. */
const PAGE = 200;
/** Parameters of one statement. */
const DIGESTS_AT_ONCE = 500;

export interface FollowListsOptions {
  database: Database;
  store: WatchStore;
  worked: WorkedLists;
  sealer: Sealer;
  jobs: Jobs;
  catalogue: Pick<Catalogue, 'progress' | 'loaded' | 'describe'>;
  folder: Pick<DatasetFolder, 'changesOf'>;
  pool: ScreeningPool;
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
  const { database, store, worked, sealer, jobs, catalogue, folder, pool, screen, openSubject, clock, log } = options;
  /** Numbers that the catalogue does not give. */
  let lastEdition = 0;

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
        screened += await screenConcerned(info.name, changes, signal);
        await record([info], []);
      }
    }
    if (everybody.length > 0) screened += await screenAll((after) => allAfter(after), signal);
    else if (gone.length > 0) screened += await screenAll((after) => worked.subjectsWithHitsAfter(after, PAGE), signal);
    await record(everybody, gone);
    const news = { changed: changed.length, fresh: fresh.length, gone: gone.length };
    if (changed.length + fresh.length + gone.length > 0)
      log.info({ ...news, screened }, 'lists changed; subjects screened');
    return screened;
  };

  /** Undefined where the version before is not there any more, or too much is different. */
  async function tellChanges(info: DatasetInfo): Promise<ListChanges | undefined> {
    try {
      return await readChanges(folder.changesOf(info));
    } catch (error) {
      if (!(error instanceof DatasetError)) throw error;
      log.warn({ dataset: info.name }, 'what changed in a list cannot be told; everybody is screened');
      return undefined;
    }
  }

  async function allAfter(after: string): Promise<WatchedSubjectId[]> {
    return (await worked.subjectsAfter(after, PAGE)).map(({ id }) => id);
  }

  async function screenAll(
    pageAfter: (after: string) => Promise<WatchedSubjectId[]>,
    signal: AbortSignal,
  ): Promise<number> {
    let count = 0;
    for (let after = ''; ; ) {
      signal.throwIfAborted();
      const ids = await pageAfter(after);
      const last = ids.at(-1);
      if (last === undefined) return count;
      await screenOrQueue(ids, signal);
      count += ids.length;
      after = last;
    }
  }

  async function screenConcerned(list: string, changes: ListChanges, signal: AbortSignal): Promise<number> {
    if (changes.entities.size === 0) return 0;
    const withHits = await subjectsWithHits(changes.entities);
    const editions = changes.indexes.map((index): Edition => {
      lastEdition -= 1;
      return { id: lastEdition, index };
    });
    const lane = pool.openLane(editions);
    signal.addEventListener('abort', lane.close, { once: true });
    let count = 0;
    try {
      for (let after = ''; ; ) {
        signal.throwIfAborted();
        const rows = await worked.subjectsAfter(after, PAGE);
        const last = rows.at(-1);
        if (!last) return count;
        const open = rows.flatMap(openSubject).filter(({ content }) => isWatchedAgainst(content, list));
        const subjects = open.map(({ content }) => readSubject(content.subject, 'subject'));
        const mayBe = await findCandidates(subjects);
        const ids = open.filter(({ row }, at) => mayBe[at] || withHits.has(row.id)).map(({ row }) => row.id);
        await screenOrQueue(ids, signal, changes.entities);
        count += ids.length;
        after = last.id;
      }
    } finally {
      signal.removeEventListener('abort', lane.close);
      lane.close();
      for (const edition of editions) pool.forget(edition);
    }

    /** Whether each may be one of the entities that were added or changed. */
    async function findCandidates(subjects: readonly Subject[]): Promise<boolean[]> {
      if (editions.length === 0 || subjects.length === 0) return [];
      const small = { editions: editions.map(({ id }) => id), lists: editions.map(() => list), topic: 'all' as const };
      const plan = { ...small, threshold: CANDIDATE_FLOOR, limit: 1 };
      const outcomes = await lane.run(() => ({ kind: 'match' as const, subjects, plan }));
      return outcomes.map(({ matches }) => matches.length > 0);
    }
  }

  async function subjectsWithHits(entities: ReadonlySet<string>): Promise<Set<WatchedSubjectId>> {
    const digests = [...entities].map((id) => digestEntity(sealer, id));
    const found = new Set<WatchedSubjectId>();
    for (let at = 0; at < digests.length; at += DIGESTS_AT_ONCE) {
      for (const id of await worked.subjectsWithHits(digests.slice(at, at + DIGESTS_AT_ONCE))) found.add(id);
    }
    return found;
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
