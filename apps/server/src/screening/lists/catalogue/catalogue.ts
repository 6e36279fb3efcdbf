// What is loaded: lists come from the dataset folder in the background and are switched without a pause.
import type { Dataset } from '@limen/contract';
import type { ScreeningIndex, Topic } from '@limen/screening';
import type { Logger } from 'pino';
import type { Clock } from '../../../platform/base/clock.ts';
import { AppError, describeForLog } from '../../../platform/base/errors.ts';
import type { Edition } from '../../engine/messages.ts';
import type { DatasetFolder, DatasetInfo } from '../folder/folder.ts';
import { COLLECTIONS, DatasetError, DEMO, isDatasetName } from '../folder/names.ts';
import {
  chooseMembers,
  countEntries,
  isCollection,
  type MissingLists,
  NOT_COMPARED,
  topicOf,
  unknownDataset,
  warnAbout,
  warnAboutVersions,
} from './collections.ts';
import { createSlot, type DatasetSlot, describeSlot, type LoadedVersion } from './slot.ts';

const LOOK_EVERY_MS = 2_000;
/** A list that could not be loaded is tried again this often, and at once when it changes. */
const RETRY_AFTER_MS = 60_000;

/** What one request searches. The versions stay in memory until `release`, whatever is loaded meanwhile. */
export interface Selection {
  editions: Edition[];
  /** Name of the list that each of them is of. */
  lists: string[];
  /** Which version of it that is. */
  searched: SearchedList[];
  /** Belong to it and cannot be searched now. */
  missing: string[];
  topic: Topic;
  version: string;
  warning: string | undefined;
  release(): void;
}

export type SearchedList = Pick<DatasetInfo, 'name' | 'version' | 'builtAt' | 'indexSum'>;

export interface Catalogue {
  /** Begins to load in the background. */
  start(): void;
  /** Waits for a dataset that is still loading. Throws 404 for an unknown one and 503 for one that cannot be loaded. */
  select(name: string): Promise<Selection>;
  describe(): Dataset[];
  /** What is known of the lists on disk, loaded or not; not the demo, which does not grow old. */
  lists(): DatasetInfo[];
  /** The versions that are searched now. */
  loaded(): DatasetInfo[];
  /** `ready`, or what is still being loaded. */
  progress(): string;
  /** Lists of which no version could be loaded, or not the newest, by name. */
  unread(): string[];
  close(): Promise<void>;
}

export interface CatalogueOptions {
  folder: Pick<DatasetFolder, 'survey' | 'openIndex'>;
  loadDemo: () => Promise<{ index: ScreeningIndex; info: DatasetInfo }>;
  clock: Clock;
  log: Pick<Logger, 'info' | 'error'>;
  /** Called when a version that was replaced is no longer being searched. */
  onRetired: (edition: Edition) => void;
  /** Lists of which other machines have a newer version that could not be brought here. */
  behind?: (() => ReadonlySet<string>) | undefined;
  /** Whether it is known what other machines have; where nobody says, there are none. */
  isCompared?: (() => boolean) | undefined;
  /** Loads everything at start; otherwise only what is asked for. */
  eager?: boolean;
  lookEveryMs?: number | undefined;
}

