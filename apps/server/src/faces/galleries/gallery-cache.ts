// Galleries in this process's memory, kept current from the database.
//
// Every change of a gallery has a number. A row is numbered by the change that added it, and a removal leaves a line in a
// log; so the changes that a process has missed are two range reads away. A search names the version of the gallery that
// it must see and waits until the cache has caught up with it: an answer never lacks what was committed before the
// question. A timer also looks for changes of other processes, so that removed rows leave this memory within a second
// even without searches.
import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import { describeForLog } from '../../platform/base/errors.ts';
import type { GalleryRow } from './store/galleries.ts';
import type { PeopleStore } from './store/people.ts';

const POLL_MS = 500;
/** Pause after a gallery could not be read at the start. */
const RETRY_MS = 2_000;
/** Galleries asked about in one statement. */
const POLL_GALLERIES = 500;

export interface CachedGallery {
  /** Rows in it. */
  readonly size: number;
  readonly bytes: number;
  /** Frees its memory. No search reads it any more. */
  drop(): void;
}

/** The rows of a gallery, and how they come into memory. */
export interface GallerySource<G extends CachedGallery> {
  /** Name of the rows in the log. */
  what: 'faces' | 'face tokens';
  /** Number of rows that a whole gallery has. */
  count(row: GalleryRow): number;
  /** Bytes that a whole gallery takes. `free` is what others leave of the limit. */
  measure(row: GalleryRow, free: number): number | Promise<number>;
  create(row: GalleryRow): G;
  /** Takes the changes after this one, up to the version of the row. */
  takeChanges(gallery: G, after: number, row: GalleryRow): Promise<void>;
  /** How often a reading continues at the version that the gallery has reached by then. */
  rounds: number;
  /** Whether there was no room for a gallery although its size was reserved. */
  isFull?(error: unknown): boolean;
}

interface GalleryCacheOptions<G extends CachedGallery> {
  source: GallerySource<G>;
  people: Pick<PeopleStore, 'listGalleries' | 'listVersions'>;
  /** Limit for all galleries together. */
  maxBytes: number;
  /**
   * If true, a gallery without room is read all the same, after all others have left that no one uses. None is then read before a search
   * needs it, unless there is no limit.
   */
  exceedsLimit: boolean;
  log: Logger;
  pollMs?: number | undefined;
}

/** A gallery that stays as long as a search reads it. */
export interface GalleryLease<G> {
  gallery: G;
  release(): void;
}

interface Loaded<G> {
  gallery: G;
  readers: number;
  isReplaced: boolean;
}

interface Entry<G> {
  loaded: Loaded<G>;
  /** The last change that is in it. */
  version: number;
  catchingUp: Promise<void> | undefined;
  /** Bytes that the whole gallery takes. */
  reservedBytes: number;
  /** Searches that wait until it has caught up. */
  waiting: number;
}

export class GalleryCache<G extends CachedGallery> {
  readonly #options: GalleryCacheOptions<G>;
  /** The most recently used one is the last. */
  readonly #entries = new Map<string, Entry<G>>();
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

