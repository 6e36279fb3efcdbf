// The evaluator: compares encrypted tokens without a key, and blinds what it hands to the key-holder.
import { availableParallelism } from 'node:os';
import type { Worker } from 'node:worker_threads';
import {
  BLOCK_ROW_BYTES,
  type BlindedBlocks,
  type BlindedRows,
  type BlindedShape,
  BODY_BYTES,
  COMMON_BYTES,
  centre,
  type EpochPolynomials,
  ROW_BYTES,
  SHAPE_BYTES,
  TokenError,
  unpackBody,
} from '../shared/index.ts';
import { PLACE_BYTES } from '../shared/kernel/place.ts';
import { compareMany, type Search } from './compare-many.ts';
import type { Desk } from './compare-thread.ts';
import { type Comparer, createComparer } from './comparer.ts';
import { type BlockComparer, createBlockComparer } from './packed/block-comparer.ts';
import { maskForFolding, maskForPacking, type PackingMask } from './packed/fold-mask.ts';
import { createReadGuard } from './read-guard.ts';
import { maskForRenewal, type RenewalMask } from './renewal-mask.ts';
import { createThreadPool, type ThreadPool } from './thread-pool.ts';
import { createTokenArena, type OpenArena, type TokenArena, unpackToken } from './token-arena.ts';
import { createTokenMemory, type TokenMemory } from './token-memory.ts';
import { CHUNK_BLOCKS, CHUNK_ROWS } from './work-area.ts';

const DEFAULT_MAX_BYTES = 2 ** 31;

export interface EvaluatorOptions {
  /** As many as the machine has cores unless said otherwise. */
  threads?: number | undefined;
  /** Most memory of tokens in all arenas together; 2 GiB unless said otherwise, and 4 GiB at most. */
  maxBytes?: number | undefined;
  /** Hears of each thread that is started. */
  onStart?: ((worker: Worker) => void) | undefined;
}

/** A probe that meets blocks of one epoch. */
export interface FoldedProbe {
  /** Its first polynomial in NTT form. */
  values: Int32Array;
  /** Its product with the second polynomial of blocks, as the key-holder gets it. */
  common: Uint8Array;
}

export interface Folding {
  /** What to send to the key-holder: the probe, masked. */
  masked: Uint8Array;
  /** From what the key-holder gave back. Once: the mask is gone afterwards. */
  unmask(folded: Uint8Array): FoldedProbe;
}

export interface Evaluator {
  createArena(): TokenArena;
  /**
   * What the key-holder needs to check that a body is of a unit vector: 12 to 15 ms of a thread. Refuses with
   * `TokenError`, as do the others. The bytes are shared memory, of nobody else.
   */
  shape(body: Uint8Array): Promise<BlindedShape>;
  /** The part of a shape that says how long a body is once it is folded: of tokens that were stored before shapes had it. */
  balance(body: Uint8Array): Uint8Array;
  compareOne(tokenBody: Uint8Array, probeBody: Uint8Array): BlindedRows;
  /**
   * Rows in the order of `slots`, in chunks, as soon as they are made. The next chunk waits for the promise; the bytes,
   * which are shared memory, are valid until then. Whoever calls shuffles the slots: the order tells the key-holder who is
   * who from one search to the next.
   */
  compareMany(
    arena: TokenArena,
    slots: Uint32Array,
    probeBody: Uint8Array,
    onChunk: (rows: BlindedRows, from: number) => Promise<void>,
  ): Promise<void>;
  /** The same with blocks; `counting` has for each the bits of the people who count. */
  compareBlocks(
    arena: TokenArena,
    slots: Uint32Array,
    counting: Uint8Array,
    probe: FoldedProbe,
    onChunk: (blocks: BlindedBlocks, from: number) => Promise<void>,
  ): Promise<void>;
  maskForRenewal(body: Uint8Array): RenewalMask;
  /** Four tokens, to become a block. */
  maskForPacking(bodies: readonly Uint8Array[]): PackingMask;
  /** A probe, to meet the blocks of an epoch. */
  maskForFolding(probeBody: Uint8Array, polynomials: EpochPolynomials): Folding;
  /** Ends the threads and every search, and releases the memory. */
  close(): Promise<void>;
}

/** What comparing takes: the memory, the kernel and the threads. */
interface Workshop {
  memory: TokenMemory;
  pool: ThreadPool;
  /** For what is compared at once and not by a thread, with the token in its place. */
  comparer: Comparer;
  blocks: BlockComparer;
  ownPlace: number;
  ownToken: Int32Array;
}

