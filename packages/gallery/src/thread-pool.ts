// The threads that scan large galleries, shared by all of them: first come, first served, and idle ones lend a hand.
import { Worker } from 'node:worker_threads';
import type { Arena } from './arena.ts';
import type { SlotHit } from './best-hits.ts';
import { type Block, createLayout } from './block.ts';
import { MAX_DIMENSIONS } from './gallery.ts';
import type { KernelKind } from './kernel/kernel.ts';
import { scratchBytes } from './scan.ts';
import type { ForgetOrder, SearchOrder, SearchReply, ThreadSetup } from './scan-thread.ts';
import { clearLimit } from './shared-limit.ts';

/** A thread joins a search that another has begun while at least this many blocks are unclaimed. */
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

/** The best hits of each thread that took part, which together hold the answer; or why a thread ended before its part. */
export type ScanOutcome = { lists: SlotHit[][] } | { ended: Error };

export interface ThreadPool {
  search(job: ScanJob): Promise<ScanOutcome>;
  /** Refuses a gallery's searches and lets the threads release its buffers. */
  forget(gallery: number): void;
  close(): Promise<void>;
}

interface Search extends ScanJob {
  counter: number;
  /** Threads at work on it. */
  parts: number;
  lists: SlotHit[][];
  resolve(outcome: ScanOutcome): void;
  reject(error: unknown): void;
}

interface Thread {
  worker: Worker;
  /** Blocks of each gallery that it has been told of. */
  known: Map<number, number>;
  search: Search | undefined;
}

export interface ThreadPoolParts {
  threads: number;
  arena: Arena;
  kind: KernelKind;
  /** Hears of each thread that is started. */
  onStart?: ((worker: Worker) => void) | undefined;
}

