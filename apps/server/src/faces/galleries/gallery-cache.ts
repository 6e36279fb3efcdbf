// An in-memory cache of galleries, kept current from the database.
//
// Every change of a gallery has a number. A row carries the number of the change that added it, and a removal leaves a
// line in a log. Two range reads therefore return all changes that a process has missed. A search names the gallery
// version that it must see and waits for it, so no answer lacks an earlier commit. A timer also polls for changes of
// other processes, so that removed rows leave this memory within a second even without searches.
import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import { describeForLog } from '../../platform/base/errors.ts';
import type { GalleryRow } from './store/galleries.ts';
import type { PeopleStore } from './store/people.ts';

const POLL_MS = 500;
const LOAD_RETRY_MS = 2_000;
const GALLERIES_PER_POLL_QUERY = 500;

export interface CachedGallery {
  readonly size: number;
  readonly bytes: number;
  /** Frees the memory. Called once no search reads the gallery. */
  drop(): void;
}

interface GallerySource<G extends CachedGallery> {
  what: 'faces' | 'face tokens';
  count(row: GalleryRow): number;
  /** Bytes of a whole gallery. `free` is the part of the limit that other galleries leave. */
  measure(row: GalleryRow, free: number): number | Promise<number>;
  create(row: GalleryRow): G;
  /** Applies the changes after `after`, up to the version of the row. */
  takeChanges(gallery: G, after: number, row: GalleryRow): Promise<void>;
  /** Catch-up rounds. Each one continues to the version that the gallery has reached by then. */
  rounds: number;
  /** Whether memory ran out although the size was reserved */
  isFull?(error: unknown): boolean;
}

interface GalleryCacheOptions<G extends CachedGallery> {
  source: GallerySource<G>;
  people: Pick<PeopleStore, 'listGalleries' | 'listVersions'>;
  maxBytes: number;
  /** Whether a gallery that does not fit is read anyway, once a search needs it */
  exceedsLimit: boolean;
  log: Logger;
  pollMs?: number | undefined;
}

/** A gallery in memory. A replaced one stays until its last reader releases it. */
interface LoadedGallery<G> {
  gallery: G;
  readers: number;
  isReplaced: boolean;
}

interface CacheEntry<G> {
  loaded: LoadedGallery<G>;
  /** Latest change that the gallery contains */
  version: number;
  catchingUp: Promise<void> | undefined;
  reservedBytes: number;
  waitingSearches: number;
}

export class GalleryCache<G extends CachedGallery> {
  readonly #options: GalleryCacheOptions<G>;
  /** In order of use. The most recently used entry is the last. */
  readonly #entries = new Map<string, CacheEntry<G>>();
  #newestId = '';
  #rowsDue = 0;
  #isLoaded = false;
  #isStopped = false;
  #firstReading: Promise<unknown> = Promise.resolve();
  #polling: Promise<void> = Promise.resolve();
  #timer: NodeJS.Timeout | undefined;

  constructor(options: GalleryCacheOptions<G>) {
    this.#options = options;
  }

