// The tokens of galleries in this process's memory, unpacked and kept current from the database.
//
// A renewed token is one that was removed and another that was added. Both are taken in the same step, so that no search sees
// a person twice.
//
// Tokens that are in a block are not read: the block has their people. It is deleted in the database with any of its tokens,
// so that who is removed takes it away here too, and the tokens of the other three are read in its place.
import { setImmediate as nextTurn } from 'node:timers/promises';
import { type Evaluator, type TokenArena, TokenMemoryFull } from '@limen/token/evaluator';
import { BLOCK_PEOPLE, type EpochPolynomials } from '@limen/token/shared';
import type { Logger } from 'pino';
import { type CachedGallery, GalleryCache } from '../../galleries/gallery-cache.ts';
import type { GalleryRow } from '../../galleries/store/galleries.ts';
import type { PeopleStore } from '../../galleries/store/people.ts';
import type { BlockStore, StoredBlock } from '../blocks/store.ts';
import type { StoredToken, TokenStore } from '../store.ts';
import { type HeldToken, type PinnedArena, pinArena, placeBlock, placeToken } from './arena.ts';
import { createHeldSlots, type HeldSlots } from './held-slots.ts';

/** Bytes that a token takes in an arena. A block of four takes as many. */
export const UNPACKED_BYTES = 16_384;
/** Tokens read and unpacked before other work gets its turn. */
const PAGE_TOKENS = 32;
/**
 * While tokens are renewed, one can be removed before it was read and added behind the range that is read. So the reading
 * goes on where it ended, this often; each time the gap is as short as the reading before.
 */
const MAX_CATCH_UPS = 3;

/** A gallery as it was when the view was opened. */
export interface TokenView {
  arena: TokenArena;
  slots: HeldSlots;
  /** Tokens added after this change. */
  list(after: number): HeldToken[];
  close(): void;
}

interface TokenMemoryOptions {
  store: TokenStore;
  blocks: BlockStore;
  polynomialsOf: (epoch: string) => Promise<EpochPolynomials>;
  people: Pick<PeopleStore, 'listGalleries' | 'listVersions' | 'listRemovals'>;
  evaluator: Evaluator;
  maxBytes: number;
  log: Logger;
  /** A test changes it. */
  pollMs?: number | undefined;
}

interface Held extends CachedGallery {
  tokens: Map<number, HeldToken>;
  slots: HeldSlots;
  arena: PinnedArena;
}

export class TokenMemory {
  readonly #options: TokenMemoryOptions;
  readonly #cache;

