// All watched subjects in memory, so that a changed list is looked up among them and not they in the list.
//
// A large index is built seldom, in a thread; what was added or changed since is in a small one beside it, which is built
// anew before each look. Subjects that are gone may stay in the large one for a day: whoever is found is read again, and is
// not there.
import { setImmediate as nextTurn } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { type ListedEntity, type ScreeningIndex, shareGluing } from '@limen/screening';
import type { Clock } from '../../../platform/base/clock.ts';
import { nameCompiledCode } from '../../../platform/base/compiled-code.ts';
import type { WatchedSubjectId } from '../../../platform/base/ids.ts';
import type { Edition, SubjectEditions } from '../../engine/messages.ts';
import type { Lane, ScreeningPool } from '../../engine/pool.ts';
import type { Catalogue } from '../../lists/catalogue/catalogue.ts';
import { readSubject } from '../../match/read-subject.ts';
import type { SubjectRow } from '../contents.ts';
import type { OpenSubject } from '../screen.ts';
import type { WatchStore } from '../store.ts';
import type { WorkedLists } from '../worked-lists.ts';
import type { FromBuilder, IndexedSubject, ToBuilder } from './builder-thread.ts';
import { type KnownRows, type RowVersion, rememberRows } from './known-rows.ts';

/** What the index is sure to find: whoever wants to hear of less is screened at every change (docs/watching.md). */
const SURE_FROM = 0.83;
/** Rows that are opened in one go, and versions that are read in one. */
const PAGE = 200;
const VERSIONS_PAGE = 5_000;
/** Looked up in one go by a thread. */
const ENTITIES_PER_TASK = 20;
/** The small index is taken into the large one at this share of it, and those that are gone leave it after a day. */
const SMALL_SHARE = 1 / 8;
const GONE_AFTER_MS = 24 * 60 * 60 * 1000;

interface Shelf {
  edition: Edition | undefined;
  known: KnownRows;
  /** Who is screened at every change. */
  always: WatchedSubjectId[];
  builtAt: number;
}

export interface SubjectIndexOptions {
  store: Pick<WatchStore, 'findMany'>;
  worked: Pick<WorkedLists, 'versionsAfter' | 'sumOfVersions'>;
  openSubject: OpenSubject;
  catalogue: Pick<Catalogue, 'select'>;
  pool: Pick<ScreeningPool, 'size' | 'openLane' | 'forget'>;
  clock: Clock;
}

export interface SubjectIndex {
  /** How many it holds. */
  readonly size: number;
  /** Whether so much has come or gone that taking it in is better not left to the next look. */
  isBehind(subjects: number): boolean;
  /** Takes in what is in the table. */
  prepare(signal: AbortSignal): Promise<void>;
  /** Holds nobody any more. */
  drop(): void;
  /** Whom these entities of a list may concern; undefined where that cannot be told. */
  findConcerned(
    list: string,
    entities: readonly ListedEntity[],
    signal: AbortSignal,
  ): Promise<Set<WatchedSubjectId> | undefined>;
}

