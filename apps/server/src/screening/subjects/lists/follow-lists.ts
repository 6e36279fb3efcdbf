// Follows the lists: when one has a new version, whom that may concern is screened again, by one process for all of them.
//
// Nothing is remembered of a walk that is cut short: the next one begins anew and finds that what was written stands. A list counts
// as worked through only at the end, so that no change is passed over.
import { setImmediate as nextTurn } from 'node:timers/promises';
import { type EntityChange, entitiesOf, type ListedEntity, newlyComparable } from '@limen/screening';
import { inGroups } from '../../../platform/base/batches.ts';
import type { WatchedSubjectId } from '../../../platform/base/ids.ts';
import type { World } from '../../../platform/base/world.ts';
import type { Context } from '../../../platform/context.ts';
import { defineRecurringJob } from '../../../platform/jobs/job.ts';
import type { Jobs } from '../../../platform/jobs/jobs.ts';
import { READY } from '../../../platform/watch/readiness.ts';
import { WorkerFailure } from '../../engine/pool.ts';
import type { Catalogue } from '../../lists/catalogue/catalogue.ts';
import { chooseMembers, isCollection, isListBehind } from '../../lists/catalogue/collections.ts';
import type { DatasetFolder, DatasetInfo } from '../../lists/folder/folder.ts';
import { DatasetError } from '../../lists/folder/names.ts';
import { strangerKey } from '../diff-hits.ts';
import { ENGINE, type ScreeningEngine } from '../engine.ts';
import type { SubjectIndex } from '../index/subject-index.ts';
import { digestEntity } from '../record-outcome.ts';
import type { ScreenOrder, WatchedScreener } from '../screen.ts';
import { screeningJobOf } from '../screening-job.ts';
import type { WatchStore } from '../store.ts';
import type { Outdated, WorkedList, WorkedLists } from '../worked-lists.ts';
import { contentOf, findNews, type ListNews, LOST, NEVER_WORKED } from './find-news.ts';

const followLists = defineRecurringJob('watching.lists', 15_000, { needsRightClock: false });

/** Screened together; each takes a few kilobytes. */
const PAGE = 200;
/** Subjects without a list up to which a new one is looked up among the others. */
const MOST_WITHOUT_LIST = 20_000;
/** Entities of a list that are read in one go. */
const READ_AT_ONCE = 500;
/** Looking an entity up among all subjects costs about as much as screening this many of them. */
const SUBJECTS_PER_ENTITY = 20;
const SEEN_EVERY_MS = 60_000;
/** After all whom an earlier engine screened; another process may still have that engine, and screen some. */
const OUTDATED_AGAIN_MS = 60 * 60 * 1000;
/** Everybody is screened again this long after the last time, if a list has changed since. */
const EVERYBODY_AFTER_MS = 7 * 24 * 60 * 60 * 1000;

export interface FollowListsOptions extends Pick<Context, 'database' | 'sealer' | 'jobs' | 'clock' | 'log'> {
  store: WatchStore;
  worked: WorkedLists;
  catalogue: Pick<Catalogue, 'progress' | 'loaded' | 'describe' | 'select'>;
  folder: Pick<DatasetFolder, 'changesOf' | 'removed'>;
  screener: Pick<WatchedScreener, 'screen' | 'openSubject'>;
  subjects: SubjectIndex;
  engine?: ScreeningEngine | undefined;
  /** Whether so many changes are looked up among so many subjects. Otherwise all subjects are screened. */
  isWorthIt?: ((changes: number, subjects: number) => boolean) | undefined;
}

/** Of a page of everybody those who are meant, and who was the last of the page; nobody where there are no more. */
interface PageOfSubjects {
  ids: WatchedSubjectId[];
  last: string | undefined;
}

type PagesOfSubjects = (after: string, world: World) => Promise<PageOfSubjects>;

/** Test keys may watch any number of made-up subjects, which must not delay real ones. */
const WORLDS: readonly World[] = ['live', 'test'];

export function handleLists(jobs: Jobs, follower: ListFollower): void {
  jobs.handle(followLists, async (_payload, { signal }) => void (await follower.follow(signal)));
}

export class ListFollower {
  readonly #options: FollowListsOptions;
  readonly #engine: ScreeningEngine;
  readonly #isWorthIt: (changes: number, subjects: number) => boolean;
  /** The last change of the lists that was worked through. */
  last = { screened: 0, seconds: 0 };
  #outdatedAgainAt = 0;
  readonly #everybodyAfter = async (after: string, world: World): Promise<PageOfSubjects> => {
    const ids = (await this.#options.worked.versionsAfter(after, PAGE, world)).map(({ id }) => id);
    return { ids, last: ids.at(-1) };
  };

