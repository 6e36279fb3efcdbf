// Catalog of the loaded lists. It loads them in the background and switches to new versions without a pause.
import type { Dataset } from '@limen/contract';
import type { Topic } from '@limen/screening';
import type { Logger } from 'pino';
import { shareRuns } from '../../../platform/async/share-runs.ts';
import type { Clock } from '../../../platform/base/clock.ts';
import { AppError, describeForLog } from '../../../platform/base/errors.ts';
import type { Edition } from '../../engine/messages.ts';
import { loadDemoIndex } from '../demo.ts';
import type { DatasetFolder, DatasetInfo } from '../folder/folder.ts';
import { COLLECTIONS, DatasetError, DEMO, isDatasetName } from '../folder/names.ts';
import type { SharedLists } from '../shared/lists.ts';
import {
  chooseMembers,
  combineVersions,
  countEntries,
  findTopic,
  isCollection,
  type MissingLists,
  NOT_COMPARED,
  unknownDataset,
  warnAbout,
  warnAboutVersions,
} from './collections.ts';
import { DatasetSlot, describeSlot, type LoadedVersion } from './slot.ts';

const LOOK_EVERY_MS = 2_000;
/** Time until a failed list is loaded again, unless it changes before */
const RETRY_AFTER_MS = 60_000;

/** Lists that one request searches. The versions stay in memory until `release`. */
export interface Selection {
  editions: Edition[];
  lists: string[];
  searched: SearchedList[];
  missing: string[];
  topic: Topic;
  version: string;
  warning: string | undefined;
  release(): void;
}

export type SearchedList = Pick<DatasetInfo, 'name' | 'version' | 'builtAt' | 'indexSum'>;

interface CatalogueOptions {
  folder: Pick<DatasetFolder, 'survey' | 'openIndex'>;
  clock: Clock;
  log: Pick<Logger, 'info' | 'error'>;
  /** Called when no request searches a replaced version any longer. */
  onRetired: (edition: Edition) => void;
  sharing?: Pick<SharedLists, 'behind' | 'isCompared'> | undefined;
  /** Loads everything at start; otherwise only requested lists. */
  eager?: boolean;
  lookEveryMs?: number | undefined;
}

export class Catalogue {
  readonly #options: CatalogueOptions;
  readonly #demo = new DatasetSlot(DEMO);
  readonly #slots = new Map<string, DatasetSlot>([[DEMO, this.#demo]]);
  readonly #toLoad: DatasetSlot[] = [];
  #editions = 0;
  #closed = false;
  #working: Promise<void> | undefined;
  #current: DatasetSlot | undefined;
  #timer: NodeJS.Timeout | undefined;
  /** Lists that are still loaded at start. Collections do not wait for lists that are added later. */
  readonly #startup = new Set<DatasetSlot>([this.#demo]);
  #startTotal = 0;
  #startDone = 0;
  #started = false;
  /** Whether the folder was read after the comparison with other machines. */
  #hasSeenAll: boolean;
  #folderProblem: [string] | undefined;
  readonly #look = shareRuns(() => this.#lookOnce());

  constructor(options: CatalogueOptions) {
    this.#options = options;
    this.#hasSeenAll = this.#isCompared();
  }