export function createSubjectIndex(options: SubjectIndexOptions): SubjectIndex {
  const { store, worked, openSubject, catalogue, pool, clock } = options;
  let large = emptyShelf();
  let small = emptyShelf();
  /** Lists count their editions upwards. */
  let editions = 0;
  let heldSum: string | undefined;
  /** Whether the large one holds somebody who is gone, or was changed. */
  let stale = false;

  async function prepare(signal: AbortSignal): Promise<void> {
    // Before they are listed: what comes meanwhile makes another sum the next time.
    const sum = await worked.sumOfVersions();
    if (sum === heldSum && !(stale && isOld())) {
      // As good as built now.
      if (!stale) large.builtAt = clock.now();
      return;
    }
    heldSum = undefined;
    const inLarge = large.known.walk();
    const inSmall = small.known.walk();
    const beside: WatchedSubjectId[] = [];
    let isSmallRight = true;
    for (let after = ''; ; ) {
      signal.throwIfAborted();
      const page = await worked.versionsAfter(after, VERSIONS_PAGE);
      for (const row of page) {
        if (inLarge.holds(row)) continue;
        beside.push(row.id);
        if (!inSmall.holds(row)) isSmallRight = false;
      }
      const last = page.at(-1);
      if (!last) break;
      after = last.id;
      await nextTurn();
    }
    stale = inLarge.stale > 0;
    if (beside.length > large.known.size * SMALL_SHARE || (stale && isOld())) {
      // Two of the large ones at once would be too much.
      [large, small] = [emptyShelf(), emptyShelf()];
      large = await build(everybody(), signal);
      stale = false;
    } else if (!isSmallRight || beside.length !== small.known.size) small = await build(inPages(beside), signal);
    heldSum = sum;
  }

  const isOld = () => clock.now() - large.builtAt > GONE_AFTER_MS;

  async function* everybody(): AsyncGenerator<SubjectRow[]> {
    for (let after = ''; ; ) {
      const page = await worked.versionsAfter(after, PAGE);
      const last = page.at(-1);
      if (!last) return;
      yield store.findMany(page.map(({ id }) => id));
      after = last.id;
    }
  }

  async function* inPages(ids: readonly WatchedSubjectId[]): AsyncGenerator<SubjectRow[]> {
    for (let at = 0; at < ids.length; at += PAGE) yield store.findMany(ids.slice(at, at + PAGE));
  }

  /** Pages in the order of their ids. */
  async function build(pages: AsyncIterable<SubjectRow[]>, signal: AbortSignal): Promise<Shelf> {
    const versions: RowVersion[] = [];
    const always: WatchedSubjectId[] = [];
    const builder = createSubjectIndexBuilder();
    try {
      for await (const rows of pages) {
        signal.throwIfAborted();
        versions.push(...rows.map(({ id, changed_at }) => ({ id, changed_at })));
        await builder.add(rows.flatMap((row) => indexed(row, always)));
      }
      const index = await builder.finish();
      editions -= 1;
      return { edition: { id: editions, index }, known: rememberRows(versions), always, builtAt: clock.now() };
    } finally {
      await builder.close();
    }
  }

  function indexed(row: SubjectRow, always: WatchedSubjectId[]): IndexedSubject[] {
    return openSubject(row).flatMap(({ content }) => {
      if (content.scoreThreshold < SURE_FROM) {
        always.push(row.id);
        return [];
      }
      return [{ id: row.id, subject: readSubject(content.subject, 'subject') }];
    });
  }

  /** The subjects of an index whose names are cut elsewhere than listed ones: found by all threads together, and once for all. */
  async function glue(
    lane: Lane,
    { id, index }: Edition,
    words: Edition,
    entities: readonly ListedEntity[],
  ): Promise<Edition[]> {
    const found = await Promise.all(
      shareGluing(index, pool.size).map((share) =>
        lane.run(() => ({ kind: 'glue' as const, subjects: id, list: words.id, share, entities })),
      ),
    );
    return found.flatMap((glued) => {
      editions -= 1;
      return glued ? [{ id: editions, index: glued }] : [];
    });
  }

  async function onLane<T>(
    wanted: readonly Edition[],
    signal: AbortSignal,
    work: (lane: Lane) => Promise<T>,
  ): Promise<T> {
    const lane = pool.openLane(wanted);
    signal.addEventListener('abort', lane.close, { once: true });
    try {
      signal.throwIfAborted();
      return await work(lane);
    } finally {
      signal.removeEventListener('abort', lane.close);
      lane.close();
    }
  }

  return {
    prepare,

    get size() {
      return large.known.size + small.known.size;
    },

    isBehind(subjects) {
      const held = this.size;
      // What is gone or was changed leaves the large one by and by.
      return Math.abs(subjects - held) > held * SMALL_SHARE || isOld();
    },

    drop() {
      [large, small] = [emptyShelf(), emptyShelf()];
      heldSum = undefined;
    },

    async findConcerned(list, entities, signal) {
      await prepare(signal);
      const shelves = [large, small].flatMap(({ edition }) => edition ?? []);
      const selection = await catalogue.select(list);
      const held: Edition[] = [...shelves];
      try {
        const words = selection.editions[0]!;
        const subjects: SubjectEditions[] = [];
        for (const all of shelves) {
          const glued = await onLane([words, all], signal, (lane) => glue(lane, all, words, entities));
          held.push(...glued);
          subjects.push({ all: all.id, glued: glued.map(({ id }) => id) });
        }
        const plan = { list: words.id, subjects };
        const found = await onLane([words, ...held], signal, (lane) =>
          Promise.all(
            inParts(entities).map((part) => lane.run(() => ({ kind: 'concerned' as const, entities: part, plan }))),
          ),
        );
        if (found.includes(null)) return undefined;
        return new Set([...large.always, ...small.always, ...(found.flat() as WatchedSubjectId[])]);
      } finally {
        selection.release();
        // What a thread keeps for a look is not needed until the next change.
        for (const edition of held) pool.forget(edition);
      }
    },
  };
}

function emptyShelf(): Shelf {
  return { edition: undefined, known: rememberRows([]), always: [], builtAt: 0 };
}

function inParts(entities: readonly ListedEntity[]): ListedEntity[][] {
  return Array.from({ length: Math.ceil(entities.length / ENTITIES_PER_TASK) }, (_, part) =>
    entities.slice(part * ENTITIES_PER_TASK, (part + 1) * ENTITIES_PER_TASK),
  );
}

interface SubjectIndexBuilder {
  /** Fulfilled when the thread has taken them, so that what waits for it is one page. */
  add(subjects: readonly IndexedSubject[]): Promise<void>;
  finish(): Promise<ScreeningIndex>;
  /** Ends the thread, whatever it is doing. */
  close(): Promise<void>;
}

function createSubjectIndexBuilder(): SubjectIndexBuilder {
  // Nothing else of the environment: there are secrets in it, and the thread needs none of it.
  const options = { name: 'subjects', env: nameCompiledCode(), execArgv: [] };
  const worker = new Worker(new URL('./builder-thread.ts', import.meta.url), options);
  let waiting: PromiseWithResolvers<FromBuilder> | undefined;
  let failure: unknown;

  const fail = (error: unknown) => {
    failure ??= error;
    waiting?.reject(failure);
  };
  worker.on('message', (message: FromBuilder) => waiting?.resolve(message));
  worker.on('error', fail);
  worker.on('exit', () => fail(new Error('the thread that indexes subjects ended')));

  function ask(message: ToBuilder): Promise<FromBuilder> {
    waiting = Promise.withResolvers();
    if (failure) waiting.reject(failure);
    else worker.postMessage(message);
    return waiting.promise;
  }

  return {
    async add(subjects) {
      await ask({ kind: 'add', subjects });
    },
    async finish() {
      const answer = await ask({ kind: 'finish' });
      if (answer.kind !== 'built') throw new Error('the thread that indexes subjects gave no index');
      return answer.index;
    },
    async close() {
      await worker.terminate();
    },
  };
}