  constructor(options: FollowListsOptions) {
    this.#options = options;
    this.#engine = options.engine ?? ENGINE;
    this.#isWorthIt = options.isWorthIt ?? ((changes, watched) => changes * SUBJECTS_PER_ENTITY < watched);
  }

  /** Does all that the lists call for. Returns how many subjects were screened. */
  async follow(signal: AbortSignal): Promise<number> {
    const { catalogue, log } = this.#options;
    // While lists are still being loaded, some would seem to be gone.
    if (catalogue.progress() !== READY) return 0;
    const news = await this.#look();
    if (isNothing(news)) {
      const screened = await this.#screenOutdated(signal);
      await this.#keepUp(signal);
      return screened;
    }
    // From here on, what another process finds in an older version is not written any more, so that nobody who is screened
    // meanwhile is missed.
    const { changed, added, fresh, gone, lost } = news;
    const began = performance.now();
    await this.#record([...changed, ...added, ...fresh], 'begun');
    let screened = 0;
    const everybody = [...fresh];
    for (const info of changed) {
      const changes = await this.#tellChanges(info);
      if (!changes) everybody.push(info);
      else {
        screened += await this.#screenOnChanges(info.name, changes, signal);
        await this.#record([info], 'done');
      }
    }
    const screenedOnAdded = await this.#screenOnAdded(added, signal);
    if (screenedOnAdded === undefined) everybody.push(...added);
    else screened += screenedOnAdded;
    if (everybody.length > 0) screened += await this.#screenAll(this.#everybodyAfter, { signal });
    else if (gone.length + lost.length > 0)
      screened += await this.#screenAll(this.#thoseWhoLose([...gone, ...lost]), { signal });
    await this.#record(everybody, 'everybody');
    await this.#noteMissing(gone, lost);
    const seconds = (performance.now() - began) / 1000;
    this.last = { screened, seconds };
    const counts = { changed: changed.length, added: added.length, fresh: fresh.length, gone: gone.length };
    for (const dataset of lost)
      log.warn({ dataset }, 'a list that subjects were screened against is missing; their hits on it stay');
    log.info({ ...counts, lost: lost.length, screened, seconds }, 'lists changed; subjects screened');
    return screened;
  }

