// The evaluator: compares encrypted tokens without a key, and blinds everything it sends to the
// key-holder.
import { availableParallelism } from 'node:os';
import type { Worker } from 'node:worker_threads';
import {
  BLOCK_ROW_BYTES,
  type BlindedBlocks,
  type BlindedRows,
  type BlindedShape,
  BODY_BYTES,
  COMMON_BYTES,
  center,
  type EpochPolynomials,
  ROW_BYTES,
  SHAPE_BYTES,
  TokenError,
  unpackBody,
} from '../shared/index.ts';
import { PLACE_BYTES } from '../shared/kernel/factor.ts';
import { compareMany, type Search } from './compare-many.ts';
import type { ThreadState } from './compare-thread.ts';
import { type Comparer, createComparer } from './comparer.ts';
import { type BlockComparer, createBlockComparer } from './packed/block-comparer.ts';
import { createFoldingMask, createPackingMask, type PackingMask } from './packed/fold-mask.ts';
import { createReadGuard } from './read-guard.ts';
import { createRenewalMask, type RenewalMask } from './renewal-mask.ts';
import { createThreadPool, type ThreadPool } from './thread-pool.ts';
import { createTokenArena, type OpenArena, type TokenArena, unpackToken } from './token-arena.ts';
import { createTokenMemory, type TokenMemory } from './token-memory.ts';
import { CHUNK_BLOCKS, CHUNK_ROWS } from './work-area.ts';

const DEFAULT_MAX_BYTES = 2 ** 31;

export interface EvaluatorOptions {
  /** Number of threads. Default: the number of cores. */
  threads?: number | undefined;
  /** Maximum memory of tokens in all arenas. Default: 2 GiB, at most 4 GiB. */
  maxBytes?: number | undefined;
  /** Called for each started thread. */
  onStart?: ((worker: Worker) => void) | undefined;
}

/** A probe for blocks of one epoch. */
export interface FoldedProbe {
  /** Its first polynomial in NTT form. */
  values: Int32Array;
  /** Its product with the blocks' second polynomial, as sent to the key-holder. */
  common: Uint8Array;
}

export interface Folding {
  /** Masked probe to send to the key-holder. */
  masked: Uint8Array;
  /** Unmasks the key-holder's reply. Can be called once, because the mask is then wiped. */
  unmask(folded: Uint8Array): FoldedProbe;
}

/** Resources for comparing: memory, kernel and threads. */
interface Workshop {
  memory: TokenMemory;
  pool: ThreadPool;
  /** For comparisons on the calling thread, with a place for the token. */
  comparer: Comparer;
  blocks: BlockComparer;
  ownPlace: number;
  ownToken: Int32Array;
}

export class Evaluator {
  readonly #threads: number;
  readonly #maxBytes: number;
  readonly #onStart: EvaluatorOptions['onStart'];
  readonly #guard = createReadGuard();
  readonly #arenas = new Map<TokenArena, OpenArena>();
  #made: Workshop | undefined;
  #searches = 0;
  #isClosed = false;

  constructor({ threads = availableParallelism(), maxBytes = DEFAULT_MAX_BYTES, onStart }: EvaluatorOptions = {}) {
    this.#threads = threads;
    this.#maxBytes = maxBytes;
    this.#onStart = onStart;
  }

  createArena(): TokenArena {
    const { memory, blocks } = this.#workshop();
    const onClose = () => this.#arenas.delete(arena);
    const arena: OpenArena = createTokenArena({ memory, guard: this.#guard, placeBlock: blocks.place, onClose });
    this.#arenas.set(arena, arena);
    return arena;
  }

  /**
   * Computes the shape with which the key-holder checks that a body is a unit vector, in 12 to 15
   * ms of a thread. Rejects with `TokenError`, as the other methods do. The bytes are shared memory
   * that no one else uses.
   */
  async shape(body: Uint8Array): Promise<BlindedShape> {
    const { pool } = this.#workshop();
    // Checked here, because a thread would return a TokenError as a generic error.
    unpackBody(body);
    const out = new SharedArrayBuffer(SHAPE_BYTES);
    const copy = copyOf(body);
    try {
      await pool.make({ body: copy, out });
    } finally {
      copy.fill(0);
    }
    return { bytes: new Uint8Array(out) };
  }

  /** Computes the length of a folded body, for tokens stored without it. */
  balance(body: Uint8Array): Uint8Array {
    return this.#compareOwn(body, (comparer, place, bytes) => {
      comparer.setConjugate(body);
      comparer.compareWithItself(place, bytes);
    });
  }