  start(): void {
    const { eager = true, lookEveryMs = LOOK_EVERY_MS } = this.#options;
    if (eager) this.#enqueue(this.#demo);
    void this.#look().then(() => {
      this.#extendStart();
      this.#started = true;
      this.#timer = this.#closed ? undefined : setInterval(() => void this.#look(), lookEveryMs).unref();
    });
  }

  /** Waits for a dataset that is still loading. Throws 404 if it is unknown and 503 if it cannot be loaded. */
  async select(name: string): Promise<Selection> {
    const { eager = true } = this.#options;
    if (!this.#started) await this.#look();
    if (!isCollection(name)) {
      const version = await this.#selectOne(name);
      const behind = this.#options.sharing?.behind().has(name) ? [name] : [];
      const warning = warnAboutVersions({ behind, isCompared: this.#hasSeenAll });
      return { ...this.#hold([version]), missing: [], topic: 'all', version: version.info.version, warning };
    }
    await this.#settle(eager ? [...this.#startup] : this.#inOrder());
    const members = chooseMembers(name, this.#loaded());
    if (members.length === 0) throw new AppError('unavailable', 'No dataset could be loaded; see the service’s log.');
    const topic = findTopic(name);
    const absent = this.#findMissing(topic);
    const missing = [...absent.failed, ...absent.loading];
    const warning = warnAbout(name, members, absent);
    return { ...this.#hold(members), missing, topic, version: combineVersions(members), warning };
  }

  describe(): Dataset[] {
    const collections = COLLECTIONS.map((name): Dataset => {
      const members = chooseMembers(name, this.#loaded());
      const warning = warnAbout(name, members, this.#findMissing(findTopic(name)));
      return {
        name,
        kind: 'collection',
        status: this.#startup.size > 0 ? 'loading' : members.length > 0 ? 'ready' : 'failed',
        version: combineVersions(members),
        entityCount: members.reduce((sum, { info }) => sum + countEntries(info, findTopic(name)), 0),
        members: members.map(({ info }) => info.name),
        ...(warning !== undefined && { problem: warning }),
      };
    });
    return [...collections, ...this.#inOrder().map(describeSlot)];
  }

  /** Returns the lists on disk, loaded or not, without the demo. */
  lists(): DatasetInfo[] {
    return this.#inOrder().flatMap(({ wanted }) => wanted ?? []);
  }

  loaded(): DatasetInfo[] {
    return this.#loaded().map(({ info }) => info);
  }

  /** Returns `ready`, or what is still being loaded. */
  progress(): string {
    if (!this.#started) return 'reading the dataset folder';
    if (this.#startup.size === 0)
      return this.#hasSeenAll ? 'ready' : 'comparing lists with other machines; the log says what is in the way';
    return `loading ${this.#current?.name ?? 'datasets'} (${Math.min(this.#startDone + 1, this.#startTotal)} of ${this.#startTotal})`;
  }

  /** Returns the lists of which no version could be loaded, or not the newest. */
  unread(): string[] {
    const failed = this.#inOrder().filter(({ loaded, problem }) => !loaded && problem !== undefined);
    const older = this.#behind().map((name) => `the newest version of ${name}`);
    return [...failed.map(({ name }) => name), ...older, ...(this.#folderProblem ?? [])];
  }

  async close(): Promise<void> {
    this.#closed = true;
    clearInterval(this.#timer);
    await Promise.all([this.#look(), this.#working]);
    for (const slot of this.#slots.values()) slot.settle();
  }

  async #lookOnce(): Promise<void> {
    const { folder, log } = this.#options;
    if (this.#closed) return;
    const seesAll = this.#isCompared();
    try {
      const surveyed = await folder.survey();
      for (const { name, info, problem } of surveyed) {
        if (problem !== undefined) this.#noticeDamage(name, problem);
        else if (info) this.#noticeList(info);
      }
      const there = new Set([DEMO, ...surveyed.map(({ name }) => name)]);
      for (const slot of this.#slots.values()) if (!there.has(slot.name)) this.#drop(slot);
      this.#folderProblem = undefined;
    } catch (error) {
      if (this.#folderProblem === undefined) log.error(describeForLog(error), 'the dataset folder cannot be read');
      this.#folderProblem = ['whatever is in the dataset folder, which cannot be read'];
    }
    if (this.#started && seesAll && !this.#hasSeenAll) this.#extendStart();
    this.#hasSeenAll = seesAll || this.#hasSeenAll;
  }

  #extendStart(): void {
    for (const slot of this.#slots.values()) if (!slot.isSettled) this.#startup.add(slot);
    this.#startTotal = this.#startDone + this.#startup.size;
  }

  #openSlot(name: string): DatasetSlot {
    const slot = this.#slots.get(name) ?? new DatasetSlot(name);
    this.#slots.set(name, slot);
    return slot;
  }

  #noticeList(info: DatasetInfo): void {
    const { clock, eager = true } = this.#options;
    const slot = this.#openSlot(info.name);
    const changed = slot.wanted?.indexFile !== info.indexFile;
    slot.wanted = info;
    const retry = slot.problem !== undefined && Math.abs(clock.now() - slot.failedAt) >= RETRY_AFTER_MS;
    if ((changed || retry) && (eager || slot.loaded)) this.#enqueue(slot);
  }

  #noticeDamage(name: string, problem: string): void {
    const slot = this.#openSlot(name);
    if (slot.problem !== problem) this.#options.log.error({ dataset: name }, 'a dataset is damaged');
    slot.wanted = undefined;
    slot.problem = problem;
    this.#settleSlot(slot);
  }

  #drop(slot: DatasetSlot): void {
    this.#slots.delete(slot.name);
    const queued = this.#toLoad.indexOf(slot);
    if (queued >= 0) this.#toLoad.splice(queued, 1);
    this.#settleSlot(slot);
    if (slot.loaded) this.#options.log.info({ dataset: slot.name }, 'dataset removed');
    this.#retire(slot.loaded);
    slot.loaded = undefined;
  }

  #enqueue(slot: DatasetSlot, first = false): void {
    if (!slot.loaded) slot.reopen();
    const queued = this.#toLoad.indexOf(slot);
    if (queued >= 0 && first) this.#toLoad.splice(queued, 1);
    if (queued < 0 || first) this.#toLoad[first ? 'unshift' : 'push'](slot);
    this.#working ??= this.#loadAll().finally(() => {
      this.#working = undefined;
    });
  }

  /** Loads one list at a time, because disk and memory are the limit. */
  async #loadAll(): Promise<void> {
    for (;;) {
      await Promise.resolve(); // queues all lists of one look first
      this.#current = this.#closed ? undefined : this.#toLoad.shift();
      if (!this.#current) return;
      await this.#load(this.#current);
      if (this.#toLoad.includes(this.#current)) continue; // it has changed and is loaded again
      this.#settleSlot(this.#current);
      this.#startDone += 1;
    }
  }

  async #load(slot: DatasetSlot): Promise<void> {
    const { folder, clock, log } = this.#options;
    const wanted = slot.wanted;
    const startedAt = performance.now();
    try {
      const { index, info } =
        slot === this.#demo ? await loadDemoIndex() : { index: await folder.openIndex(wanted!), info: wanted! };
      if (this.#closed || this.#slots.get(slot.name) !== slot) return;
      const loadMs = Math.round(performance.now() - startedAt);
      this.#editions += 1;
      const edition = { id: this.#editions, index };
      this.#retire(slot.loaded);
      slot.loaded = { edition, info, loadedAt: clock.now(), loadMs, holders: 0, isRetired: false };
      slot.problem = undefined;
      const facts = { dataset: slot.name, version: info.version, entities: index.entityCount, bytes: index.bytes };
      log.info({ ...facts, ms: loadMs }, 'dataset loaded');
    } catch (error) {
      slot.problem =
        error instanceof DatasetError ? error.message : 'It could not be loaded; the log of the service says more.';
      slot.failedAt = clock.now();
      log.error({ dataset: slot.name, ...describeForLog(error) }, 'a dataset could not be loaded');
      await this.#look(); // it may just have been replaced
    }
  }

  #isCompared(): boolean {
    return this.#options.sharing?.isCompared() ?? true;
  }

  /** Returns the loaded lists of which other machines have a newer version that could not be fetched. */
  #behind(): string[] {
    const behind = this.#options.sharing?.behind();
    if (!behind?.size) return [];
    return this.#loaded().flatMap(({ info: { name } }) => (behind.has(name) ? [name] : []));
  }

  #retire(version: LoadedVersion | undefined): void {
    if (!version) return;
    version.isRetired = true;
    if (version.holders === 0) this.#options.onRetired(version.edition);
  }

  #hold(versions: LoadedVersion[]): Pick<Selection, 'editions' | 'lists' | 'searched' | 'release'> {
    for (const version of versions) version.holders += 1;
    let isHeld = true;
    const searched = versions.map(({ info }) => info);
    return {
      editions: versions.map(({ edition }) => edition),
      lists: searched.map(({ name }) => name),
      searched,
      release: () => {
        if (!isHeld) return;
        isHeld = false;
        for (const version of versions) {
          version.holders -= 1;
          if (version.isRetired && version.holders === 0) this.#options.onRetired(version.edition);
        }
      },
    };
  }

  #settleSlot(slot: DatasetSlot): void {
    slot.settle();
    this.#startup.delete(slot);
  }

  async #settle(wanted: readonly DatasetSlot[]): Promise<void> {
    for (const slot of wanted) if (!slot.isSettled && slot !== this.#current) this.#enqueue(slot, true);
    await Promise.all(wanted.map(({ settled }) => settled));
  }

  /** Sorts by name, so that searches and replies do not depend on the order of loading. */
  #inOrder() {
    return [...this.#slots.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
  }

  #loaded(): LoadedVersion[] {
    return this.#inOrder().flatMap(({ loaded }) => loaded ?? []);
  }

  /** A list without entries of the topic is not missing. */
  #findMissing(topic: Topic): MissingLists {
    const absent = this.#inOrder().filter(
      ({ loaded, wanted }) => !loaded && (wanted === undefined || countEntries(wanted, topic) > 0),
    );
    const failed = absent.filter(({ isSettled }) => isSettled).map(({ name }) => name);
    return {
      failed: [...failed, ...(this.#folderProblem ?? [])],
      loading: absent.filter(({ isSettled }) => !isSettled).map(({ name }) => name),
      behind: this.#behind(),
      isCompared: this.#hasSeenAll,
    };
  }

  async #selectOne(name: string): Promise<LoadedVersion> {
    if (!this.#slots.has(name) && isDatasetName(name)) await this.#look(); // it may be new
    const slot = this.#slots.get(name);
    if (slot) await this.#settle([slot]);
    if (slot?.loaded) return slot.loaded;
    const isUnknown = !slot || this.#slots.get(name) !== slot;
    if (isUnknown && this.#hasSeenAll) throw unknownDataset([...this.#slots.keys()]);
    throw new AppError(
      'unavailable',
      `The dataset ${name} could not be loaded, so names cannot be checked against it. ${isUnknown ? NOT_COMPARED : (slot.problem ?? '')}`.trimEnd(),
      { headers: { 'retry-after': String(RETRY_AFTER_MS / 1000) } },
    );
  }
}
