// The tokens of galleries in this process's memory, unpacked and updated from the database. The removal and addition of a renewed token
// are applied in one step, so that no search sees a person twice. If a block loses a member, its other tokens are read instead.
import { type TokenArena, TokenMemoryFull } from '@limen/token/evaluator';
import { BLOCK_PEOPLE } from '@limen/token/shared';
import { type CachedGallery, GalleryCache } from '../../galleries/gallery-cache.ts';
import type { GalleryRow } from '../../galleries/store/galleries.ts';
import type { TokenParts } from '../parts.ts';
import { type ArenaToken, type PinnedArena, pinArena, placeBySeq, placeChanges } from './arena.ts';
import { createHeldSlots, type SlotGroups } from './held-slots.ts';

/** Bytes of a token in an arena. A block of four takes as many. */
export const UNPACKED_BYTES = 16_384;
const PAGE_TOKENS = 32;
/** Continued readings after the end: renewed tokens can move behind the range that is read. */
const MAX_CATCH_UPS = 3;

type MemoryParts = Pick<TokenParts, 'store' | 'blocks' | 'polynomialsOf' | 'people' | 'evaluator' | 'log'>;

interface LoadedTokens extends CachedGallery {
  tokens: Map<number, ArenaToken>;
  slots: SlotGroups;
  arena: PinnedArena;
}

export class TokenMemory {
  readonly #parts: MemoryParts;
  readonly #cache;

  constructor(parts: MemoryParts, { maxBytes, pollMs }: { maxBytes: number; pollMs?: number | undefined }) {
    this.#parts = parts;
    this.#cache = new GalleryCache<LoadedTokens>({
      source: {
        what: 'face tokens',
        rounds: MAX_CATCH_UPS,
        count: ({ tokens }) => tokens,
        /** Counts blocks only if the gallery does not fit without them. */
        measure: async ({ id, tokens }, free) => {
          if (tokens * UNPACKED_BYTES <= free) return tokens * UNPACKED_BYTES;
          const spared = (BLOCK_PEOPLE - 1) * (await parts.blocks.countBlocks(id));
          return Math.max(0, tokens - spared) * UNPACKED_BYTES;
        },
        create: () => createHeld(pinArena(parts.evaluator.createArena())),
        takeChanges: (held, after, row) => this.#takeChanges(held, after, row),
        isFull: (error) => error instanceof TokenMemoryFull,
      },
      people: parts.people,
      maxBytes,
      exceedsLimit: false,
      log: parts.log,
      pollMs,
    });
  }

  /** Returns a view of the gallery with every change up to the row's version, or undefined if there is no room for it. */
  async open(row: GalleryRow) {
    const lease = await this.#cache.acquire(row);
    if (!lease) return undefined;
    const { tokens, slots, arena } = lease.gallery;
    const unpin = arena.pin();
    const close = () => {
      unpin();
      lease.release();
    };
    const list = (after: number) => {
      const added: ArenaToken[] = [];
      for (const [seq, token] of tokens) if (seq > after) added.push(token);
      return added;
    };
    return { arena: arena.arena, slots, list, close };
  }

  /** Resolves when everything removed before the call is gone from memory. */
  readonly settle = (galleryId: string) => this.#cache.settle(galleryId);

  readonly load = () => this.#cache.load();

  readonly state = () => this.#cache.state();

  readonly close = () => this.#cache.close();

  async #takeChanges(held: LoadedTokens, after: number, row: GalleryRow): Promise<void> {
    const staged = new Map<number, ArenaToken>();
    const taken = new Set<number>();
    const take = (add: (arena: TokenArena) => number) => {
      this.#cache.requireOpen();
      const slot = add(held.arena.arena);
      taken.add(slot);
      return slot;
    };
    const arena = {
      add: (body: Uint8Array) => take((into) => into.add(body)),
      addBlock: (block: Uint8Array, ofProbes: Int32Array) => take((into) => into.addBlock(block, ofProbes)),
    };
    const stage = async (pages: AsyncIterable<ReadonlyMap<number, ArenaToken>>) => {
      for await (const page of pages) for (const [seq, token] of page) staged.set(seq, token);
    };
    try {
      await stage(placeChanges(this.#parts, arena, row, after, PAGE_TOKENS));
      // If nothing was held before, the rows just read are current: no removal applies to them.
      const removed = held.tokens.size === 0 ? [] : await this.#parts.people.listRemovals(row.id, after, row.version);
      const left = this.#listLeft(held, removed, staged);
      await stage(placeBySeq(this.#parts, arena, row.id, left, PAGE_TOKENS));
      this.#cache.requireOpen();
      for (const seq of [...removed, ...left]) this.#drop(held, seq);
    } catch (error) {
      for (const slot of taken) held.arena.remove(slot);
      throw error;
    }
    for (const [seq, token] of staged) {
      this.#drop(held, seq);
      held.tokens.set(seq, token);
      held.slots.add(token);
      taken.delete(token.slot);
    }
    for (const slot of taken) held.arena.remove(slot);
  }

  /** Lists tokens that lost their block because another member of it was removed. */
  #listLeft(held: LoadedTokens, removed: readonly number[], staged: ReadonlyMap<number, ArenaToken>): number[] {
    const broken = new Set<number>();
    const gone = new Set(removed);
    for (const seq of removed) {
      const token = held.tokens.get(seq);
      if (token?.place !== undefined) broken.add(token.slot);
    }
    if (broken.size === 0) return [];
    const left: number[] = [];
    for (const [seq, { slot }] of held.tokens)
      if (broken.has(slot) && !gone.has(seq) && !staged.has(seq)) left.push(seq);
    return left;
  }

  #drop(held: LoadedTokens, seq: number): void {
    const token = held.tokens.get(seq);
    if (!token) return;
    held.tokens.delete(seq);
    if (held.slots.remove(token)) held.arena.remove(token.slot);
  }
}

function createHeld(arena: PinnedArena): LoadedTokens {
  const tokens = new Map<number, ArenaToken>();
  return {
    tokens,
    slots: createHeldSlots(),
    arena,
    get size() {
      return tokens.size;
    },
    get bytes() {
      return arena.arena.bytes;
    },
    drop: () => arena.arena.close(),
  };
}
