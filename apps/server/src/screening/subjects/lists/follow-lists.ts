// Follows the lists: screens the subjects that a new version may concern, in one process for all of them.
//
// A walk that is cut short leaves no state. The next one starts again, because a list counts as worked through only at the end.
import { setImmediate as nextTurn } from 'node:timers/promises';
import { type EntityChange, type ListedEntity, listEntities, selectNewlyComparable } from '@limen/screening';
import { inGroups } from '../../../platform/base/batches.ts';
import type { WatchedSubjectId } from '../../../platform/base/ids.ts';
import type { World } from '../../../platform/base/world.ts';
import type { Context } from '../../../platform/context.ts';
import { defineRecurringJob } from '../../../platform/jobs/job.ts';
import type { Jobs } from '../../../platform/jobs/jobs.ts';
import { READY } from '../../../platform/watch/readiness.ts';
import { WorkerError } from '../../engine/pool.ts';
import type { Catalogue } from '../../lists/catalogue/catalogue.ts';
import { chooseMembers, isCollection, isListBehind } from '../../lists/catalogue/collections.ts';
import type { DatasetFolder, DatasetInfo } from '../../lists/folder/folder.ts';
import { DatasetError } from '../../lists/folder/names.ts';
import type { SubjectRow } from '../contents.ts';
import { strangerKey } from '../diff-hits.ts';
import { ENGINE, type ScreeningEngine } from '../engine.ts';
import type { SubjectIndex } from '../index/subject-index.ts';
import { digestEntity } from '../record-outcome.ts';
import type { ScreenOrder, WatchedScreener } from '../screen.ts';
import { findScreeningJob } from '../screening-job.ts';
import type { WatchStore } from '../store.ts';
import type { OutdatedSubject, WorkedList, WorkedLists } from '../worked-lists.ts';
import { findNews, type ListNews, LOST, NEVER_WORKED, requireContentSum } from './find-news.ts';

const followLists = defineRecurringJob('watching.lists', 15_000, { needsRightClock: false });

const PAGE = 200;
/** Maximum number of subjects without a list for which an added list is looked up among the other subjects. */
const MAX_WITHOUT_LIST = 20_000;
/** A list that changed in more entities is screened as a new one. */
const MAX_CHANGES = 20_000;
/** Entities of a list that are read before other requests get a turn. */
const READ_AT_ONCE = 500;
/** Looking up one entity among all subjects costs about as much as screening this many subjects. */
const SUBJECTS_PER_ENTITY = 20;
const SEEN_EVERY_MS = 60_000;
/** Wait after a screening of outdated subjects: another process may still run the earlier engine. */
const OUTDATED_RESCREEN_DELAY_MS = 60 * 60 * 1000;
/** A changed list is screened against all subjects if the last time is longer ago. */
const FULL_SCREENING_INTERVAL_MS = 7 * 24 * 60 * 60 * 1000;

export interface FollowListsOptions extends Pick<Context, 'database' | 'sealer' | 'jobs' | 'clock' | 'log'> {
  store: WatchStore;
  worked: WorkedLists;
  catalogue: Catalogue;
  folder: DatasetFolder;
  screener: WatchedScreener;
  subjects: SubjectIndex;
  engine?: ScreeningEngine | undefined;
  /** Decides whether changes are looked up among the subjects. Otherwise all subjects are screened. */
  isWorthIt?: ((changes: number, subjects: number) => boolean) | undefined;
}

interface ListChanges {
  /** Ids of added, changed and removed entities. */
  ids: Set<string>;
  /** Entities that may match more subjects than before. */
  entities: ListedEntity[];
}

/** Live subjects come first: test keys may watch any number of invented ones. */
const WORLDS: readonly World[] = ['live', 'test'];

export function handleLists(jobs: Jobs, follower: ListFollower): void {
  jobs.handle(followLists, async (_payload, { signal }) => void (await follower.follow(signal)));
}

export class ListFollower {
  readonly #options: FollowListsOptions;
  readonly #engine: ScreeningEngine;
  readonly #isWorthIt: (changes: number, subjects: number) => boolean;
  last = { screened: 0, seconds: 0 };
  #outdatedAgainAt = 0;

