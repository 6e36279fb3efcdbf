// Threads that scan large galleries, shared by all of them: first come, first served, with idle
// threads helping.
import { Worker } from 'node:worker_threads';
import type { Arena } from './arena.ts';
import type { SlotHit } from './best-hits.ts';
import { type Block, createLayout } from './block.ts';
import { MAX_DIMENSIONS } from './gallery.ts';
import type { KernelKind } from './kernel/kernel.ts';
import { scratchBytes } from './scan.ts';
import type { ForgetRequest, SearchReply, SearchRequest, ThreadSetup } from './scan-thread.ts';
import { clearLimit } from './shared-limit.ts';

/** Minimum number of unclaimed blocks for a thread to join a running search. */
const WORTH_JOINING = 2;

export interface ScanJob {
  gallery: number;
  dimensions: number;
  blocks: readonly Block[];
  lastRows: number;
  query: Float32Array;
  k: number;
  minSimilarity: number;
}

/** Best hits of each participating thread, or the reason why a thread ended. */
export type ScanOutcome = { lists: SlotHit[][] } | { ended: Error };

interface Search extends ScanJob {
  counter: number;
  /** Number of threads working on it. */
  parts: number;
  lists: SlotHit[][];
  resolve(outcome: ScanOutcome): void;
  reject(error: unknown): void;
}

interface Thread {
  worker: Worker;
  /** Number of blocks of each gallery that the thread knows. */
  known: Map<number, number>;
  search: Search | undefined;
}

export interface ThreadPoolParts {
  threads: number;
  arena: Arena;
  kind: KernelKind;
  /** Called for each started thread. */
  onStart?: ((worker: Worker) => void) | undefined;
}

export class ThreadPool {
  readonly #most: number;
  readonly #arena: Arena;
  readonly #kind: KernelKind;
  readonly #onStart: ThreadPoolParts['onStart'];
  // One per thread suffices, because a search uses its counter and limit while a thread works on
  // it.
  readonly #counters: SharedArrayBuffer;
  readonly #claims: Int32Array;
  readonly #limits: SharedArrayBuffer;
  readonly #limitCells: Int32Array;
  readonly #freeCounters: number[];
  readonly #scratchBytes = scratchBytes(createLayout(MAX_DIMENSIONS));
  readonly #freeScratch: number[];
  readonly #threads = new Set<Thread>();
  readonly #running = new Set<Search>();
  #waiting: Search[] = [];
  #isClosed = false;

  constructor({ threads, arena, kind, onStart }: ThreadPoolParts) {
    this.#most = threads;
    this.#arena = arena;
    this.#kind = kind;
    this.#onStart = onStart;
    this.#counters = new SharedArrayBuffer(threads * 4);
    this.#claims = new Int32Array(this.#counters);
    this.#limits = new SharedArrayBuffer(threads * 4);
    this.#limitCells = new Int32Array(this.#limits);
    this.#freeCounters = Array.from({ length: threads }, (_, index) => index);
    // Allocated early, because galleries may have taken all memory by the first search.
    this.#freeScratch = Array.from({ length: threads }, () => arena.allocate(this.#scratchBytes));
  }

