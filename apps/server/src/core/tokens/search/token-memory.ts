// The tokens of galleries in this process's memory, unpacked and kept current from the database.
//
// Every change of a gallery has a number: a token is numbered by the change that added it, and a removal leaves a line in
// a log. So whatever this memory has missed, through this process or another, is two range reads away. A search names
// the version of the gallery it must see and waits until the memory has caught up with it. A renewed token is one that
// was removed and another that was added; both are taken in the same step, so that no search sees a person twice.
//
// Tokens that are in a block are not read: the block has their people. It is deleted in the database with any of its tokens,
// so that who is removed takes it away here too, and the tokens of the other three are read in its place.
import { setImmediate as nextTurn } from 'node:timers/promises';
import { type Evaluator, type TokenArena, TokenMemoryFull } from '@limen/token/evaluator';
import { BLOCK_PEOPLE, type EpochPolynomials } from '@limen/token/shared';
import type { Logger } from 'pino';
import type { GalleryRow } from '../../people/index/face-index.ts';
import { followGalleries } from '../../people/index/follow-galleries.ts';
import type { PeopleStore } from '../../people/store/people-store.ts';
import type { BlockStore, StoredBlock } from '../blocks/block-store.ts';
import type { StoredToken, TokenStore } from '../store.ts';
import { createHeldSlots, type HeldSlots } from './held-slots.ts';
import { type PinnedArena, pinArena } from './pinned-arena.ts';
import { type HeldToken, placeBlock, placeToken } from './place-token.ts';

/** What a token takes in an arena, and a block of four as much. */
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