export function createThreadPool({ threads: most, arena, kind, onStart }: ThreadPoolParts): ThreadPool {
  // One of each for each thread is enough: a search holds its counter and its limit while a thread is at work on it.
  const counters = new SharedArrayBuffer(most * 4);
  const claims = new Int32Array(counters);
  const limits = new SharedArrayBuffer(most * 4);
  const limitCells = new Int32Array(limits);
  const freeCounters = Array.from({ length: most }, (_, index) => index);
  const bytesOfScratch = scratchBytes(createLayout(MAX_DIMENSIONS));
  // All of it now: the galleries may have taken all of the memory when the first search comes.
  const freeScratch = Array.from({ length: most }, () => arena.allocate(bytesOfScratch));
  const threads = new Set<Thread>();
  let waiting: Search[] = [];
  const running = new Set<Search>();
  let isClosed = false;

  function startThread(): Thread {
    const scratchAt = freeScratch.at(-1)!;
    const setup: ThreadSetup = { memory: arena.memory, kind, scratchAt, counters, limits };
    // The process's own options are not for its threads: some, such as --input-type, would stop them.
    const options = { workerData: setup, execArgv: [] };
    const worker = new Worker(new URL('./scan-thread.ts', import.meta.url), options);
    freeScratch.pop();
    const thread: Thread = { worker, known: new Map(), search: undefined };
    let cause: unknown;
    worker.on('message', (reply: SearchReply) => finishPart(thread, reply));
    worker.on('error', (error) => {
      cause = error;
    });
    worker.on('exit', () => {
      threads.delete(thread);
      arena.views.bytes.fill(0, scratchAt, scratchAt + bytesOfScratch);
      freeScratch.push(scratchAt);
      const { search } = thread;
      leave(thread);
      if (search && running.has(search)) {
        abandon(search);
        search.resolve({
          ended: new Error('A thread of the face index ended during the search: try again.', { cause }),
        });
      }
      assign();
    });
    // An idle thread does not keep the process alive.
    worker.unref();
    threads.add(thread);
    onStart?.(worker);
    return thread;
  }

  function findIdle(): Thread | undefined {
    for (const thread of threads) if (!thread.search) return thread;
    return threads.size < most ? startThread() : undefined;
  }

  /**
   * A waiting search gets one thread, and only when none waits do further threads join those under way. So a lone search
   * is spread over all threads, and many at once run side by side, each without the cost of being put together again.
   */
  function assign(): void {
    while (!isClosed) {
      const joinable = waiting.length === 0 ? findJoinable() : undefined;
      if (waiting.length === 0 && !joinable) return;
      let thread: Thread | undefined;
      try {
        thread = findIdle();
      } catch (error) {
        // A search under way does without a further thread; one that waits for its first must not wait for ever.
        if (joinable) return;
        waiting.shift()!.reject(error);
        continue;
      }
      if (!thread) return;
      order(thread, joinable ?? begin(waiting.shift()!));
    }
  }

  function begin(search: Search): Search {
    search.counter = freeCounters.pop()!;
    claims[search.counter] = 0;
    clearLimit(limitCells, search.counter);
    running.add(search);
    return search;
  }

  function findJoinable(): Search | undefined {
    let found: Search | undefined;
    let mostLeft = WORTH_JOINING - 1;
    for (const search of running) {
      const left = search.blocks.length - Atomics.load(claims, search.counter);
      if (left > mostLeft) [found, mostLeft] = [search, left];
    }
    return found;
  }

  function order(thread: Thread, search: Search): void {
    thread.search = search;
    search.parts += 1;
    const { gallery, dimensions, query, k, minSimilarity, counter, lastRows, blocks } = search;
    const blockCount = blocks.length;
    const known = thread.known.get(gallery) ?? 0;
    thread.known.set(gallery, Math.max(known, blockCount));
    const added = blocks.slice(known).map(({ capacity, at, originals }) => ({
      capacity,
      at,
      originals,
    }));
    // biome-ignore format: the message, in the order of its type
    const message: SearchOrder = {
      type: 'search', gallery, dimensions, query, k, minSimilarity, counter, added, lastRows, blockCount,
    };
    thread.worker.ref();
    thread.worker.postMessage(message);
  }

  function finishPart(thread: Thread, hits: SlotHit[]): void {
    const { search } = thread;
    thread.worker.unref();
    search?.lists.push(hits);
    if (leave(thread) && search && running.delete(search)) search.resolve({ lists: search.lists });
    assign();
  }

  /** Takes a thread off its search; true when it was the last. Until then the search's counter is claimed from. */
  function leave(thread: Thread): boolean {
    const { search } = thread;
    thread.search = undefined;
    if (!search) return false;
    search.parts -= 1;
    if (search.parts > 0) return false;
    freeCounters.push(search.counter);
    return true;
  }

  /** Lets the threads that are still at work on it find nothing left to claim. */
  function abandon(search: Search): void {
    if (search.parts > 0) Atomics.store(claims, search.counter, search.blocks.length);
    running.delete(search);
  }

  function refuse(search: Search, error: Error): void {
    abandon(search);
    search.reject(error);
  }

  return {
    search(job) {
      if (isClosed) return Promise.reject(new Error('The face index is closed: open another.'));
      const { promise, resolve, reject } = Promise.withResolvers<ScanOutcome>();
      // The blocks of now: the gallery may grow, or be dropped, while the search waits.
      const blocks = job.blocks.slice();
      waiting.push({ ...job, blocks, counter: -1, parts: 0, lists: [], resolve, reject });
      assign();
      return promise;
    },
    forget(gallery) {
      for (const search of [...waiting, ...running])
        if (search.gallery === gallery) refuse(search, new Error('The gallery was dropped during the search.'));
      waiting = waiting.filter((search) => search.gallery !== gallery);
      const message: ForgetOrder = { type: 'forget', gallery };
      for (const { worker, known } of threads) if (known.delete(gallery)) worker.postMessage(message);
    },
    async close() {
      isClosed = true;
      for (const search of [...waiting, ...running])
        refuse(search, new Error('The face index was closed during the search.'));
      waiting = [];
      await Promise.all(Array.from(threads, ({ worker }) => worker.terminate()));
    },
  };
}