export function createCatalogue(options: CatalogueOptions): Catalogue {
  const { folder, loadDemo, clock, log, onRetired, eager = true, lookEveryMs = LOOK_EVERY_MS } = options;
  const { behind = () => new Set(), isCompared = () => true } = options;
  const demo = createSlot(DEMO);
  const slots = new Map<string, DatasetSlot>([[DEMO, demo]]);
  const toLoad: DatasetSlot[] = [];
  let editions = 0;
  let closed = false;
  let working: Promise<void> | undefined;
  let current: DatasetSlot | undefined;
  let timer: NodeJS.Timeout | undefined;
  /** What the start still has to load. Collections wait for it, and not for what is added later. */
  const startup = new Set<DatasetSlot>([demo]);
  let startTotal = 0;
  let startDone = 0;
  let started = false;
  /** Whether what came from other machines was looked for. */
  let hasSeenAll = isCompared();
  let folderProblem: string | undefined;
  let looking: Promise<void> = Promise.resolve();
  let nextLook: Promise<void> | undefined;

  /** Sees everything that was on disk when it was called; several callers share one look. */
  function look(): Promise<void> {
    nextLook ??= looking.then(() => {
      nextLook = undefined;
      looking = lookOnce();
      return looking;
    });
    return nextLook;
  }

  async function lookOnce(): Promise<void> {
    if (closed) return;
    const seesAll = isCompared();
    try {
      const surveyed = await folder.survey();
      for (const { name, info, problem } of surveyed) {
        if (problem !== undefined) noticeDamage(name, problem);
        else if (info) noticeList(info);
      }
      const there = new Set([DEMO, ...surveyed.map(({ name }) => name)]);
      for (const slot of slots.values()) if (!there.has(slot.name)) drop(slot);
      folderProblem = undefined;
    } catch (error) {
      if (folderProblem === undefined) log.error(describeForLog(error), 'the dataset folder cannot be read');
      folderProblem = 'whatever is in the dataset folder, which cannot be read';
    }
    if (started && seesAll && !hasSeenAll) beginWith([...slots.values()]);
    hasSeenAll = seesAll || hasSeenAll;
  }

  /** Has the start wait for those that are not loaded. */
  function beginWith(found: readonly DatasetSlot[]): void {
    for (const slot of found) if (!slot.isSettled) startup.add(slot);
    startTotal = startDone + startup.size;
  }

  function noticeList(info: DatasetInfo): void {
    const slot = slots.get(info.name) ?? createSlot(info.name);
    slots.set(info.name, slot);
    const changed = slot.wanted?.indexFile !== info.indexFile;
    slot.wanted = info;
    const retry = slot.problem !== undefined && Math.abs(clock.now() - slot.failedAt) >= RETRY_AFTER_MS;
    if ((changed || retry) && (eager || slot.loaded)) enqueue(slot);
  }

  function noticeDamage(name: string, problem: string): void {
    const slot = slots.get(name) ?? createSlot(name);
    slots.set(name, slot);
    if (slot.problem !== problem) log.error({ dataset: name }, 'a dataset is damaged');
    slot.wanted = undefined;
    slot.problem = problem;
    settleSlot(slot);
  }

  function drop(slot: DatasetSlot): void {
    slots.delete(slot.name);
    const queued = toLoad.indexOf(slot);
    if (queued >= 0) toLoad.splice(queued, 1);
    settleSlot(slot);
    if (slot.loaded) log.info({ dataset: slot.name }, 'dataset removed');
    retire(slot.loaded);
    slot.loaded = undefined;
  }

  function enqueue(slot: DatasetSlot, first = false): void {
    if (!slot.loaded) slot.reopen();
    const queued = toLoad.indexOf(slot);
    if (queued >= 0 && first) toLoad.splice(queued, 1);
    if (queued < 0 || first) toLoad[first ? 'unshift' : 'push'](slot);
    working ??= loadAll().finally(() => {
      working = undefined;
    });
  }

  /** One at a time: reading a large list is bound by disk and memory, not by how many are read. */
  async function loadAll(): Promise<void> {
    for (;;) {
      await Promise.resolve(); // all that was noticed together is queued first
      current = closed ? undefined : toLoad.shift();
      if (!current) return;
      await load(current);
      if (toLoad.includes(current)) continue; // it changed meanwhile and gets another attempt
      settleSlot(current);
      startDone += 1;
    }
  }

  async function load(slot: DatasetSlot): Promise<void> {
    const wanted = slot.wanted;
    const startedAt = performance.now();
    try {
      const { index, info } =
        slot === demo ? await loadDemo() : { index: await folder.openIndex(wanted as DatasetInfo), info: wanted! };
      if (closed || slots.get(slot.name) !== slot) return;
      const loadMs = Math.round(performance.now() - startedAt);
      editions += 1;
      const previous = slot.loaded;
      const edition = { id: editions, index };
      slot.loaded = { edition, info, loadedAt: clock.now(), loadMs, holders: 0, retired: false };
      slot.problem = undefined;
      retire(previous);
      const facts = { dataset: slot.name, version: info.version, entities: index.entityCount, bytes: index.bytes };
      log.info({ ...facts, ms: loadMs }, 'dataset loaded');
    } catch (error) {
      slot.problem =
        error instanceof DatasetError ? error.message : 'It could not be loaded; the log of the service says more.';
      slot.failedAt = clock.now();
      log.error({ dataset: slot.name, ...describeForLog(error) }, 'a dataset could not be loaded');
      await look(); // it may have been replaced in this very moment
    }
  }

  function retire(version: LoadedVersion | undefined): void {
    if (!version) return;
    version.retired = true;
    if (version.holders === 0) onRetired(version.edition);
  }

  function hold(versions: LoadedVersion[]): () => void {
    for (const version of versions) version.holders += 1;
    let held = true;
    return () => {
      if (!held) return;
      held = false;
      for (const version of versions) {
        version.holders -= 1;
        if (version.retired && version.holders === 0) onRetired(version.edition);
      }
    };
  }

  function settleSlot(slot: DatasetSlot): void {
    slot.settle();
    startup.delete(slot);
  }

  async function settle(wanted: readonly DatasetSlot[]): Promise<void> {
    for (const slot of wanted) if (!slot.isSettled && slot !== current) enqueue(slot, true);
    await Promise.all(wanted.map(({ settled }) => settled));
  }

  /** By name: the order of what is searched, shown and told, whatever was loaded first. */
  const inOrder = () => [...slots.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
  const loadedOf = (from: Iterable<DatasetSlot>) => [...from].flatMap(({ loaded }) => loaded ?? []);
  /** A list that is known to have nothing of the topic is not missed. */
  const missingFrom = (from: Iterable<DatasetSlot>, topic: Topic): MissingLists => {
    const absent = [...from].filter(
      ({ loaded, wanted }) => !loaded && (wanted === undefined || countEntries(wanted, topic) > 0),
    );
    const failed = absent.filter(({ isSettled }) => isSettled).map(({ name }) => name);
    return {
      failed: folderProblem === undefined ? failed : [...failed, folderProblem],
      loading: absent.filter(({ isSettled }) => !isSettled).map(({ name }) => name),
      behind: [...from].filter(({ name, loaded }) => loaded && behind().has(name)).map(({ name }) => name),
      isCompared: hasSeenAll,
    };
  };

  async function selectOne(name: string): Promise<LoadedVersion> {
    if (!slots.has(name) && isDatasetName(name)) await look(); // it may have come since the last look
    const slot = slots.get(name);
    if (slot) await settle([slot]);
    if (slot?.loaded) return slot.loaded;
    const isUnknown = !slot || slots.get(name) !== slot;
    if (isUnknown && hasSeenAll) throw unknownDataset([...slots.keys()]);
    throw new AppError(
      'unavailable',
      `The dataset ${name} could not be loaded, so nobody can be checked against it. ${isUnknown ? NOT_COMPARED : (slot.problem ?? '')}`.trimEnd(),
      { headers: { 'retry-after': String(RETRY_AFTER_MS / 1000) } },
    );
  }

  return {
    start() {
      if (eager) enqueue(demo);
      void look().then(() => {
        beginWith([...slots.values()]);
        started = true;
        timer = closed ? undefined : setInterval(() => void look(), lookEveryMs).unref();
      });
    },

    async select(name) {
      if (!started) await look();
      if (!isCollection(name)) {
        const version = await selectOne(name);
        return {
          editions: [version.edition],
          lists: [name],
          searched: [version.info],
          missing: [],
          topic: 'all',
          version: version.info.version,
          warning: warnAboutVersions({ behind: behind().has(name) ? [name] : [], isCompared: hasSeenAll }),
          release: hold([version]),
        };
      }
      await settle(eager ? [...startup] : inOrder());
      const members = chooseMembers(name, loadedOf(inOrder()));
      if (members.length === 0) throw new AppError('unavailable', 'No dataset could be loaded; see the service’s log.');
      const missing = missingFrom(inOrder(), topicOf(name));
      return {
        editions: members.map(({ edition }) => edition),
        lists: members.map(({ info }) => info.name),
        searched: members.map(({ info }) => info),
        missing: [...missing.failed, ...missing.loading],
        topic: topicOf(name),
        version: members.map(({ info }) => `${info.name}@${info.version}`).join(', '),
        warning: warnAbout(name, members, missing),
        release: hold(members),
      };
    },

    describe() {
      const all = inOrder();
      const collections = COLLECTIONS.map((name): Dataset => {
        const members = chooseMembers(name, loadedOf(all));
        const warning = warnAbout(name, members, missingFrom(all, topicOf(name)));
        return {
          name,
          kind: 'collection',
          status: startup.size > 0 ? 'loading' : members.length > 0 ? 'ready' : 'failed',
          version: members.map(({ info }) => `${info.name}@${info.version}`).join(', '),
          entityCount: members.reduce((sum, { info }) => sum + countEntries(info, topicOf(name)), 0),
          members: members.map(({ info }) => info.name),
          ...(warning !== undefined && { problem: warning }),
        };
      });
      return [...collections, ...all.map(describeSlot)];
    },

    lists: () => inOrder().flatMap(({ wanted }) => wanted ?? []),

    loaded: () => loadedOf(inOrder()).map(({ info }) => info),

    progress() {
      if (!started) return 'reading the dataset folder';
      if (startup.size === 0)
        return hasSeenAll ? 'ready' : 'comparing lists with other machines; the log says what is in the way';
      return `loading ${current?.name ?? 'datasets'} (${Math.min(startDone + 1, startTotal)} of ${startTotal})`;
    },

    unread() {
      const names = inOrder().filter(({ loaded, problem }) => !loaded && problem !== undefined);
      const older = inOrder().filter(({ name, loaded }) => loaded && behind().has(name));
      return [
        ...names.map(({ name }) => name),
        ...older.map(({ name }) => `the newest version of ${name}`),
        ...(folderProblem === undefined ? [] : [folderProblem]),
      ];
    },

    async close() {
      closed = true;
      clearInterval(timer);
      await Promise.all([looking, working]);
      for (const slot of slots.values()) slot.settle();
    },
  };
}