  async #look(): Promise<ListNews> {
    const { catalogue, folder, clock, worked } = this.#options;
    const loaded = catalogue.loaded();
    const known = new Set(catalogue.describe().map(({ name }) => name));
    const removed = await folder.removed();
    const now = clock.now();
    const all = await worked.all();
    await this.#noteSeen(all, loaded, now);
    return findNews(all, loaded, { known, removed }, { everybody: now - EVERYBODY_AFTER_MS, now });
  }

  /** Whoever an earlier engine screened last, until a list changes: that goes first, and the rest comes after it. */
  async #screenOutdated(signal: AbortSignal): Promise<number> {
    const { clock, worked, log } = this.#options;
    const engine = this.#engine;
    if (clock.now() < this.#outdatedAgainAt) return 0;
    const total = await worked.countOutdated(engine.number);
    if (total === 0) return 0;
    log.info(
      { subjects: total, engine: engine.version },
      'subjects that an earlier engine screened are screened again',
    );
    let screened = 0;
    for (const world of WORLDS) {
      for (let last: Outdated | undefined; ; ) {
        signal.throwIfAborted();
        const page = await worked.outdatedAfter(engine.number, world, last, PAGE);
        last = page.at(-1);
        if (!last) break;
        const ids = page.map(({ id }) => id);
        await this.#screenOrQueue(ids, { signal });
        screened += ids.length;
        if (!isNothing(await this.#look())) return screened;
      }
    }
    // One that does not open stays as it is: it is not tried, and logged, every few seconds.
    this.#outdatedAgainAt = clock.now() + OUTDATED_AGAIN_MS;
    log.info({ screened, engine: engine.version }, 'subjects were screened again');
    return screened;
  }

  /** That this process has the version which counts. */
  async #noteSeen(all: readonly WorkedList[], loaded: readonly DatasetInfo[], now: number): Promise<void> {
    const seen = all.filter(({ name, content, begun, seen_at }) => {
      const info = loaded.find((one) => one.name === name);
      const has = info && [content, begun].includes(contentOf(info));
      return has && Math.abs(now - seen_at) > SEEN_EVERY_MS;
    });
    await this.#options.worked.noteSeen(
      seen.map(({ name }) => name),
      now,
    );
  }

  /** What can be done before a list changes is not left until then. */
  async #keepUp(signal: AbortSignal): Promise<void> {
    const { worked, subjects } = this.#options;
    const watched = await worked.countSubjects();
    if (!this.#isWorthIt(1, watched)) subjects.drop();
    else if (subjects.isBehind(watched)) await subjects.prepare(signal);
  }

  /** Undefined where the version before is not there any more, or too much is different. */
  async #tellChanges(info: DatasetInfo): Promise<ListChanges | undefined> {
    const { folder, log } = this.#options;
    try {
      return await readChanges(folder.changesOf(info));
    } catch (error) {
      if (!(error instanceof DatasetError)) throw error;
      log.warn({ dataset: info.name }, 'what changed in a list cannot be told; everybody is screened');
      return undefined;
    }
  }

  /**
   * Whom no list could find before is screened on everything, and of the others those whom an entity of a new list may concern.
   * Undefined where that would be more than to screen everybody.
   */
  async #screenOnAdded(added: readonly DatasetInfo[], signal: AbortSignal): Promise<number | undefined> {
    const { worked } = this.#options;
    if (added.length === 0) return 0;
    const entities = added.reduce((sum, { entityCount }) => sum + entityCount, 0);
    if (!this.#isWorthIt(entities, await worked.countSubjects())) return undefined;
    const withoutList = await worked.withoutList(MOST_WITHOUT_LIST + 1);
    if (withoutList.length > MOST_WITHOUT_LIST) return undefined;
    const changes: [list: string, changes: ListChanges][] = [];
    for (const info of added) {
      const all = await readChanges(this.#allOf(info));
      if (!all) return undefined;
      changes.push([info.name, all]);
    }
    let screened = await this.#screenInPages(withoutList, { signal });
    for (const [list, all] of changes) screened += await this.#screenOnChanges(list, all, signal);
    await this.#record(added, 'done');
    return screened;
  }

  async *#allOf({ name }: DatasetInfo): AsyncGenerator<EntityChange> {
    const { editions, release } = await this.#options.catalogue.select(name);
    try {
      let read = 0;
      for (const after of entitiesOf(editions[0]!.index)) {
        yield { change: 'added', after };
        read += 1;
        if (read % READ_AT_ONCE === 0) await nextTurn();
      }
    } finally {
      release();
    }
  }

  /** Who has a hit, which may be on a list that is gone, and whom no list can find any more. */
  #thoseWhoLose(gone: readonly string[]): PagesOfSubjects {
    const { catalogue, store, screener } = this.#options;
    const loaded = catalogue.loaded().map((info) => ({ info }));
    const isLost = (dataset: string) =>
      isCollection(dataset)
        ? !isListBehind(
            dataset,
            chooseMembers(dataset, loaded).map(({ info }) => info),
          )
        : gone.includes(dataset);
    return async (after, world) => {
      const { ids, last } = await this.#everybodyAfter(after, world);
      const rows = await store.findMany(ids);
      const lose = rows.filter(
        (row) => row.hit_state !== 'none' || screener.openSubject(row).some(({ content }) => isLost(content.dataset)),
      );
      return { ids: lose.map(({ id }) => id), last };
    };
  }

  async #screenAll(pageAfter: PagesOfSubjects, order: ScreenOrder): Promise<number> {
    const { worked, catalogue, clock } = this.#options;
    let count = 0;
    for (const world of WORLDS) {
      for (let after: string | undefined = ''; after !== undefined; ) {
        order.signal.throwIfAborted();
        const { ids, last }: PageOfSubjects = await pageAfter(after, world);
        if (ids.length > 0) await this.#screenOrQueue(ids, order);
        count += ids.length;
        after = last;
        // Others that lack a list wait until a process has it, however long this takes.
        await this.#noteSeen(await worked.all(), catalogue.loaded(), clock.now());
        await nextTurn();
      }
    }
    return count;
  }

  /** On the changed entities alone: those who may be concerned where they can be told, or else everybody. */
  async #screenOnChanges(list: string, changes: ListChanges, signal: AbortSignal): Promise<number> {
    if (changes.ids.size === 0) return 0;
    const news = new Set(changes.entities.map(({ id }) => id));
    const order = { signal, changes: { list, ids: changes.ids, news } };
    const concerned = await this.#findConcerned(list, changes, signal);
    if (!concerned) return this.#screenAll(this.#everybodyAfter, order);
    return this.#screenInPages([...concerned].sort(), order);
  }

  async #splitByWorld(ids: readonly WatchedSubjectId[]): Promise<Record<World, WatchedSubjectId[]>> {
    const test = await this.#options.worked.inTestWorld(ids);
    return { live: ids.filter((id) => !test.has(id)), test: ids.filter((id) => test.has(id)) };
  }

  async #screenInPages(ids: readonly WatchedSubjectId[], order: ScreenOrder): Promise<number> {
    const split = await this.#splitByWorld(ids);
    for (const world of WORLDS) {
      for (const page of inGroups(split[world], PAGE)) {
        order.signal.throwIfAborted();
        await this.#screenOrQueue(page, order);
      }
    }
    return ids.length;
  }

  /** Who has a hit on what changed, and who may get one. */
  async #findConcerned(
    list: string,
    { ids, entities }: ListChanges,
    signal: AbortSignal,
  ): Promise<Set<WatchedSubjectId> | undefined> {
    const { worked, sealer } = this.#options;
    if (!this.#isWorthIt(entities.length, await worked.countSubjects())) return undefined;
    const found = await this.#lookFor(list, entities, signal);
    const digests = [...ids].flatMap((id) => [id, strangerKey(id, list)]).map((key) => digestEntity(sealer, key));
    return found && new Set([...found, ...(await worked.subjectsWithHitsOn(digests))]);
  }

  async #lookFor(
    list: string,
    entities: readonly ListedEntity[],
    signal: AbortSignal,
  ): Promise<Set<WatchedSubjectId> | undefined> {
    const { subjects, log } = this.#options;
    if (entities.length === 0) return new Set();
    return subjects.findConcerned(list, entities, signal).catch((error: unknown) => {
      // A thread that gave up on them: an entity may be made to take for ever.
      if (!(error instanceof WorkerFailure)) throw error;
      log.warn(
        { dataset: list, ...error.failure },
        'a change could not be looked up among the subjects; everybody is screened',
      );
      return undefined;
    });
  }

  /** Who could not be screened now is due: the list counts as worked through, and they are not forgotten. */
  async #screenOrQueue(ids: readonly WatchedSubjectId[], order: ScreenOrder): Promise<void> {
    const { screener, database, store, jobs } = this.#options;
    const left = await screener.screen(ids, { ...order, only: 'settled' });
    if (left.length === 0) return;
    const split = await this.#splitByWorld(left);
    await database.transact(async (trx) => {
      for (const id of left) await store.update(trx, id, { state: 'due' });
      for (const world of WORLDS)
        if (split[world].length > 0) await jobs.enqueue(trx, screeningJobOf(world), { ids: split[world] });
    });
  }

  async #record(lists: readonly DatasetInfo[], how: 'begun' | 'done' | 'everybody'): Promise<void> {
    const { database, worked, clock } = this.#options;
    if (lists.length === 0) return;
    await database.transact(async (trx) => {
      const all = await worked.hold(trx);
      for (const info of lists) {
        const { name, version, builtAt } = info;
        const before = all.find((one) => one.name === name);
        const now = clock.now();
        // Whom a new list does not concern counts as screened against it.
        const isLookedUp = how === 'done' && before?.content === NEVER_WORKED;
        const everybody_at = how === 'everybody' ? now : isLookedUp ? now - 1 : (before?.everybody_at ?? 0);
        // After everybody was, whatever the clock says: that is how one tells.
        const worked_at = how === 'everybody' ? everybody_at : Math.max(now, everybody_at + 1);
        const content = contentOf(info);
        const isBegun = how === 'begun';
        await worked.record(trx, {
          ...(isBegun ? (before ?? { version, content: NEVER_WORKED, worked_at }) : { version, content, worked_at }),
          name,
          begun: isBegun ? content : '',
          built_at: Date.parse(builtAt),
          seen_at: now,
          everybody_at,
        });
      }
    });
  }

  /** Lost lists are kept, so that everybody is screened once one is back, whichever version that is. */
  async #noteMissing(gone: readonly string[], lost: readonly string[]): Promise<void> {
    const { database, worked } = this.#options;
    if (gone.length + lost.length === 0) return;
    await database.transact(async (trx) => {
      for (const row of await worked.hold(trx)) {
        if (gone.includes(row.name)) await worked.forget(trx, row.name);
        else if (lost.includes(row.name)) await worked.record(trx, { ...row, begun: LOST });
      }
    });
  }
}

function isNothing(news: ListNews): boolean {
  return Object.values(news).every(({ length }) => length === 0);
}

/** A list that changed in more entities than this is screened as a new one. */
const MAX_CHANGES = 20_000;

interface ListChanges {
  /** Ids of all that were added, changed or removed. */
  ids: Set<string>;
  /** Listed entities that may match a subject that they did not match before. */
  entities: ListedEntity[];
}

/** Undefined where there are too many. */
export async function readChanges(changes: AsyncIterable<EntityChange>): Promise<ListChanges | undefined> {
  const ids = new Set<string>();
  const entities: ListedEntity[] = [];
  for await (const one of changes) {
    ids.add(one.change === 'removed' ? one.before.id : one.after.id);
    const news = newlyComparable(one);
    if (news) entities.push(news);
    if (ids.size > MAX_CHANGES) return undefined;
  }
  return { ids, entities };
}