export function openEvaluator(options: EvaluatorOptions = {}): Evaluator {
  const { threads = availableParallelism(), maxBytes = DEFAULT_MAX_BYTES, onStart } = options;
  let made: Workshop | undefined;
  const guard = createReadGuard();
  const arenas = new Map<TokenArena, OpenArena>();
  let searches = 0;
  let isClosed = false;

  function checkOpen(): void {
    if (isClosed) throw new Error('The token evaluator is closed.');
  }

  /** Made when it is first needed: a service starts without it, and where nobody has tokens it never is. */
  function workshop(): Workshop {
    checkOpen();
    made ??= openWorkshop(threads, maxBytes, onStart);
    return made;
  }

  return {
    createArena() {
      const { memory, blocks } = workshop();
      const arena: OpenArena = createTokenArena({
        memory,
        guard,
        placeBlock: blocks.place,
        onClose: () => arenas.delete(arena),
      });
      arenas.set(arena, arena);
      return arena;
    },
    async shape(body) {
      const { pool } = workshop();
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
      const { comparer, ownPlace, ownToken } = workshop();
      const bytes = new Uint8Array(ROW_BYTES);
      try {
        unpackToken(tokenBody, ownToken);
        comparer.setProbe(probeBody);
        comparer.compare(Uint32Array.of(ownPlace), bytes);
      } finally {
        ownToken.fill(0);
        comparer.wipe();
      }
      return { count: 1, bytes };
    },
    balance(body) {
      const { comparer, ownPlace, ownToken } = workshop();
      const bytes = new Uint8Array(ROW_BYTES);
      try {
        unpackToken(body, ownToken);
        comparer.setConjugate(body);
        comparer.compareWithItself(ownPlace, bytes);
      } finally {
        ownToken.fill(0);
        comparer.wipe();
      }
      return bytes;
    },
    async compareMany(arena, slots, probeBody, onChunk) {
      if (probeBody.length !== BODY_BYTES) throw new TokenError('length');
      const [places, probe, search] = [slots.slice(), copyOf(probeBody), searches++];
      const rows = { count: places.length, mostRows: CHUNK_ROWS, rowBytes: ROW_BYTES };
      try {
        await searchIn(
          arena,
          slots,
          { ...rows, makeOrder: (from, to, out) => ({ search, probe, places: places.slice(from, to), out }) },
          (bytes, count, from) => onChunk({ count, bytes }, from),
        );
      } finally {
        probe.fill(0);
      }
    },
    async compareBlocks(arena, slots, counting, { values, common }, onChunk) {
      if (counting.length !== slots.length) throw new RangeError('Each block says who of it counts');
      const [places, bits, search] = [slots.slice(), counting.slice(), searches++];
      const rows = { count: places.length, mostRows: CHUNK_BLOCKS, rowBytes: BLOCK_ROW_BYTES };
      const makeOrder: Search['makeOrder'] = (from, to, out) => {
        return { search, folded: values, places: places.slice(from, to), counting: bits.slice(from, to), out };
      };
      await searchIn(arena, slots, { ...rows, makeOrder }, (bytes, count, from) =>
        onChunk({ count, bytes, common }, from),
      );
    },
    maskForRenewal,
    maskForPacking,
    maskForFolding(probeBody, { ofBlocks }) {
      checkOpen();
      const { masked, unmask } = maskForFolding(probeBody);
      return {
        masked,
        unmask(folded) {
          const values = unmask(folded);
          return { values, common: multiplyCommon(values, ofBlocks) };
        },
      };
    },
    async close() {
      isClosed = true;
      await made?.pool.close();
      for (const arena of [...arenas.keys()]) arena.close();
    },
  };

  async function searchIn(
    arena: TokenArena,
    slots: Uint32Array,
    search: Omit<Search, 'threads' | 'check'>,
    take: Parameters<typeof compareMany>[2],
  ): Promise<void> {
    const { pool } = workshop();
    const open = arenas.get(arena);
    if (!open) throw new Error('The arena is not of this evaluator.');
    open.check(slots);
    const end = guard.begin();
    try {
      await compareMany(pool, { ...search, threads, check: () => checkArena(open) }, take);
    } finally {
      end();
    }
  }

  function multiplyCommon(values: Int32Array, ofBlocks: Int32Array): Uint8Array {
    const { blocks, comparer, ownPlace, ownToken } = workshop();
    const common = new Uint8Array(COMMON_BYTES);
    ownToken.set(ofBlocks.map(centre));
    blocks.setProbe(values);
    blocks.multiplyCommon(ownPlace, common);
    ownToken.fill(0);
    comparer.wipe();
    return common;
  }

  /** Who asked may change or wipe theirs, and we wipe ours. (A Buffer's `slice` would be no copy.) */
  function copyOf(body: Uint8Array): Uint8Array {
    return new Uint8Array(body);
  }

  function checkArena(arena: OpenArena): void {
    checkOpen();
    if (arena.isClosed) throw new Error('The arena was closed during the search.');
  }
}

function openWorkshop(threads: number, maxBytes: number, onStart: EvaluatorOptions['onStart']): Workshop {
  // A work area and a place for each thread, and one of each for what is compared at once and not by a thread.
  const memory = createTokenMemory(threads + 1, maxBytes + (threads + 1) * PLACE_BYTES);
  const [own, ...desks] = memory.areas.map((areaAt): Desk => ({ areaAt, place: memory.take() }));
  const { areaAt, place: ownPlace } = own!;
  return {
    memory,
    pool: createThreadPool({ parts: memory.parts, desks, onStart }),
    comparer: createComparer(memory.parts, areaAt),
    blocks: createBlockComparer(memory.parts, areaAt),
    ownPlace,
    ownToken: memory.wordsOf(ownPlace),
  };
}
