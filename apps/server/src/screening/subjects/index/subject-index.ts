// Index of all watched subjects in memory, in which the changes of a list are looked up.
//
// A large index is rebuilt rarely, in a thread. A small one holds later additions and changes, and is rebuilt before a lookup.
// Deleted subjects may stay in the large index for a day: each subject found is read again from the table.
import { once } from 'node:events';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { type ListedEntity, type ScreeningIndex, shareGluing } from '@limen/screening';
import { inGroups } from '../../../platform/base/batches.ts';
import type { Clock } from '../../../platform/base/clock.ts';
import { nameCompiledCode } from '../../../platform/base/compiled-code.ts';
import type { WatchedSubjectId } from '../../../platform/base/ids.ts';
import type { Edition, SubjectEditions } from '../../engine/messages.ts';
import type { Lane, ScreeningPool } from '../../engine/pool.ts';
import type { Catalogue } from '../../lists/catalogue/catalogue.ts';
import { runOnLane } from '../../match/matcher.ts';
import { readSubject } from '../../match/read-subject.ts';
import type { WatchedScreener } from '../screen.ts';
import type { WatchStore } from '../store.ts';
import type { WorkedLists } from '../worked-lists.ts';
import type { BuilderOrder, BuilderReply, IndexedSubject } from './builder-thread.ts';

/** Lowest score threshold for which a lookup finds every hit (docs/watching.md). */
const SURE_FROM = 0.83;
/** Rows that are opened at a time, and versions that are read at a time. */
const PAGE = 200;
const VERSIONS_PAGE = 5_000;
const ENTITIES_PER_TASK = 20;
/** Share of the large index from which the small one is merged into it, and age from which stale subjects leave it. */
const SMALL_SHARE = 1 / 8;
const GONE_AFTER_MS = 24 * 60 * 60 * 1000;

interface Shelf {
  edition: Edition | undefined;
  known: KnownRows;
  /** Subjects with a low threshold, which are screened at every change. */
  always: WatchedSubjectId[];
  builtAt: number;
}

interface SubjectIndexOptions {
  store: WatchStore;
  worked: WorkedLists;
  screener: Pick<WatchedScreener, 'openSubject'>;
  catalogue: Pick<Catalogue, 'select'>;
  pool: ScreeningPool;
  clock: Clock;
}

export class SubjectIndex {
  readonly #options: SubjectIndexOptions;
  #large = emptyShelf();
  #small = emptyShelf();
  /** Counts down, because the editions of lists count up. */
  #editions = 0;
  /** Sum of the versions that the indexes hold; undefined if they are incomplete. */
  #heldSum: string | undefined;
  /** Whether the large index holds subjects that were deleted or changed. */
  #stale = false;

  constructor(options: SubjectIndexOptions) {
    this.#options = options;
  }

