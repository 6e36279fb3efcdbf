// The evaluator: compares encrypted tokens without a key, and blinds what it hands to the key-holder.
import { availableParallelism } from 'node:os';
import type { Worker } from 'node:worker_threads';
import {
  type BlindedRows,
  type BlindedShape,
  BODY_BYTES,
  ROW_BYTES,
  SHAPE_BYTES,
  TokenError,
  unpackBody,
} from '../shared/index.ts';
import { compareMany, type TakeChunk } from './compare-many.ts';
import type { Desk } from './compare-thread.ts';
import { createComparer } from './comparer.ts';
import { createReadGuard } from './read-guard.ts';
import { maskForRenewal, type RenewalMask } from './renewal-mask.ts';
import { createThreadPool } from './thread-pool.ts';
import { createTokenArena, type OpenArena, type TokenArena, unpackToken } from './token-arena.ts';
import { createTokenMemory, PLACE_BYTES } from './token-memory.ts';
import { createTurns } from './turns.ts';

/** Searches that have buffers at a time, four megabytes for each thread and one more; others wait for their turn. */
const MAX_SEARCHES = 4;
const DEFAULT_MAX_BYTES = 2 ** 31;

export interface EvaluatorOptions {
  /** As many as the machine has cores unless said otherwise. */
  threads?: number | undefined;
  /** Most memory of tokens in all arenas together; 2 GiB unless said otherwise, and 4 GiB at most. */
  maxBytes?: number | undefined;
  /** Hears of each thread that is started. */
  onStart?: ((worker: Worker) => void) | undefined;
}

export interface Evaluator {
  createArena(): TokenArena;
  /**
   * What the key-holder needs to check that a body is of a unit vector: 12 to 15 ms of a thread. Refuses with
   * `TokenError`, as do the others. The bytes are shared memory, of nobody else.
   */
  shape(body: Uint8Array): Promise<BlindedShape>;
  compareOne(tokenBody: Uint8Array, probeBody: Uint8Array): BlindedRows;
  /**
   * Rows in the order of `slots`, in chunks, as soon as they are made. The next chunk waits for the promise; the bytes,
   * which are shared memory, are valid until then. Whoever calls shuffles the slots: the order tells the key-holder who is
   * who from one search to the next.
   */
  compareMany(arena: TokenArena, slots: Uint32Array, probeBody: Uint8Array, onChunk: TakeChunk): Promise<void>;
  maskForRenewal(body: Uint8Array): RenewalMask;
  /** Ends the threads and every search, and releases the memory. */
  close(): Promise<void>;
}

export function openEvaluator(options: EvaluatorOptions = {}): Evaluator {
  const { threads = availableParallelism(), maxBytes = DEFAULT_MAX_BYTES, onStart } = options;
  // A work area and a place for each thread, and one of each for what is compared at once and not by a thread.
  const memory = createTokenMemory(threads + 1, maxBytes + (threads + 1) * PLACE_BYTES);
  const [own, ...desks] = memory.areas.map((areaAt): Desk => ({ areaAt, place: memory.take() }));
  const { areaAt, place: ownPlace } = own!;
  const ownToken = memory.wordsOf(ownPlace);
  const comparer = createComparer(memory.parts, areaAt);
  const pool = createThreadPool({ parts: memory.parts, desks, onStart });
  const guard = createReadGuard();
  const turns = createTurns(MAX_SEARCHES);
  const arenas = new Map<TokenArena, OpenArena>();
  let searches = 0;
  let isClosed = false;

  function checkOpen(): void {
    if (isClosed) throw new Error('The token evaluator is closed.');
  }

  const ownList = Uint32Array.of(ownPlace);
  return {
    createArena() {
      checkOpen();
      const arena: OpenArena = createTokenArena({ memory, guard, onClose: () => arenas.delete(arena) });
      arenas.set(arena, arena);
      return arena;
    },
    async shape(body) {
      checkOpen();
      // Here, because an error of ours comes back from a thread as any error.
      unpackBody(body);
      const out = new SharedArrayBuffer(SHAPE_BYTES);
      const copy = copyOf(body);
      try {
        await pool.make({ body: copy, out });
      } finally {
        copy.fill(0);
      }
      return { bytes: new Uint8Array(out) };
    },
    compareOne(tokenBody, probeBody) {
      checkOpen();
      const bytes = new Uint8Array(ROW_BYTES);
      try {
        unpackToken(tokenBody, ownToken);
        comparer.setProbe(probeBody);
        comparer.compare(ownList, bytes);
      } finally {
        ownToken.fill(0);
        comparer.wipe();
      }
      return { count: 1, bytes };
    },
    async compareMany(arena, slots, probeBody, onChunk) {
      checkOpen();
      const open = arenas.get(arena);
      if (!open) throw new Error('The arena is not of this evaluator.');
      if (probeBody.length !== BODY_BYTES) throw new TokenError('length');
      open.check(slots);
      const end = guard.begin();
      const [places, probe] = [slots.slice(), copyOf(probeBody)];
      try {
        await turns.take(() =>
          compareMany(pool, { number: searches++, probe, places, threads, check: () => checkArena(open) }, onChunk),
        );
      } finally {
        probe.fill(0);
        end();
      }
    },
    maskForRenewal,
    async close() {
      isClosed = true;
      await pool.close();
      for (const arena of [...arenas.keys()]) arena.close();
    },
  };

  /** Who asked may change or wipe theirs, and we wipe ours. (A Buffer's `slice` would be no copy.) */
  function copyOf(body: Uint8Array): Uint8Array {
    return new Uint8Array(body);
  }

  function checkArena(arena: OpenArena): void {
    checkOpen();
    if (arena.isClosed) throw new Error('The arena was closed during the search.');
  }
}