  /** Returns the gallery with all changes up to the row's version, or undefined if it does not fit. */
  async acquire(row: GalleryRow) {
    const isHere = (this.#entries.get(row.id)?.loaded.gallery.size ?? 0) > 0;
    if (!this.#options.exceedsLimit || this.#options.maxBytes === Infinity || isHere) return this.#acquire(row);
    // First readings take turns: together they would take more memory than each of them frees.
    const turn = this.#firstReading.then(() => this.#acquire(row));
    this.#firstReading = turn.catch(() => {});
    return turn;
  }

  /** Resolves when no later search can miss a change. Call it after the commit. */
  async settle(galleryId: string): Promise<void> {
    const [row] = this.#entries.has(galleryId) ? await this.#options.people.listVersions([galleryId]) : [];
    const entry = this.#entries.get(galleryId);
    if (entry && row) await this.#bring(entry, row);
  }

  /** Reads the galleries that fit, retries failures, and then follows changes. */
  async load(): Promise<void> {
    while (!this.#isLoaded && !this.#isStopped) {
      try {
        this.#isLoaded = await this.#readAll(await this.#listFirst(), async (row) => {
          const need = await this.#measure(row);
          if (need <= this.#freeBytes(row.id)) await this.#bring(this.#hold(row, need), row);
        });
      } catch (error) {
        const message = `loading the ${this.#options.source.what} failed; this will be retried`;
        this.#options.log.warn(describeForLog(error), message);
      }
      if (!this.#isLoaded && !this.#isStopped) await sleep(LOAD_RETRY_MS);
    }
    this.#schedulePoll();
  }

  state(): string {
    if (this.#isLoaded) return 'ready';
    const here = this.#entries.values().reduce((sum, { loaded }) => sum + loaded.gallery.size, 0);
    return `loading ${this.#options.source.what} (${here} of ${this.#rowsDue})`;
  }

  /** Throws if the cache is closed, so that a long reading ends. */
  requireOpen(): void {
    if (this.#isStopped) throw new Error(`the memory of ${this.#options.source.what} is closed`);
  }

  async close(): Promise<void> {
    this.#isStopped = true;
    clearTimeout(this.#timer);
    await this.#polling;
    await Promise.allSettled(this.#entries.values().map(({ catchingUp }) => catchingUp));
    for (const [id, entry] of this.#entries) this.#remove(id, entry);
  }

  async #acquire(row: GalleryRow) {
    const need = await this.#measure(row);
    if (!this.#makeRoom(row.id, need) && !this.#options.exceedsLimit) {
      this.#evict(row.id); // an earlier, smaller version of it
      return undefined;
    }
    const entry = this.#hold(row, need);
    this.#entries.delete(row.id);
    this.#entries.set(row.id, entry);
    this.#newestId = row.id;
    entry.waitingSearches += 1;
    try {
      // Another catch-up that begins right after this one may read everything again.
      while (entry.version < row.version) await this.#bring(entry, row);
      return this.#lease(entry.loaded);
    } catch (error) {
      if (this.#options.source.isFull?.(error)) return undefined;
      throw error;
    } finally {
      entry.waitingSearches -= 1;
    }
  }

  #lease(loaded: LoadedGallery<G>) {
    loaded.readers += 1;
    let isReleased = false;
    return {
      gallery: loaded.gallery,
      release: () => {
        if (isReleased) return;
        isReleased = true;
        loaded.readers -= 1;
        freeIfUnused(loaded);
        const newest = this.#entries.get(this.#newestId);
        if (newest) this.#makeRoom(this.#newestId, countBytes(newest));
      },
    };
  }

  async #measure(row: GalleryRow): Promise<number> {
    return this.#options.source.measure(row, this.#freeBytes(row.id));
  }

  /** Returns the part of the limit that galleries other than this one leave. */
  #freeBytes(id: string): number {
    let free = this.#options.maxBytes;
    if (free === Infinity) return free;
    for (const [otherId, entry] of this.#entries) if (otherId !== id) free -= countBytes(entry);
    return free;
  }

  /** Evicts the least recently used galleries until this one fits. Returns false if it does not. */
  #makeRoom(id: string, need: number): boolean {
    const mayEvict = this.#options.exceedsLimit || need <= this.#options.maxBytes;
    for (const otherId of this.#entries.keys()) {
      if (!mayEvict || need <= this.#freeBytes(id)) break;
      if (otherId !== id) this.#evict(otherId);
    }
    return need <= this.#freeBytes(id);
  }

  /** Removes a gallery unless it is in use. */
  #evict(id: string): void {
    const entry = this.#entries.get(id);
    if (!entry || entry.catchingUp || entry.waitingSearches > 0 || entry.loaded.readers > 0) return;
    this.#remove(id, entry);
  }

  #remove(id: string, entry: CacheEntry<G>): void {
    if (this.#entries.get(id) === entry) this.#entries.delete(id);
    entry.loaded.isReplaced = true;
    freeIfUnused(entry.loaded);
  }

  #hold(row: GalleryRow, need: number): CacheEntry<G> {
    let entry = this.#entries.get(row.id);
    if (!entry) {
      entry = { loaded: this.#create(row), version: 0, catchingUp: undefined, reservedBytes: need, waitingSearches: 0 };
      this.#entries.set(row.id, entry);
    }
    entry.reservedBytes = need;
    return entry;
  }

  #create(row: GalleryRow): LoadedGallery<G> {
    return { gallery: this.#options.source.create(row), readers: 0, isReplaced: false };
  }

  async #bring(entry: CacheEntry<G>, row: GalleryRow): Promise<void> {
    while (entry.version < row.version) {
      entry.catchingUp ??= this.#catchUp(entry, row)
        .catch((error: unknown) => {
          if (this.#options.source.isFull?.(error)) this.#remove(row.id, entry);
          throw error;
        })
        .finally(() => {
          entry.catchingUp = undefined;
        });
      await entry.catchingUp;
    }
  }

  async #catchUp(entry: CacheEntry<G>, row: GalleryRow): Promise<void> {
    const { source, people } = this.#options;
    let target: GalleryRow | undefined = row;
    for (let round = 1; target && entry.version < target.version; round++) {
      // The log no longer holds all removals since this version, so the gallery is read from the beginning.
      if (entry.version < target.log_floor && entry.loaded.gallery.size > 0) {
        entry.loaded.isReplaced = true;
        freeIfUnused(entry.loaded);
        entry.loaded = this.#create(target);
        entry.version = 0;
      }
      await source.takeChanges(entry.loaded.gallery, entry.version, target);
      entry.version = target.version;
      if (round === source.rounds) return;
      [target] = await people.listVersions([row.id]);
    }
  }

  async #listFirst(): Promise<GalleryRow[]> {
    const { people, source, exceedsLimit, maxBytes } = this.#options;
    if (exceedsLimit && maxBytes < Infinity) return [];
    const rows = (await people.listGalleries()).filter((row) => source.count(row) > 0);
    this.#rowsDue = rows.reduce((sum, row) => sum + source.count(row), 0);
    return rows;
  }

  /** Reads the changes of a gallery. If it has grown, others are evicted, or it is. */
  async #refresh(row: GalleryRow): Promise<void> {
    if (!this.#entries.has(row.id)) return;
    const need = await this.#measure(row);
    if (!this.#entries.has(row.id)) return;
    if (this.#options.exceedsLimit || this.#makeRoom(row.id, need)) await this.#bring(this.#hold(row, need), row);
    else this.#evict(row.id);
  }

  /** Continues after a gallery that cannot be read. Returns false if there was one. */
  async #readAll(rows: readonly GalleryRow[], read: (row: GalleryRow) => Promise<void>): Promise<boolean> {
    let isComplete = true;
    for (const row of rows) {
      if (this.#isStopped) return false;
      try {
        await read(row);
      } catch (error) {
        isComplete = false;
        if (this.#isStopped) continue;
        const message = `the ${this.#options.source.what} of a gallery could not be read; this will be retried`;
        this.#options.log.warn({ ...describeForLog(error), gallery: row.id }, message);
      }
    }
    return isComplete;
  }

  #schedulePoll(): void {
    if (this.#isStopped) return;
    this.#timer = setTimeout(() => {
      this.#polling = this.#poll().finally(() => this.#schedulePoll());
    }, this.#options.pollMs ?? POLL_MS).unref();
  }

  async #poll(): Promise<void> {
    try {
      const ids = [...this.#entries.keys()];
      for (let at = 0; at < ids.length && !this.#isStopped; at += GALLERIES_PER_POLL_QUERY) {
        const rows = await this.#options.people.listVersions(ids.slice(at, at + GALLERIES_PER_POLL_QUERY));
        await this.#readAll(rows, (row) => this.#refresh(row));
      }
    } catch (error) {
      if (!this.#isStopped)
        this.#options.log.warn(describeForLog(error), 'looking for changed galleries failed; this will be retried');
    }
  }
}

function freeIfUnused({ gallery, readers, isReplaced }: LoadedGallery<CachedGallery>): void {
  if (isReplaced && readers === 0) gallery.drop();
}

function countBytes({ loaded, reservedBytes }: CacheEntry<CachedGallery>): number {
  return Math.max(loaded.gallery.bytes, reservedBytes);
}
