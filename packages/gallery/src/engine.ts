// An engine: the memory and threads shared by its galleries.
import { availableParallelism } from 'node:os';
import type { Worker } from 'node:worker_threads';
import { type Arena, createArena } from './arena.ts';
import { createLayout } from './block.ts';
import { type GalleryEngine, MAX_DIMENSIONS, MIN_DIMENSIONS } from './gallery.ts';
import { chooseKernel, type KernelKind, loadKernel } from './kernel/kernel.ts';
import { MemoryGallery } from './memory-gallery.ts';
import { scratchBytes } from './scan.ts';
import { ThreadPool } from './thread-pool.ts';

/** 2,048 rows of 512: 40 to 90 µs on a Neoverse N1, the cost of a message to a thread. */
const MOST_BYTES_INLINE = 2 ** 20;

export interface GalleryEngineOptions {
  /**
   * Number of threads for large searches, started on first use. 0: the calling thread scans.
   * Default: the number of processors.
   */
  threads?: number | undefined;
  /** Maximum bytes of codes of a gallery that the calling thread scans. */
  mostBytesInline?: number | undefined;
  /** Kernel. Default: the fastest that the runtime supports. */
  kernel?: KernelKind | undefined;
  arena?: Arena | undefined;
  /** Called for each started thread. */
  onThread?: ((worker: Worker) => void) | undefined;
}

export function createGalleryEngine(options: GalleryEngineOptions = {}): GalleryEngine {
  const { threads = availableParallelism(), kernel: kind = chooseKernel(), arena = createArena() } = options;
  const { mostBytesInline = MOST_BYTES_INLINE } = options;
  const kernel = loadKernel(kind, arena.memory);
  const scratchAt = arena.allocate(scratchBytes(createLayout(MAX_DIMENSIONS)));
  const pool = threads > 0 ? new ThreadPool({ threads, arena, kind, onStart: options.onThread }) : undefined;
  let nextId = 0;
  let isClosed = false;

  const checkOpen = () => {
    if (isClosed) throw new Error('The face index is closed. Open another one.');
  };

  return {
    createGallery(dimensions) {
      checkOpen();
      if (!Number.isInteger(dimensions) || dimensions < MIN_DIMENSIONS || dimensions > MAX_DIMENSIONS)
        throw new RangeError(`A gallery must have ${MIN_DIMENSIONS} to ${MAX_DIMENSIONS} dimensions.`);
      nextId += 1;
      const parts = { arena, kernel, scratchAt, pool, mostBytesInline, checkOpen };
      return new MemoryGallery({ id: nextId, dimensions, ...parts });
    },
    async close() {
      isClosed = true;
      await pool?.close();
    },
  };
}