  constructor(options: TokenMemoryOptions) {
    this.#options = options;
    this.#cache = new GalleryCache<Held>({
      source: {
        what: 'face tokens',
        rounds: MAX_CATCH_UPS,
        count: ({ tokens }) => tokens,
        /** As if there were no blocks if that fits; otherwise they are counted. */
        measure: async ({ id, tokens }, free) => {
          if (tokens * UNPACKED_BYTES <= free) return tokens * UNPACKED_BYTES;
          const spared = (BLOCK_PEOPLE - 1) * (await this.#options.blocks.countBlocks(id));
          return Math.max(0, tokens - spared) * UNPACKED_BYTES;
        },
        create: () => createHeld(pinArena(this.#options.evaluator.createArena())),
        takeChanges: (held, after, row) => this.#takeChanges(held, after, row),
        isFull: (error) => error instanceof TokenMemoryFull,
      },
      people: options.people,
      maxBytes: options.maxBytes,
      exceedsLimit: false,
      log: options.log,
      pollMs: options.pollMs,
    });
  }

  /** The gallery with every change up to the row's version; undefined when there is no room for it. */
  async open(row: GalleryRow): Promise<TokenView | undefined> {
    const lease = await this.#cache.acquire(row);
    if (!lease) return undefined;
    const { tokens, slots, arena } = lease.gallery;
    const unpin = arena.pin();
    const close = () => {
      unpin();
      lease.release();
    };
    return { arena: arena.arena, slots, list: (after) => listAfter(tokens, after), close };
  }

  /** Resolves when nothing is here that was removed before the call. */
  readonly settle = (galleryId: string) => this.#cache.settle(galleryId);

  readonly load = () => this.#cache.load();

  readonly state = () => this.#cache.state();

  readonly close = () => this.#cache.close();

  async #takeChanges(held: Held, after: number, row: GalleryRow): Promise<void> {
    const staged = new Map<number, HeldToken>();
    const taken = new Set<number>();
    try {
      // Blocks first: of one that is deleted in between the tokens are found, and take the place of its people.
      const unreadable = await this.#readBlocks(held, after, row, staged, taken);
      await this.#readTokens(held, after, row, staged, taken);
      // If nothing was held before, the rows just read are current: no removal applies to them.
      const removed = held.tokens.size === 0 ? [] : await this.#options.people.listRemovals(row.id, after, row.version);
      const left = this.#listLeft(held, removed, staged);
      for (const token of await this.#readBySeq(row.id, [...left, ...unreadable]))
        this.#stage(held, token, staged, taken);
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

  /** The tokens of blocks that cannot be read. */
  async #readBlocks(
    held: Held,
    after: number,
    row: GalleryRow,
    staged: Map<number, HeldToken>,
    taken: Set<number>,
  ): Promise<number[]> {
    const unreadable: number[] = [];
    for (let next: number | undefined = after; next !== undefined; ) {
      const page: StoredBlock[] = await this.#options.blocks.listBlocks(row.id, next, row.version, PAGE_TOKENS);
      for (const block of page) {
        const polynomials = await this.#options.polynomialsOf(block.epoch);
        this.#cache.requireOpen();
        const placed = placeBlock(held.arena, block, polynomials, this.#options.log);
        if (!placed) unreadable.push(...block.members.map(({ tokenSeq }) => tokenSeq));
        for (const [seq, token] of placed ?? []) {
          staged.set(seq, token);
          taken.add(token.slot);
        }
      }
      next = page.length < PAGE_TOKENS ? undefined : page.at(-1)?.seq;
      await nextTurn();
    }
    return unreadable;
  }

  async #readTokens(
    held: Held,
    after: number,
    row: GalleryRow,
    staged: Map<number, HeldToken>,
    taken: Set<number>,
  ): Promise<void> {
    for (let next: number | undefined = after; next !== undefined; ) {
      const page: StoredToken[] = await this.#options.store.listTokens(row.id, next, row.version, PAGE_TOKENS);
      this.#cache.requireOpen();
      for (const token of page) this.#stage(held, token, staged, taken);
      next = page.length < PAGE_TOKENS ? undefined : page.at(-1)?.seq;
      await nextTurn();
    }
  }

  async #readBySeq(galleryId: string, seqs: readonly number[]): Promise<StoredToken[]> {
    const found: StoredToken[] = [];
    for (let from = 0; from < seqs.length; from += PAGE_TOKENS)
      found.push(...(await this.#options.store.listTokensBySeq(galleryId, seqs.slice(from, from + PAGE_TOKENS))));
    this.#cache.requireOpen();
    return found;
  }

  #stage(held: Held, token: StoredToken, staged: Map<number, HeldToken>, taken: Set<number>): void {
    const placed = placeToken(held.arena, token, this.#options.log);
    if (!placed) return;
    staged.set(token.seq, placed);
    taken.add(placed.slot);
  }

  /** Lists tokens that lost their block because another member of it was removed. */
  #listLeft(held: Held, removed: readonly number[], staged: ReadonlyMap<number, HeldToken>): number[] {
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

  #drop(held: Held, seq: number): void {
    const token = held.tokens.get(seq);
    if (!token) return;
    held.tokens.delete(seq);
    if (held.slots.remove(token)) held.arena.remove(token.slot);
  }
}

function createHeld(arena: PinnedArena): Held {
  const tokens = new Map<number, HeldToken>();
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

function listAfter(tokens: ReadonlyMap<number, HeldToken>, after: number): HeldToken[] {
  const found: HeldToken[] = [];
  for (const [seq, token] of tokens) if (seq > after) found.push(token);
  return found;
}