  constructor(options: FollowListsOptions) {
    this.#options = options;
    this.#engine = options.engine ?? ENGINE;
    this.#isWorthIt = options.isWorthIt ?? ((changes, watched) => changes * SUBJECTS_PER_ENTITY < watched);
  }

  /** Works all changes of the lists through. Returns how many subjects were screened. */
  async follow(signal: AbortSignal): Promise<number> {
    const { catalogue, log } = this.#options;
    // While lists are still being loaded, some seem to be gone.
    if (catalogue.progress() !== READY) return 0;
    const news = await this.#look();
    if (hasNoChanges(news)) {
      const screened = await this.#screenOutdated(signal);
      await this.#keepUp(signal);
      return screened;
    }
    const { changed, added, fresh, gone, lost } = news;
    const began = performance.now();
    // From here on, other processes do not write what they find in older versions.
    await this.#record([...changed, ...added, ...fresh], 'begun');
    let screened = 0;
    const everybody = [...fresh];
    for (const info of changed) {
      const changes = await this.#readChanges(info);
      if (!changes) everybody.push(info);
      else {
        screened += await this.#screenOnChanges(info.name, changes, signal);
        await this.#record([info], 'done');
      }
    }
    const screenedOnAdded = await this.#screenOnAdded(added, signal);
    if (screenedOnAdded === undefined) everybody.push(...added);
    else screened += screenedOnAdded;
    if (everybody.length > 0) screened += await this.#screenAll({ signal });
    else if (gone.length + lost.length > 0)
      screened += await this.#screenAll({ signal }, this.#losesBy([...gone, ...lost]));
    await this.#record(everybody, 'everybody');
    await this.#noteMissing(gone, lost);
    const seconds = (performance.now() - began) / 1000;
    this.last = { screened, seconds };
    for (const dataset of lost)
      log.warn({ dataset }, 'a list that subjects were screened against is missing; their hits on it stay');
    const counts = { changed: changed.length, added: added.length, fresh: fresh.length, gone: gone.length };
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
    await this.#noteSeen(all);
    return findNews(all, loaded, { known, removed }, { everybody: now - FULL_SCREENING_INTERVAL_MS, now });
  }

  /** Screens subjects of an earlier engine, until a list changes. */
  async #screenOutdated(signal: AbortSignal): Promise<number> {
    const { clock, worked, log } = this.#options;
    const { number, version: engine } = this.#engine;
    if (clock.now() < this.#outdatedAgainAt) return 0;
    const subjects = await worked.countOutdated(number);
    if (subjects === 0) return 0;
    log.info({ subjects, engine }, 'subjects that an earlier engine screened are screened again');
    let screened = 0;
    for (const world of WORLDS) {
      for (let last: OutdatedSubject | undefined; ; ) {
        signal.throwIfAborted();
        const page = await worked.outdatedAfter(number, world, last, PAGE);
        last = page.at(-1);
        if (!last) break;
        const ids = page.map(({ id }) => id);
        await this.#screenOrQueue(ids, { signal });
        screened += page.length;
        if (!hasNoChanges(await this.#look())) return screened;
      }
    }
    // Subjects that do not open stay outdated, and are not retried every few seconds.
    this.#outdatedAgainAt = clock.now() + OUTDATED_RESCREEN_DELAY_MS;
    log.info({ screened, engine }, 'subjects were screened again');
    return screened;
  }

  /** Records that this process has the current versions of its lists. */
  async #noteSeen(all: readonly WorkedList[]): Promise<void> {
    const { catalogue, clock, worked } = this.#options;
    const now = clock.now();
    const contents = new Map(catalogue.loaded().map((info) => [info.name, requireContentSum(info)]));
    const seen = all.filter(({ name, content, begun, seen_at }) => {
      const loaded = contents.get(name);
      return loaded !== undefined && [content, begun].includes(loaded) && Math.abs(now - seen_at) > SEEN_EVERY_MS;
    });
    const names = seen.map(({ name }) => name);
    await worked.noteSeen(names, now);
  }

  /** Prepares the index of subjects before a list changes. */
  async #keepUp(signal: AbortSignal): Promise<void> {
    const { worked, subjects } = this.#options;
    const watched = await worked.countSubjects();
    if (!this.#isWorthIt(1, watched)) subjects.drop();
    else if (subjects.isBehind(watched)) await subjects.prepare(signal);
  }

  /** Returns undefined if the previous version is gone, or too much changed. */
  #readChanges(info: DatasetInfo): Promise<ListChanges | undefined> {
    const { folder, log } = this.#options;
    return readChanges(folder.changesOf(info)).catch((error: unknown) => {
      if (!(error instanceof DatasetError)) throw error;
      log.warn({ dataset: info.name }, 'the changes of a list are unknown; all subjects are screened');
      return undefined;
    });
  }