  /** Returns the gallery with every change up to the row's version; undefined if there is no room for it. */
  async acquire(row: GalleryRow): Promise<GalleryLease<G> | undefined> {
    const isHere = (this.#entries.get(row.id)?.loaded.gallery.size ?? 0) > 0;
    if (!this.#options.exceedsLimit || this.#options.maxBytes === Infinity || isHere) return this.#acquire(row);
    // One after the other: several at once would together take more than any of them makes room for.
    const turn = this.#firstReading.then(() => this.#acquire(row));
    this.#firstReading = turn.catch(() => {});
    return turn;
  }

  /** Call after the commit of a change. Resolves when no later search can miss it. */
  async settle(galleryId: string): Promise<void> {
    const [row] = this.#entries.has(galleryId) ? await this.#options.people.listVersions([galleryId]) : [];
    const entry = this.#entries.get(galleryId);
    if (entry && row) await this.#bring(entry, row);
  }

  /** Reads the galleries that fit, again and again until none is missing. Then follows the changes of those in memory. */
  async load(): Promise<void> {
    while (!this.#isLoaded && !this.#isStopped) {
      try {
        this.#isLoaded = await this.#readAll(await this.#listFirst(), (row) => this.#readFirst(row));
      } catch (error) {
        const message = `loading the ${this.#options.source.what} failed; this will be retried`;
        this.#options.log.warn(describeForLog(error), message);
      }
      if (!this.#isLoaded && !this.#isStopped) await sleep(RETRY_MS);
    }
    this.#schedulePoll();
  }

  /** Returns what it is still doing, or `ready`. */
  state(): string {
    if (this.#isLoaded) return 'ready';
    const here = this.#entries.values().reduce((sum, { loaded }) => sum + loaded.gallery.size, 0);
    return `loading ${this.#options.source.what} (${here} of ${this.#rowsDue})`;
  }

  /** Throws after the cache was closed, so that a long reading ends. */
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

  async #acquire(row: GalleryRow): Promise<GalleryLease<G> | undefined> {
    const need = await this.#measure(row);
    if (!this.#makeRoom(row.id, need) && !this.#options.exceedsLimit) {
      this.#evict(row.id); // it was smaller once
      return undefined;
    }
    const entry = this.#hold(row, need);
    this.#entries.delete(row.id);
    this.#entries.set(row.id, entry);
    this.#newestId = row.id;
    entry.waiting += 1;
    try {
      // Another catch-up that begins right after this one may read everything again.
      while (entry.version < row.version) await this.#bring(entry, row);
      return this.#lease(entry.loaded);
    } catch (error) {
      if (this.#options.source.isFull?.(error)) return undefined;
      throw error;
    } finally {
      entry.waiting -= 1;
    }
  }

  #lease(loaded: Loaded<G>): GalleryLease<G> {
    loaded.readers += 1;
    let isReleased = false;
    return {
      gallery: loaded.gallery,
      release: () => {
        if (isReleased) return;
        isReleased = true;
        loaded.readers -= 1;
        this.#dropUnread(loaded);
        const newest = this.#entries.get(this.#newestId);
        if (newest) this.#makeRoom(this.#newestId, bytesOf(newest));
      },
    };
  }

  async #measure(row: GalleryRow): Promise<number> {
    return this.#options.source.measure(row, this.#freeBytes(row.id));
  }

  /** Returns what the other galleries leave of the limit. */
  #freeBytes(id: string): number {
    let free = this.#options.maxBytes;
    if (free === Infinity) return free;
    for (const [other, entry] of this.#entries) if (other !== id) free -= bytesOf(entry);
    return free;
  }

  /** Evicts the galleries that were not used for longest until this one fits. Returns false if it does not. */
  #makeRoom(id: string, need: number): boolean {
    const mayEvict = this.#options.exceedsLimit || need <= this.#options.maxBytes;
    for (const other of this.#entries.keys()) {
      if (!mayEvict || need <= this.#freeBytes(id)) break;
      if (other !== id) this.#evict(other);
    }
    return need <= this.#freeBytes(id);
  }

  /** Does nothing to a gallery in use. */
  #evict(id: string): void {
    const entry = this.#entries.get(id);
    if (!entry || entry.catchingUp || entry.waiting > 0 || entry.loaded.readers > 0) return;
    this.#remove(id, entry);
  }

  #remove(id: string, entry: Entry<G>): void {
    if (this.#entries.get(id) === entry) this.#entries.delete(id);
    entry.loaded.isReplaced = true;
    this.#dropUnread(entry.loaded);
  }

  #dropUnread({ gallery, readers, isReplaced }: Loaded<G>): void {
    if (isReplaced && readers === 0) gallery.drop();
  }

  #hold(row: GalleryRow, need: number): Entry<G> {
    let entry = this.#entries.get(row.id);
    if (!entry) {
      entry = { loaded: this.#create(row), version: 0, catchingUp: undefined, reservedBytes: need, waiting: 0 };
      this.#entries.set(row.id, entry);
    }
    entry.reservedBytes = need;
    return entry;
  }

  #create(row: GalleryRow): Loaded<G> {
    return { gallery: this.#options.source.create(row), readers: 0, isReplaced: false };
  }

  async #bring(entry: Entry<G>, row: GalleryRow): Promise<void> {
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

  async #catchUp(entry: Entry<G>, row: GalleryRow): Promise<void> {
    let target: GalleryRow | undefined = row;
    for (let round = 1; target && entry.version < target.version; round++) {
      // The log no longer says what was removed since, so everything is read again.
      if (entry.version < target.log_floor && entry.loaded.gallery.size > 0) {
        entry.loaded.isReplaced = true;
        this.#dropUnread(entry.loaded);
        entry.loaded = this.#create(target);
        entry.version = 0;
      }
      await this.#options.source.takeChanges(entry.loaded.gallery, entry.version, target);
      entry.version = target.version;
      if (round === this.#options.source.rounds) return;
      [target] = await this.#options.people.listVersions([row.id]);
    }
  }

  async #listFirst(): Promise<GalleryRow[]> {
    if (this.#options.exceedsLimit && this.#options.maxBytes < Infinity) return [];
    const { people, source } = this.#options;
    const rows = (await people.listGalleries()).filter((row) => source.count(row) > 0);
    this.#rowsDue = rows.reduce((sum, row) => sum + source.count(row), 0);
    return rows;
  }

  async #readFirst(row: GalleryRow): Promise<void> {
    const need = await this.#measure(row);
    if (need <= this.#freeBytes(row.id)) await this.#bring(this.#hold(row, need), row);
  }

  /** A gallery that has grown evicts others, or is evicted itself, before more of it is read. */
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
      for (let at = 0; at < ids.length && !this.#isStopped; at += POLL_GALLERIES) {
        const rows = await this.#options.people.listVersions(ids.slice(at, at + POLL_GALLERIES));
        await this.#readAll(rows, (row) => this.#refresh(row));
      }
    } catch (error) {
      if (!this.#isStopped)
        this.#options.log.warn(describeForLog(error), 'looking for changed galleries failed; this will be retried');
    }
  }
}

function bytesOf({ loaded, reservedBytes }: Entry<CachedGallery>): number {
  return Math.max(loaded.gallery.bytes, reservedBytes);
}