  /** Brings the indexes up to date with the table. */
  async prepare(signal: AbortSignal): Promise<void> {
    const { worked, clock } = this.#options;
    // Read before the rows, so that a later change yields another sum next time.
    const sum = await worked.sumOfVersions();
    if (sum === this.#heldSum && !(this.#stale && this.#isOld())) {
      // Without stale subjects, the index is as current as a new one.
      if (!this.#stale) this.#large.builtAt = clock.now();
      return;
    }
    this.#heldSum = undefined;
    const inLarge = this.#large.known.walk();
    const inSmall = this.#small.known.walk();
    const rest: WatchedSubjectId[] = [];
    let isSmallRight = true;
    for (let after = ''; ; ) {
      signal.throwIfAborted();
      const page = await worked.versionsAfter(after, VERSIONS_PAGE);
      for (const row of page) {
        if (inLarge.holds(row)) continue;
        rest.push(row.id);
        if (!inSmall.holds(row)) isSmallRight = false;
      }
      const last = page.at(-1);
      if (!last) break;
      after = last.id;
      await nextTurn();
    }
    this.#stale = inLarge.stale > 0;
    if (rest.length > this.#large.known.size * SMALL_SHARE || (this.#stale && this.#isOld())) {
      // Two large indexes at once would take too much memory.
      this.drop();
      this.#large = await this.#build(this.#everybody(), signal);
      this.#stale = false;
    } else if (!isSmallRight || rest.length !== this.#small.known.size)
      this.#small = await this.#build(inGroups(rest, PAGE), signal);
    this.#heldSum = sum;
  }

  get size(): number {
    return this.#large.known.size + this.#small.known.size;
  }

  /** Returns whether so many subjects changed that `prepare` is due before the next lookup. */
  isBehind(subjects: number): boolean {
    return Math.abs(subjects - this.size) > this.size * SMALL_SHARE || this.#isOld();
  }

  drop(): void {
    [this.#large, this.#small] = [emptyShelf(), emptyShelf()];
    this.#heldSum = undefined;
  }

  /** Returns the subjects that these entities of a list may concern, or undefined if they cannot be found. */
  async findConcerned(list: string, entities: readonly ListedEntity[], signal: AbortSignal) {
    const { catalogue, pool } = this.#options;
    await this.prepare(signal);
    const shelves = [this.#large, this.#small].flatMap(({ edition }) => edition ?? []);
    const selection = await catalogue.select(list);
    const held: Edition[] = [...shelves];
    try {
      const words = selection.editions[0]!;
      const subjects: SubjectEditions[] = [];
      for (const all of shelves) {
        const glued = await runOnLane(pool, [words, all], undefined, signal, (lane) =>
          this.#glue(lane, all, words, entities),
        );
        held.push(...glued);
        subjects.push({ all: all.id, glued: glued.map(({ id }) => id) });
      }
      const plan = { list: words.id, subjects };
      const parts = inGroups(entities, ENTITIES_PER_TASK);
      const found = await runOnLane(pool, [words, ...held], undefined, signal, (lane) =>
        Promise.all(parts.map((part) => lane.run(() => ({ kind: 'concerned' as const, entities: part, plan })))),
      );
      if (found.includes(null)) return undefined;
      return new Set([...this.#large.always, ...this.#small.always, ...(found.flat() as WatchedSubjectId[])]);
    } finally {
      selection.release();
      // The threads do not need these indexes until the next change.
      for (const edition of held) pool.forget(edition);
    }
  }

  #isOld() {
    return this.#options.clock.now() - this.#large.builtAt > GONE_AFTER_MS;
  }

  async *#everybody(): AsyncGenerator<WatchedSubjectId[]> {
    for (let after: string | undefined = ''; after !== undefined; ) {
      const page = await this.#options.worked.versionsAfter(after, PAGE);
      const ids = page.map(({ id }) => id);
      if (ids.length > 0) yield ids;
      after = ids.at(-1);
    }
  }

  /** Builds an index in a thread, which posts it back as shared memory. `pages` are in the order of their ids. */
  async #build(pages: AsyncIterable<WatchedSubjectId[]> | Iterable<WatchedSubjectId[]>, signal: AbortSignal) {
    const { store, screener, clock } = this.#options;
    const versions: RowVersion[] = [];
    const always: WatchedSubjectId[] = [];
    // Without the environment: it holds secrets that the thread does not need.
    const options = { name: 'subjects', env: nameCompiledCode(), execArgv: [] };
    const worker = new Worker(new URL('./builder-thread.ts', import.meta.url), options);
    const failed = Promise.withResolvers<never>();
    failed.promise.catch(() => {}); // reported by the next request
    worker.on('error', failed.reject);
    worker.on('exit', () => failed.reject(new Error('the thread that indexes subjects ended')));
    const ask = async (message: BuilderOrder): Promise<BuilderReply> => {
      worker.postMessage(message);
      const [answer] = await Promise.race([once(worker, 'message'), failed.promise]);
      return answer;
    };
    try {
      for await (const ids of pages) {
        const subjects: IndexedSubject[] = [];
        for (const row of await store.findMany(ids)) {
          versions.push({ id: row.id, changed_at: row.changed_at });
          for (const { content } of screener.openSubject(row)) {
            if (content.scoreThreshold < SURE_FROM) always.push(row.id);
            else subjects.push({ id: row.id, subject: readSubject(content.subject, 'subject') });
          }
        }
        signal.throwIfAborted();
        // One page at a time waits for the thread.
        await ask({ kind: 'add', subjects });
      }
      const answer = await ask({ kind: 'finish' });
      if (answer.kind !== 'built') throw new Error('the thread that indexes subjects gave no index');
      return { edition: this.#newEdition(answer.index), known: new KnownRows(versions), always, builtAt: clock.now() };
    } finally {
      await worker.terminate();
    }
  }

  #newEdition(index: ScreeningIndex): Edition {
    this.#editions -= 1;
    return { id: this.#editions, index };
  }

  /** Indexes, on all threads together, the subjects whose names are split into words differently than listed ones. */
  async #glue(lane: Lane, { id, index }: Edition, words: Edition, entities: readonly ListedEntity[]) {
    const found = await Promise.all(
      shareGluing(index, this.#options.pool.size).map((share) =>
        lane.run(() => ({ kind: 'glue' as const, subjects: id, list: words.id, share, entities })),
      ),
    );
    return found.flatMap((glued) => (glued ? [this.#newEdition(glued)] : []));
  }
}

function emptyShelf(): Shelf {
  return { edition: undefined, known: new KnownRows([]), always: [], builtAt: 0 };
}

type RowVersion = { id: string; changed_at: number };

/** Ids stay text, which is compared as the database orders it. */
const ID_BYTES = 36;

/** Versions of rows in little memory, ordered by id. */
export class KnownRows {
  readonly size: number;
  readonly #ids: Buffer;
  readonly #changedAt: Float64Array;

  constructor(rows: readonly RowVersion[]) {
    this.size = rows.length;
    this.#ids = Buffer.alloc(rows.length * ID_BYTES);
    for (const [at, { id }] of rows.entries()) this.#ids.write(id, at * ID_BYTES, 'latin1');
    this.#changedAt = Float64Array.from(rows, ({ changed_at }) => changed_at);
  }

  /** Compares rows with the known ones, in the order of their ids, from the first row on. */
  walk() {
    const [size, ids, changedAt] = [this.size, this.#ids, this.#changedAt];
    const wanted = Buffer.alloc(ID_BYTES);
    let at = 0;
    let stale = 0;
    return {
      /** Number of known rows so far that were deleted or changed. */
      get stale() {
        return stale;
      },
      /** Returns whether the row is known and unchanged. */
      holds({ id, changed_at }: RowVersion): boolean {
        wanted.write(id, 'latin1');
        for (; at < size; at += 1) {
          const order = ids.compare(wanted, 0, ID_BYTES, at * ID_BYTES, (at + 1) * ID_BYTES);
          if (order > 0) return false;
          const isSame = order === 0 && changedAt[at] === changed_at;
          if (!isSame) stale += 1;
          if (order === 0) {
            at += 1;
            return isSame;
          }
        }
        return false;
      },
    };
  }
}