  /** Screens subjects that added lists may concern. Returns undefined if screening all subjects is cheaper. */
  async #screenOnAdded(added: readonly DatasetInfo[], signal: AbortSignal): Promise<number | undefined> {
    const { worked } = this.#options;
    if (added.length === 0) return 0;
    const entities = added.reduce((sum, { entityCount }) => sum + entityCount, 0);
    if (!this.#isWorthIt(entities, await worked.countSubjects())) return undefined;
    const withoutList = await worked.withoutList(MAX_WITHOUT_LIST + 1);
    if (withoutList.length > MAX_WITHOUT_LIST) return undefined;
    const changes: [list: string, changes: ListChanges][] = [];
    for (const { name } of added) {
      const all = await readChanges(this.#listEntities(name));
      if (!all) return undefined;
      changes.push([name, all]);
    }
    let screened = await this.#screenInPages(withoutList, { signal });
    for (const [list, all] of changes) screened += await this.#screenOnChanges(list, all, signal);
    await this.#record(added, 'done');
    return screened;
  }

  async *#listEntities(list: string): AsyncGenerator<EntityChange> {
    const { editions, release } = await this.#options.catalogue.select(list);
    try {
      let read = 0;
      for (const after of listEntities(editions[0]!.index)) {
        yield { change: 'added', after };
        read += 1;
        if (read % READ_AT_ONCE === 0) await nextTurn();
      }
    } finally {
      release();
    }
  }

