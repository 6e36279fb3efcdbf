// All watched subjects in memory, so that a changed list is looked up among them and not they in the list.
//
// A large index is built rarely, in a thread. A small index holds later additions and changes. It
// is rebuilt before a lookup if they changed. Deleted subjects may stay in the large index for a day.
// They do no harm, because every subject found is read again from the table.
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
import { readSubject } from '../../match/read-subject.ts';
import type { SubjectRow } from '../contents.ts';
import type { WatchedScreener } from '../screen.ts';
import type { WatchStore } from '../store.ts';
import type { WorkedLists } from '../worked-lists.ts';
import type { FromBuilder, IndexedSubject, ToBuilder } from './builder-thread.ts';

/**
 * Lowest score threshold for which the index finds every hit. Subjects with a lower threshold are
 * screened at every change (docs/watching.md).
 */
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
  /** Subjects that are screened at every change. */
  always: WatchedSubjectId[];
  builtAt: number;
}

export interface SubjectIndexOptions {
  store: Pick<WatchStore, 'findMany'>;
  worked: Pick<WorkedLists, 'versionsAfter' | 'sumOfVersions'>;
  screener: Pick<WatchedScreener, 'openSubject'>;
  catalogue: Pick<Catalogue, 'select'>;
  pool: Pick<ScreeningPool, 'size' | 'openLane' | 'forget'>;
  clock: Clock;
}

export class SubjectIndex {
  readonly #options: SubjectIndexOptions;
  #large = emptyShelf();
  #small = emptyShelf();
  /** Lists count their editions upwards. */
  #editions = 0;
  #heldSum: string | undefined;
  /** Whether the large index holds subjects that were deleted or changed. */
  #stale = false;

  constructor(options: SubjectIndexOptions) {
    this.#options = options;
  }