  search(job: ScanJob): Promise<ScanOutcome> {
    if (this.#isClosed) return Promise.reject(new Error('The face index is closed. Open another one.'));
    const { promise, resolve, reject } = Promise.withResolvers<ScanOutcome>();
    // Snapshot of the blocks, because the gallery may grow or be dropped while the search waits.
    const blocks = job.blocks.slice();
    this.#waiting.push({ ...job, blocks, counter: -1, parts: 0, lists: [], resolve, reject });
    this.#assign();
    return promise;
  }

  /** Rejects a gallery's searches and makes the threads release its buffers. */
  forget(gallery: number): void {
    this.#refuse('The gallery was dropped during the search.', (search) => search.gallery === gallery);
    const message: ForgetRequest = { type: 'forget', gallery };
    for (const { worker, known } of this.#threads) if (known.delete(gallery)) worker.postMessage(message);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#refuse('The face index was closed during the search.', () => true);
    await Promise.all(Array.from(this.#threads, ({ worker }) => worker.terminate()));
  }

  #refuse(reason: string, isRefused: (search: Search) => boolean): void {
    for (const search of [...this.#waiting, ...this.#running].filter(isRefused)) {
      this.#abandon(search);
      search.reject(new Error(reason));
    }
    this.#waiting = this.#waiting.filter((search) => !isRefused(search));
  }

  #startThread(): Thread {
    const scratchAt = this.#freeScratch.at(-1)!;
    const { memory } = this.#arena;
    const setup: ThreadSetup = { memory, kind: this.#kind, scratchAt, counters: this.#counters, limits: this.#limits };
    // Process options do not apply to threads: some, such as --input-type, would stop them.
    const options = { workerData: setup, execArgv: [] };
    const worker = new Worker(new URL('./scan-thread.ts', import.meta.url), options);
    this.#freeScratch.pop();
    const thread: Thread = { worker, known: new Map(), search: undefined };
    let cause: unknown;
    worker.on('message', (reply: SearchReply) => this.#finishPart(thread, reply));
    worker.on('error', (error) => {
      cause = error;
    });
    worker.on('exit', () => this.#endThread(thread, scratchAt, cause));
    // An idle thread does not keep the process alive.
    worker.unref();
    this.#threads.add(thread);
    this.#onStart?.(worker);
    return thread;
  }

  #endThread(thread: Thread, scratchAt: number, cause: unknown): void {
    this.#threads.delete(thread);
    this.#arena.views.bytes.fill(0, scratchAt, scratchAt + this.#scratchBytes);
    this.#freeScratch.push(scratchAt);
    const { search } = thread;
    this.#leave(thread);
    if (search && this.#running.has(search)) {
      this.#abandon(search);
      search.resolve({ ended: new Error('A thread of the face index ended during the search. Try again.', { cause }) });
    }
    this.#assign();
  }

  #findIdle(): Thread | undefined {
    for (const thread of this.#threads) if (!thread.search) return thread;
    return this.#threads.size < this.#most ? this.#startThread() : undefined;
  }

  /**
   * Gives each waiting search one thread. Further threads join running searches only if none waits.
   * A single search thus uses all threads, and many run in parallel without the cost of merging.
   */
  #assign(): void {
    while (!this.#isClosed) {
      const joinable = this.#waiting.length === 0 ? this.#findJoinable() : undefined;
      if (this.#waiting.length === 0 && !joinable) return;
      let thread: Thread | undefined;
      try {
        thread = this.#findIdle();
      } catch (error) {
        // A running search can continue without another thread. A search waiting for its first
        // thread must not wait forever.
        if (joinable) return;
        this.#waiting.shift()!.reject(error);
        continue;
      }
      if (!thread) return;
      this.#order(thread, joinable ?? this.#begin(this.#waiting.shift()!));
    }
  }

  #begin(search: Search): Search {
    search.counter = this.#freeCounters.pop()!;
    this.#claims[search.counter] = 0;
    clearLimit(this.#limitCells, search.counter);
    this.#running.add(search);
    return search;
  }

  #findJoinable(): Search | undefined {
    let found: Search | undefined;
    let mostLeft = WORTH_JOINING - 1;
    for (const search of this.#running) {
      const left = search.blocks.length - Atomics.load(this.#claims, search.counter);
      if (left > mostLeft) [found, mostLeft] = [search, left];
    }
    return found;
  }

  #order(thread: Thread, search: Search): void {
    thread.search = search;
    search.parts += 1;
    const { gallery, dimensions, query, k, minSimilarity, counter, lastRows, blocks } = search;
    const blockCount = blocks.length;
    const known = thread.known.get(gallery) ?? 0;
    thread.known.set(gallery, Math.max(known, blockCount));
    const added = blocks.slice(known).map(({ capacity, at, originals }) => ({ capacity, at, originals }));
    const options = { gallery, dimensions, query, k, minSimilarity };
    const message: SearchRequest = { type: 'search', ...options, counter, added, lastRows, blockCount };
    thread.worker.ref();
    thread.worker.postMessage(message);
  }

  #finishPart(thread: Thread, hits: SlotHit[]): void {
    const { search } = thread;
    thread.worker.unref();
    search?.lists.push(hits);
    if (this.#leave(thread) && search && this.#running.delete(search)) search.resolve({ lists: search.lists });
    this.#assign();
  }

  /** Detaches a thread from its search. Returns true for the last one. */
  #leave(thread: Thread): boolean {
    const { search } = thread;
    thread.search = undefined;
    if (!search) return false;
    search.parts -= 1;
    if (search.parts > 0) return false;
    this.#freeCounters.push(search.counter);
    return true;
  }

  /** Leaves no block to claim for the other threads of the search. */
  #abandon(search: Search): void {
    if (search.parts > 0) Atomics.store(this.#claims, search.counter, search.blocks.length);
    this.#running.delete(search);
  }
}
