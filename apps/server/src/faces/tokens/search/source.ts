// The tokens of a gallery as a search takes them: batches of one key each, from memory or, where they do not fit, from the
// database page by page.
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Evaluator, TokenArena } from '@limen/token/evaluator';
import type { EpochPolynomials } from '@limen/token/shared';
import type { Logger } from 'pino';
import type { PersonId } from '../../../platform/base/ids.ts';
import type { GalleryRow } from '../../galleries/store/galleries.ts';
import type { BlockStore, StoredBlock } from '../blocks/store.ts';
import type { StoredToken, TokenStore } from '../store.ts';
import { type HeldToken, placeBlock, placeToken } from './arena.ts';
import { type Batch, createHeldSlots } from './held-slots.ts';
import type { TokenMemory } from './memory.ts';

/** Who need not be compared. */
export interface Excluded {
  /** Who is left out from the beginning. */
  leftOut: ReadonlySet<PersonId>;
  /** Of these people those who are left out, or were compared in an earlier round. */
  among(people: readonly PersonId[]): ReadonlySet<PersonId>;
}

export type TokenSource = ReturnType<typeof createTokenSource>;

/** Tokens read at a time where a gallery is larger than the memory: 16 MB unpacked. */
export const PAGE_TOKENS = 1_024;
/** Unpacked before other work gets its turn. */
const TOKENS_PER_TURN = 32;
const NOBODY: ReadonlySet<PersonId> = new Set();

interface TokenSourceOptions {
  store: TokenStore;
  blocks: BlockStore;
  polynomialsOf: (epoch: string) => Promise<EpochPolynomials>;
  memory: TokenMemory;
  evaluator: Evaluator;
  pageTokens: number;
  log: Logger;
}

export function createTokenSource(options: TokenSourceOptions) {
  const { store, blocks, polynomialsOf, memory, evaluator, pageTokens, log } = options;
  return {
    /**
     * Yields every token added after the change `after` up to the gallery's version, except those
     * of excluded people. The contents of a batch are valid until the next batch, but its people
     * stay valid.
     */
    async *batches(gallery: GalleryRow, after: number, excluded: Excluded): AsyncGenerator<Batch, void, void> {
      const view = await memory.open(gallery);
      if (!view) {
        yield* stream(gallery, after, excluded);
        return;
      }
      try {
        if (after === 0) yield* view.slots.batches(view.arena, excluded.leftOut);
        else yield* inBatches(view.arena, withoutExcluded(view.list(after), excluded));
      } finally {
        view.close();
      }
    },
  };

  async function* stream(gallery: GalleryRow, after: number, excluded: Excluded) {
    const arena = evaluator.createArena();
    /** Blocks first: of one that is deleted in between the tokens are found, and those who were compared are left out. */
    const met = new Set<PersonId>();
    const compare = function* (placed: readonly HeldToken[]) {
      const due = withoutExcluded(placed, excluded).filter(({ personId }) => !met.has(personId));
      for (const { personId } of due) met.add(personId);
      yield* inBatches(arena, due);
      for (const slot of new Set(placed.map((one) => one.slot))) arena.remove(slot);
    };
    try {
      const unreadable: number[] = [];
      for (let next: number | undefined = after; next !== undefined; ) {
        const page: StoredBlock[] = await blocks.listBlocks(gallery.id, next, gallery.version, pageTokens);
        yield* compare(await placeBlocks(arena, page, unreadable));
        next = page.length < pageTokens ? undefined : page.at(-1)?.seq;
      }
      for (let from = 0; from < unreadable.length; from += pageTokens) {
        const page = await store.listTokensBySeq(gallery.id, unreadable.slice(from, from + pageTokens));
        yield* compare(await placeTokens(arena, page));
      }
      for (let next: number | undefined = after; next !== undefined; ) {
        const page: StoredToken[] = await store.listTokens(gallery.id, next, gallery.version, pageTokens);
        yield* compare(await placeTokens(arena, page));
        next = page.length < pageTokens ? undefined : page.at(-1)?.seq;
      }
    } finally {
      arena.close();
    }
  }

  async function placeBlocks(arena: TokenArena, page: readonly StoredBlock[], unreadable: number[]) {
    const placed: HeldToken[] = [];
    for (const [at, block] of page.entries()) {
      if (at % TOKENS_PER_TURN === TOKENS_PER_TURN - 1) await nextTurn();
      const held = placeBlock(arena, block, await polynomialsOf(block.epoch), log);
      if (held) placed.push(...held.values());
      else unreadable.push(...block.members.map(({ tokenSeq }) => tokenSeq));
    }
    return placed;
  }

  async function placeTokens(arena: TokenArena, page: readonly StoredToken[]) {
    const placed: HeldToken[] = [];
    for (const [at, token] of page.entries()) {
      if (at % TOKENS_PER_TURN === TOKENS_PER_TURN - 1) await nextTurn();
      const held = placeToken(arena, token, log);
      if (held) placed.push(held);
    }
    return placed;
  }
}

function withoutExcluded(tokens: readonly HeldToken[], excluded: Excluded): HeldToken[] {
  const without = excluded.among(tokens.map(({ personId }) => personId));
  return tokens.filter(({ personId }) => !without.has(personId));
}

/** Those of a page, or who came since: few. */
function inBatches(arena: TokenArena, tokens: readonly HeldToken[]): Batch[] {
  const slots = createHeldSlots();
  for (const token of tokens) slots.add(token);
  return slots.batches(arena, NOBODY);
}