  /** Takes in what is in the table. */
  async prepare(signal: AbortSignal): Promise<void> {
    const { worked, clock } = this.#options;
    // The sum is read before the rows, so that a change in between yields another sum next time.
    const sum = await worked.sumOfVersions();
    if (sum === this.#heldSum && !(this.#stale && this.#isOld())) {
      // An index without stale subjects is as current as a new one.
      if (!this.#stale) this.#large.builtAt = clock.now();
      return;
    }
    this.#heldSum = undefined;
    const inLarge = this.#large.known.walk();
    const inSmall = this.#small.known.walk();
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
    this.#stale = inLarge.stale > 0;
    if (beside.length > this.#large.known.size * SMALL_SHARE || (this.#stale && this.#isOld())) {
      // Two of the large ones at once would be too much.
      [this.#large, this.#small] = [emptyShelf(), emptyShelf()];
      this.#large = await this.#build(this.#everybody(), signal);
      this.#stale = false;
    } else if (!isSmallRight || beside.length !== this.#small.known.size)
      this.#small = await this.#build(this.#inPages(beside), signal);
    this.#heldSum = sum;
  }

  /** How many it holds. */
  get size(): number {
    return this.#large.known.size + this.#small.known.size;
  }

  /** Whether so much has come or gone that taking it in is better not left to the next look. */
  isBehind(subjects: number): boolean {
    const held = this.size;
    // Subjects that are gone or were changed leave the large one later.
    return Math.abs(subjects - held) > held * SMALL_SHARE || this.#isOld();
  }

  /** Forgets all subjects. */
  drop(): void {
    [this.#large, this.#small] = [emptyShelf(), emptyShelf()];
    this.#heldSum = undefined;
  }

  /** Returns the subjects that these entities of a list may concern, or undefined if it cannot tell. */
  async findConcerned(
    list: string,
    entities: readonly ListedEntity[],
    signal: AbortSignal,
  ): Promise<Set<WatchedSubjectId> | undefined> {
    const { catalogue, pool } = this.#options;
    await this.prepare(signal);
    const shelves = [this.#large, this.#small].flatMap(({ edition }) => edition ?? []);
    const selection = await catalogue.select(list);
    const held: Edition[] = [...shelves];
    try {
      const words = selection.editions[0]!;
      const subjects: SubjectEditions[] = [];
      for (const all of shelves) {
        const glued = await this.#onLane([words, all], signal, (lane) => this.#glue(lane, all, words, entities));
        held.push(...glued);
        subjects.push({ all: all.id, glued: glued.map(({ id }) => id) });
      }
      const plan = { list: words.id, subjects };
      const found = await this.#onLane([words, ...held], signal, (lane) =>
        Promise.all(
          inGroups(entities, ENTITIES_PER_TASK).map((part) =>
            lane.run(() => ({ kind: 'concerned' as const, entities: part, plan })),
          ),
        ),
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

  async *#everybody(): AsyncGenerator<SubjectRow[]> {
    const { worked, store } = this.#options;
    for (let after = ''; ; ) {
      const page = await worked.versionsAfter(after, PAGE);
      const last = page.at(-1);
      if (!last) return;
      yield store.findMany(page.map(({ id }) => id));
      after = last.id;
    }
  }

  async *#inPages(ids: readonly WatchedSubjectId[]): AsyncGenerator<SubjectRow[]> {
    for (const page of inGroups(ids, PAGE)) yield this.#options.store.findMany(page);
  }

  /** Pages in the order of their ids. */
  async #build(pages: AsyncIterable<SubjectRow[]>, signal: AbortSignal): Promise<Shelf> {
    const versions: RowVersion[] = [];
    const always: WatchedSubjectId[] = [];
    const builder = new SubjectIndexBuilder();
    try {
      for await (const rows of pages) {
        signal.throwIfAborted();
        versions.push(...rows.map(({ id, changed_at }) => ({ id, changed_at })));
        await builder.add(rows.flatMap((row) => this.#indexed(row, always)));
      }
      const index = await builder.finish();
      this.#editions -= 1;
      return {
        edition: { id: this.#editions, index },
        known: new KnownRows(versions),
        always,
        builtAt: this.#options.clock.now(),
      };
    } finally {
      await builder.close();
    }
  }

  #indexed(row: SubjectRow, always: WatchedSubjectId[]): IndexedSubject[] {
    return this.#options.screener.openSubject(row).flatMap(({ content }) => {
      if (content.scoreThreshold < SURE_FROM) {
        always.push(row.id);
        return [];
      }
      return [{ id: row.id, subject: readSubject(content.subject, 'subject') }];
    });
  }

  /** The subjects of an index whose names are cut elsewhere than listed ones: found by all threads together, and once for all. */
  async #glue(
    lane: Lane,
    { id, index }: Edition,
    words: Edition,
    entities: readonly ListedEntity[],
  ): Promise<Edition[]> {
    const found = await Promise.all(
      shareGluing(index, this.#options.pool.size).map((share) =>
        lane.run(() => ({ kind: 'glue' as const, subjects: id, list: words.id, share, entities })),
      ),
    );
    return found.flatMap((glued) => {
      this.#editions -= 1;
      return glued ? [{ id: this.#editions, index: glued }] : [];
    });
  }

  async #onLane<T>(wanted: readonly Edition[], signal: AbortSignal, work: (lane: Lane) => Promise<T>): Promise<T> {
    const lane = this.#options.pool.openLane(wanted);
    signal.addEventListener('abort', lane.close, { once: true });
    try {
      signal.throwIfAborted();
      return await work(lane);
    } finally {
      signal.removeEventListener('abort', lane.close);
      lane.close();
    }
  }
}

function emptyShelf(): Shelf {
  return { edition: undefined, known: new KnownRows([]), always: [], builtAt: 0 };
}

/** Builds an index in a thread. */
class SubjectIndexBuilder {
  // Nothing else of the environment: there are secrets in it, and the thread needs none of it.
  readonly #worker = new Worker(new URL('./builder-thread.ts', import.meta.url), {
    name: 'subjects',
    env: nameCompiledCode(),
    execArgv: [],
  });
  #waiting: PromiseWithResolvers<FromBuilder> | undefined;
  #failure: unknown;

  constructor() {
    this.#worker.on('message', (message: FromBuilder) => this.#waiting?.resolve(message));
    this.#worker.on('error', (error) => this.#fail(error));
    this.#worker.on('exit', () => this.#fail(new Error('the thread that indexes subjects ended')));
  }

  /** Resolves when the thread has taken them, so that only one page waits for it. */
  async add(subjects: readonly IndexedSubject[]): Promise<void> {
    await this.#ask({ kind: 'add', subjects });
  }

  async finish(): Promise<ScreeningIndex> {
    const answer = await this.#ask({ kind: 'finish' });
    if (answer.kind !== 'built') throw new Error('the thread that indexes subjects gave no index');
    return answer.index;
  }

  /** Ends the thread, even in the middle of its work. */
  async close(): Promise<void> {
    await this.#worker.terminate();
  }

  #ask(message: ToBuilder): Promise<FromBuilder> {
    this.#waiting = Promise.withResolvers();
    if (this.#failure) this.#waiting.reject(this.#failure);
    else this.#worker.postMessage(message);
    return this.#waiting.promise;
  }

  #fail(error: unknown): void {
    this.#failure ??= error;
    this.#waiting?.reject(this.#failure);
  }
}

export interface RowVersion {
  id: string;
  changed_at: number;
}

/** Ids are kept as text: it is compared as the database orders it, and need not be parsed. */
const ID_BYTES = 36;

export class KnownRows {
  readonly size: number;
  readonly #ids: Buffer;
  readonly #changedAt: Float64Array;

  /** `rows` in the order of their ids. */
  constructor(rows: readonly RowVersion[]) {
    this.size = rows.length;
    this.#ids = Buffer.alloc(rows.length * ID_BYTES);
    for (const [at, { id }] of rows.entries()) this.#ids.write(id, at * ID_BYTES, 'latin1');
    this.#changedAt = Float64Array.from(rows, ({ changed_at }) => changed_at);
  }

  /** Walks along with pages that come in the order of their ids, from the first on. */
  walk() {
    const [size, ids, changedAt] = [this.size, this.#ids, this.#changedAt];
    const wanted = Buffer.alloc(ID_BYTES);
    let at = 0;
    let stale = 0;
    return {
      /** Number of rows that are gone or were changed, up to where the walk has come. */
      get stale() {
        return stale;
      },
      /** Returns whether the row is held unchanged. */
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