  compareOne(tokenBody: Uint8Array, probeBody: Uint8Array): BlindedRows {
    const bytes = this.#compareOwn(tokenBody, (comparer, place, out) => {
      comparer.setProbe(probeBody);
      comparer.compare(Uint32Array.of(place), out);
    });
    return { count: 1, bytes };
  }

  /**
   * Computes rows in the order of `slots` and passes them on in chunks. The next chunk waits for
   * the promise. The bytes are shared memory and valid until then. Callers shuffle the slots,
   * because a stable order would let the key-holder recognize people across searches.
   */
  async compareMany(
    arena: TokenArena,
    slots: Uint32Array,
    probeBody: Uint8Array,
    onChunk: (rows: BlindedRows, from: number) => Promise<void>,
  ): Promise<void> {
    if (probeBody.length !== BODY_BYTES) throw new TokenError('length');
    const [places, probe, search] = [slots.slice(), copyOf(probeBody), this.#searches++];
    const rows = { count: places.length, mostRows: CHUNK_ROWS, rowBytes: ROW_BYTES };
    const makeOrder: Search['makeOrder'] = (from, to, out) => ({ search, probe, places: places.slice(from, to), out });
    try {
      await this.#searchIn(arena, slots, { ...rows, makeOrder }, (bytes, count, from) =>
        onChunk({ count, bytes }, from),
      );
    } finally {
      probe.fill(0);
    }
  }

  /** Like `compareMany`, for blocks. `counting` has, per block, the bits of people. */
  async compareBlocks(
    arena: TokenArena,
    slots: Uint32Array,
    counting: Uint8Array,
    { values, common }: FoldedProbe,
    onChunk: (blocks: BlindedBlocks, from: number) => Promise<void>,
  ): Promise<void> {
    if (counting.length !== slots.length) throw new RangeError('counting must have an entry per block');
    const [places, bits, search] = [slots.slice(), counting.slice(), this.#searches++];
    const rows = { count: places.length, mostRows: CHUNK_BLOCKS, rowBytes: BLOCK_ROW_BYTES };
    const makeOrder: Search['makeOrder'] = (from, to, out) => {
      return { search, folded: values, places: places.slice(from, to), counting: bits.slice(from, to), out };
    };
    await this.#searchIn(arena, slots, { ...rows, makeOrder }, (bytes, count, from) =>
      onChunk({ count, bytes, common }, from),
    );
  }

  maskForRenewal(body: Uint8Array): RenewalMask {
    return createRenewalMask(body);
  }

  /** Masks four tokens, which become a block. */
  maskForPacking(bodies: readonly Uint8Array[]): PackingMask {
    return createPackingMask(bodies);
  }

  /** Masks a probe for the blocks of an epoch. */
  maskForFolding(probeBody: Uint8Array, { ofBlocks }: EpochPolynomials): Folding {
    this.#checkOpen();
    const { masked, unmask } = createFoldingMask(probeBody);
    return {
      masked,
      unmask: (folded) => {
        const values = unmask(folded);
        return { values, common: this.#multiplyCommon(values, ofBlocks) };
      },
    };
  }

  /** Ends the threads and all searches, and releases the memory. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#made?.pool.close();
    for (const arena of [...this.#arenas.keys()]) arena.close();
  }

  #checkOpen(): void {
    if (this.#isClosed) throw new Error('The token evaluator is closed.');
  }

  /** Opens the workshop on first use, because a service without tokens never needs it. */
  #workshop(): Workshop {
    this.#checkOpen();
    this.#made ??= openWorkshop(this.#threads, this.#maxBytes, this.#onStart);
    return this.#made;
  }

  /** Compares a token on the calling thread. Wipes the token and the probe afterwards. */
  #compareOwn(body: Uint8Array, compare: (comparer: Comparer, place: number, out: Uint8Array) => void): Uint8Array {
    const { comparer, ownPlace, ownToken } = this.#workshop();
    const bytes = new Uint8Array(ROW_BYTES);
    try {
      unpackToken(body, ownToken);
      compare(comparer, ownPlace, bytes);
    } finally {
      ownToken.fill(0);
      comparer.wipe();
    }
    return bytes;
  }

  async #searchIn(
    arena: TokenArena,
    slots: Uint32Array,
    search: Omit<Search, 'threads' | 'check'>,
    take: Parameters<typeof compareMany>[2],
  ): Promise<void> {
    const { pool } = this.#workshop();
    const open = this.#arenas.get(arena);
    if (!open) throw new Error('The arena belongs to another evaluator.');
    open.check(slots);
    const check = () => {
      this.#checkOpen();
      if (open.isClosed) throw new Error('The arena was closed during the search.');
    };
    const end = this.#guard.begin();
    try {
      await compareMany(pool, { ...search, threads: this.#threads, check }, take);
    } finally {
      end();
    }
  }

  #multiplyCommon(values: Int32Array, ofBlocks: Int32Array): Uint8Array {
    const { blocks, comparer, ownPlace, ownToken } = this.#workshop();
    const common = new Uint8Array(COMMON_BYTES);
    ownToken.set(ofBlocks.map(center));
    blocks.setProbe(values);
    blocks.multiplyCommon(ownPlace, common);
    ownToken.fill(0);
    comparer.wipe();
    return common;
  }
}

/** Copies a body, because the caller may modify it and we wipe ours. */
function copyOf(body: Uint8Array): Uint8Array {
  return new Uint8Array(body);
}

function openWorkshop(threads: number, maxBytes: number, onStart: EvaluatorOptions['onStart']): Workshop {
  // A work area and a place per thread, plus one for the calling thread.
  const memory = createTokenMemory(threads + 1, maxBytes + (threads + 1) * PLACE_BYTES);
  const [own, ...desks] = memory.areas.map((areaAt): ThreadState => ({ areaAt, place: memory.take() }));
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