  /** Returns a test for subjects that have hits, which may be on a missing list, or that have no list anymore. */
  #losesBy(missing: readonly string[]): (row: SubjectRow) => boolean {
    const { catalogue, screener } = this.#options;
    const loaded = catalogue.loaded().map((info) => ({ info }));
    const isLost = (dataset: string) => {
      if (!isCollection(dataset)) return missing.includes(dataset);
      const members = chooseMembers(dataset, loaded).map(({ info }) => info);
      return !isListBehind(dataset, members);
    };
    return (row) =>
      row.hit_state !== 'none' || screener.openSubject(row).some(({ content }) => isLost(content.dataset));
  }

  /** Screens all subjects, or those that `isConcerned` chooses. */
  async #screenAll(order: ScreenOrder, isConcerned?: (row: SubjectRow) => boolean): Promise<number> {
    const { worked, store } = this.#options;
    let count = 0;
    for (const world of WORLDS) {
      for (let after = ''; ; ) {
        order.signal.throwIfAborted();
        const page = (await worked.versionsAfter(after, PAGE, world)).map(({ id }) => id);
        const last = page.at(-1);
        if (last === undefined) break;
        after = last;
        const rows = isConcerned && (await store.findMany(page)).filter(isConcerned);
        const ids = rows?.map(({ id }) => id) ?? page;
        if (ids.length > 0) await this.#screenOrQueue(ids, order);
        count += ids.length;
        // Processes that lack a list wait for those that have it, however long the walk takes.
        await this.#noteSeen(await worked.all());
        await nextTurn();
      }
    }
    return count;
  }

  /** Screens only on changed entities: the subjects that they may concern, or all of them if those are not known. */
  async #screenOnChanges(list: string, changes: ListChanges, signal: AbortSignal): Promise<number> {
    if (changes.ids.size === 0) return 0;
    const news = new Set(changes.entities.map(({ id }) => id));
    const order = { signal, changes: { list, ids: changes.ids, news } };
    const concerned = await this.#findConcerned(list, changes, signal);
    return concerned ? this.#screenInPages([...concerned].sort(), order) : this.#screenAll(order);
  }

  async #splitByWorld(ids: readonly WatchedSubjectId[]): Promise<Record<World, WatchedSubjectId[]>> {
    const test = await this.#options.worked.inTestWorld(ids);
    return { live: ids.filter((id) => !test.has(id)), test: ids.filter((id) => test.has(id)) };
  }

  async #screenInPages(ids: readonly WatchedSubjectId[], order: ScreenOrder): Promise<number> {
    const split = await this.#splitByWorld(ids);
    for (const page of WORLDS.flatMap((world) => inGroups(split[world], PAGE))) {
      order.signal.throwIfAborted();
      await this.#screenOrQueue(page, order);
    }
    return ids.length;
  }

  /** Returns subjects that have a hit on a changed entity, or may get one. */
  async #findConcerned(list: string, { ids, entities }: ListChanges, signal: AbortSignal) {
    const { worked, sealer, subjects, log } = this.#options;
    if (!this.#isWorthIt(entities.length, await worked.countSubjects())) return undefined;
    try {
      const found = entities.length === 0 ? [] : await subjects.findConcerned(list, entities, signal);
      const digests = [...ids].flatMap((id) => [id, strangerKey(id, list)]).map((key) => digestEntity(sealer, key));
      return found && new Set([...found, ...(await worked.subjectsWithHitsOn(digests))]);
    } catch (error) {
      // An entity may be crafted to take forever.
      if (!(error instanceof WorkerError)) throw error;
      const failure = { dataset: list, ...error.failure };
      log.warn(failure, 'a change could not be looked up among the subjects; all subjects are screened');
      return undefined;
    }
  }

  /** Queues subjects that could not be screened now, because the list counts as worked through. */
  async #screenOrQueue(ids: readonly WatchedSubjectId[], order: ScreenOrder): Promise<void> {
    const { screener, database, store, jobs } = this.#options;
    const left = await screener.screen(ids, { ...order, only: 'settled' });
    if (left.length === 0) return;
    const split = await this.#splitByWorld(left);
    await database.transact(async (trx) => {
      for (const id of left) await store.update(trx, id, { state: 'due' });
      for (const world of WORLDS)
        if (split[world].length > 0) await jobs.enqueue(trx, findScreeningJob(world), { ids: split[world] });
    });
  }

  async #record(lists: readonly DatasetInfo[], how: 'begun' | 'done' | 'everybody'): Promise<void> {
    const { database, worked, clock } = this.#options;
    if (lists.length === 0) return;
    await database.transact(async (trx) => {
      const all = await worked.hold(trx);
      for (const info of lists) {
        const { name, version, builtAt } = info;
        const before = all.find((row) => row.name === name);
        const now = clock.now();
        // Subjects that an added list does not concern count as screened against it.
        const isLookedUp = how === 'done' && before?.content === NEVER_WORKED;
        const everybody_at = how === 'everybody' ? now : isLookedUp ? now - 1 : (before?.everybody_at ?? 0);
        // Always later than `everybody_at` if only some subjects were screened, even if the clock went back.
        const worked_at = how === 'everybody' ? everybody_at : Math.max(now, everybody_at + 1);
        const content = requireContentSum(info);
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

  /** Keeps lost lists, so that all subjects are screened when any version comes back. */
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

function hasNoChanges(news: ListNews): boolean {
  return Object.values(news).every(({ length }) => length === 0);
}

export async function readChanges(changes: AsyncIterable<EntityChange>): Promise<ListChanges | undefined> {
  const ids = new Set<string>();
  const entities: ListedEntity[] = [];
  for await (const change of changes) {
    ids.add(change.change === 'removed' ? change.before.id : change.after.id);
    const news = selectNewlyComparable(change);
    if (news) entities.push(news);
    if (ids.size > MAX_CHANGES) return undefined;
  }
  return { ids, entities };
}