export interface TokenMemory {
  /** The gallery with every change up to the row's version; undefined when there is no room for it. */
  open(gallery: GalleryRow): Promise<TokenView | undefined>;
  /** Resolves when nothing is here that was removed before the call. */
  settle(galleryId: string): Promise<void>;
  load(): Promise<void>;
  state(): string;
  close(): Promise<void>;
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

interface Held {
  tokens: Map<number, HeldToken>;
  slots: HeldSlots;
  arena: PinnedArena;
  /** The last change that is in it. */
  version: number;
  catchingUp: Promise<void> | undefined;
  /** What it will take once it is read. */
  reservedBytes: number;
  /** Searches that are about to open a view. */
  waiting: number;
}

export function createTokenMemory(options: TokenMemoryOptions): TokenMemory {
  const { store, blocks, polynomialsOf, people, evaluator, maxBytes, log, pollMs } = options;
  /** The one that was used last is the last. */
  const galleries = new Map<string, Held>();
  const following = followGalleries({
    heldIds: () => galleries.keys(),
    listVersions: people.listVersions,
    what: 'face tokens',
    log,
    pollMs,
    // One that has grown meanwhile drives out others, or goes itself, before it is read on.
    bring: async (row) => {
      if (!galleries.has(row.id)) return;
      const need = await needOf(row);
      if (galleries.has(row.id) && makeRoom(row, need)) await bringTo(holdGallery(row, need), row);
    },
  });
  let tokensDue = 0;

  return {
    async open(row) {
      const need = await needOf(row);
      if (!makeRoom(row, need)) return undefined;
      const held = holdGallery(row, need);
      galleries.delete(row.id);
      galleries.set(row.id, held);
      held.waiting += 1;
      try {
        await bringTo(held, row);
        // Both as they are now: the next change may come with another arena.
        const { tokens, slots, arena } = held;
        const release = arena.pin();
        return { arena: arena.arena, slots, list: (after) => listAfter(tokens, after), close: release };
      } catch (error) {
        if (error instanceof TokenMemoryFull) return undefined;
        throw error;
      } finally {
        held.waiting -= 1;
      }
    },

    async settle(galleryId) {
      const [row] = galleries.has(galleryId) ? await people.listVersions([galleryId]) : [];
      const held = galleries.get(galleryId);
      if (held && row) await bringTo(held, row);
    },

    load: () =>
      following.begin(
        async () => {
          const rows = (await people.listGalleries()).filter(({ tokens }) => tokens > 0);
          tokensDue = rows.reduce((sum, { tokens }) => sum + tokens, 0);
          return rows;
        },
        async (row) => {
          const need = await needOf(row);
          if (hasRoom(row, need)) await bringTo(holdGallery(row, need), row);
        },
      ),

    state() {
      if (following.hasBegun()) return 'ready';
      const here = galleries.values().reduce((sum, { tokens }) => sum + tokens.size, 0);
      return `loading face tokens (${here} of ${tokensDue})`;
    },

    async close() {
      await following.stop();
      await Promise.allSettled([...galleries.values()].map(({ catchingUp }) => catchingUp));
      for (const { arena } of galleries.values()) arena.close();
      galleries.clear();
    },
  };

  function bytesHeld(except: string): number {
    let bytes = 0;
    for (const [id, { arena, reservedBytes }] of galleries) {
      if (id !== except) bytes += Math.max(arena.arena.bytes, reservedBytes);
    }
    return bytes;
  }

  /** As if there were no blocks where that fits; else they are counted. */
  async function needOf({ id, tokens }: GalleryRow): Promise<number> {
    const most = tokens * UNPACKED_BYTES;
    if (bytesHeld(id) + most <= maxBytes) return most;
    const spared = (BLOCK_PEOPLE - 1) * (await blocks.countBlocks(id));
    return Math.max(0, tokens - spared) * UNPACKED_BYTES;
  }

  function hasRoom({ id }: GalleryRow, need: number): boolean {
    return bytesHeld(id) + need <= maxBytes;
  }

  /** Drops galleries that were not used for longest, and none that a search is reading. */
  function makeRoom(row: GalleryRow, need: number): boolean {
    const couldFit = need <= maxBytes;
    for (const id of couldFit ? [...galleries.keys()] : []) {
      if (hasRoom(row, need)) return true;
      if (id !== row.id) letOthersIn(id);
    }
    if (couldFit && hasRoom(row, need)) return true;
    letOthersIn(row.id); // it was smaller once
    return false;
  }

  function letOthersIn(id: string): void {
    const held = galleries.get(id);
    if (!held || held.catchingUp || held.waiting > 0 || held.arena.isPinned()) return;
    galleries.delete(id);
    held.arena.close();
  }

  function holdGallery({ id }: GalleryRow, need: number): Held {
    let held = galleries.get(id);
    if (!held) {
      const arena = pinArena(evaluator.createArena());
      const empty = { tokens: new Map(), slots: createHeldSlots(), version: 0 };
      held = { ...empty, arena, catchingUp: undefined, reservedBytes: 0, waiting: 0 };
      galleries.set(id, held);
    }
    held.reservedBytes = need;
    return held;
  }

  async function bringTo(held: Held, row: GalleryRow): Promise<void> {
    while (held.version < row.version) {
      held.catchingUp ??= catchUp(held, row)
        .catch((error: unknown) => {
          if (error instanceof TokenMemoryFull) letGo(row.id, held);
          throw error;
        })
        .finally(() => {
          held.catchingUp = undefined;
        });
      await held.catchingUp;
    }
  }

  /** While much is renewed the old and the new are here together, which may be more than was reckoned with. */
  function letGo(galleryId: string, held: Held): void {
    if (galleries.get(galleryId) === held) galleries.delete(galleryId);
    held.arena.close();
  }

  async function catchUp(held: Held, row: GalleryRow): Promise<void> {
    let target: GalleryRow | undefined = row;
    for (let round = 1; target && held.version < target.version && round <= MAX_CATCH_UPS; round++) {
      // The log no longer says what was removed since, so everything is read again.
      if (held.version < target.logFloor && held.tokens.size > 0) empty(held);
      await takeChanges(held, target);
      [target] = await people.listVersions([row.id]);
    }
  }

  async function takeChanges(held: Held, row: GalleryRow): Promise<void> {
    const staged = new Map<number, HeldToken>();
    const taken = new Set<number>();
    try {
      // Blocks first: of one that is deleted in between the tokens are found, and take the place of its people.
      const unreadable = await readBlocks(held, row, staged, taken);
      await readTokens(held, row, staged, taken);
      // What was read into an empty one is what there is; only later changes can take something out again.
      const removed = held.tokens.size === 0 ? [] : await people.listRemovals(row.id, held.version, row.version);
      const left = listLeft(held, removed, staged);
      for (const token of await readBySeq(row.id, [...left, ...unreadable])) stage(held, token, staged, taken);
      for (const seq of [...removed, ...left]) drop(held, seq);
    } catch (error) {
      for (const slot of taken) held.arena.remove(slot);
      throw error;
    }
    for (const [seq, token] of staged) {
      drop(held, seq);
      held.tokens.set(seq, token);
      held.slots.add(token);
      taken.delete(token.slot);
    }
    for (const slot of taken) held.arena.remove(slot);
    held.version = row.version;
  }

  /** The tokens of blocks that cannot be read. */
  async function readBlocks(
    held: Held,
    row: GalleryRow,
    staged: Map<number, HeldToken>,
    taken: Set<number>,
  ): Promise<number[]> {
    const unreadable: number[] = [];
    for (let next: number | undefined = held.version; next !== undefined; ) {
      const page: StoredBlock[] = await blocks.listBlocks(row.id, next, row.version, PAGE_TOKENS);
      for (const block of page) {
        const polynomials = await polynomialsOf(block.epoch);
        checkOpen();
        const placed = placeBlock(held.arena, block, polynomials, log);
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

  async function readTokens(
    held: Held,
    row: GalleryRow,
    staged: Map<number, HeldToken>,
    taken: Set<number>,
  ): Promise<void> {
    for (let next: number | undefined = held.version; next !== undefined; ) {
      const page: StoredToken[] = await store.listTokens(row.id, next, row.version, PAGE_TOKENS);
      checkOpen();
      for (const token of page) stage(held, token, staged, taken);
      next = page.length < PAGE_TOKENS ? undefined : page.at(-1)?.seq;
      await nextTurn();
    }
  }

  async function readBySeq(galleryId: string, seqs: readonly number[]): Promise<StoredToken[]> {
    const found: StoredToken[] = [];
    for (let from = 0; from < seqs.length; from += PAGE_TOKENS)
      found.push(...(await store.listTokensBySeq(galleryId, seqs.slice(from, from + PAGE_TOKENS))));
    checkOpen();
    return found;
  }

  function checkOpen(): void {
    if (following.isStopped()) throw new Error('the memory of tokens is closed');
  }

  function stage(held: Held, token: StoredToken, staged: Map<number, HeldToken>, taken: Set<number>): void {
    const placed = placeToken(held.arena, token, log);
    if (!placed) return;
    staged.set(token.seq, placed);
    taken.add(placed.slot);
  }

  /** Those whose block somebody else's removal has taken away. */
  function listLeft(held: Held, removed: readonly number[], staged: ReadonlyMap<number, HeldToken>): number[] {
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

  function drop(held: Held, seq: number): void {
    const token = held.tokens.get(seq);
    if (!token) return;
    held.tokens.delete(seq);
    if (held.slots.remove(token)) held.arena.remove(token.slot);
  }

  /** Searches that run keep the old arena until they end. */
  function empty(held: Held): void {
    held.arena.close();
    held.arena = pinArena(evaluator.createArena());
    held.tokens = new Map();
    held.slots = createHeldSlots();
    held.version = 0;
  }
}

function listAfter(tokens: ReadonlyMap<number, HeldToken>, after: number): HeldToken[] {
  const found: HeldToken[] = [];
  for (const [seq, token] of tokens) if (seq > after) found.push(token);
  return found;
}
