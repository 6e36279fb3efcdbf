// The tokens of a gallery as a search takes them: batches of one key each, from memory or, where they do not fit, from the
// database page by page.
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Evaluator, TokenArena } from '@limen/token/evaluator';
import { BLOCK_PEOPLE, type EpochPolynomials } from '@limen/token/shared';
import type { Logger } from 'pino';
import type { PersonId } from '../../../platform/ids.ts';
import type { GalleryRow } from '../../people/index/face-index.ts';
import type { BlockStore, StoredBlock } from '../blocks/block-store.ts';
import type { StoredToken, TokenStore } from '../store.ts';
import { type HeldToken, placeBlock, placeToken } from './place-token.ts';
import { shuffleInPlace } from './shuffle.ts';
import type { TokenMemory } from './token-memory.ts';

interface Batch {
  epoch: string;
  arena: TokenArena;
  slots: Uint32Array;
  /** Whose rows they give, in their order. */
  people: readonly PersonId[];
}

export interface TokenBatch extends Batch {
  kind: 'tokens';
}

export interface BlockBatch extends Batch {
  kind: 'blocks';
  /** For each slot the bits of the people who count, and the number of the first of them. */
  counting: Uint8Array;
  firsts: Uint32Array;
}

export interface TokenSource {
  /**
   * Every token added after the change `after` up to the gallery's version, without those of `leaveOut`. In no order: who
   * sees the same search twice cannot tell which rows belong together. What a batch names is good until the next.
   */
  batches(
    gallery: GalleryRow,
    after: number,
    leaveOut: ReadonlySet<PersonId>,
  ): AsyncGenerator<TokenBatch | BlockBatch, void, void>;
}

/** Tokens read at a time where a gallery is larger than the memory: 16 MB unpacked. */
export const PAGE_TOKENS = 1_024;
/** Unpacked before other work gets its turn. */
const TOKENS_PER_TURN = 32;

interface TokenSourceOptions {
  store: TokenStore;
  blocks: BlockStore;
  polynomialsOf: (epoch: string) => Promise<EpochPolynomials>;
  memory: TokenMemory;
  evaluator: Evaluator;
  pageTokens: number;
  log: Logger;
}

export function createTokenSource(options: TokenSourceOptions): TokenSource {
  const { store, blocks, polynomialsOf, memory, evaluator, pageTokens, log } = options;
  return {
    async *batches(gallery, after, leaveOut) {
      const view = await memory.open(gallery);
      if (!view) {
        yield* stream(gallery, after, leaveOut);
        return;
      }
      try {
        yield* toBatches(view.arena, view.list(after), leaveOut);
      } finally {
        view.close();
      }
    },
  };

  async function* stream(gallery: GalleryRow, after: number, leaveOut: ReadonlySet<PersonId>) {
    const arena = evaluator.createArena();
    try {
      // Blocks first: of one that is deleted in between the tokens are found, and those who were compared are left out.
      const unreadable: number[] = [];
      for (let next: number | undefined = after; next !== undefined; ) {
        const page: StoredBlock[] = await blocks.listBlocks(gallery.id, next, gallery.version, pageTokens);
        yield* compareAndRemove(arena, await placeBlocks(arena, page, unreadable), leaveOut);
        next = page.length < pageTokens ? undefined : page.at(-1)?.seq;
      }
      for (let from = 0; from < unreadable.length; from += pageTokens) {
        const page = await store.listTokensBySeq(gallery.id, unreadable.slice(from, from + pageTokens));
        yield* compareAndRemove(arena, await placeTokens(arena, page, leaveOut), leaveOut);
      }
      for (let next: number | undefined = after; next !== undefined; ) {
        const page: StoredToken[] = await store.listTokens(gallery.id, next, gallery.version, pageTokens);
        yield* compareAndRemove(arena, await placeTokens(arena, page, leaveOut), leaveOut);
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

  async function placeTokens(arena: TokenArena, page: readonly StoredToken[], leaveOut: ReadonlySet<PersonId>) {
    const placed: HeldToken[] = [];
    for (const [at, token] of page.entries()) {
      if (at % TOKENS_PER_TURN === TOKENS_PER_TURN - 1) await nextTurn();
      const held = leaveOut.has(token.personId) ? undefined : placeToken(arena, token, log);
      if (held) placed.push(held);
    }
    return placed;
  }
}

function* compareAndRemove(arena: TokenArena, placed: readonly HeldToken[], leaveOut: ReadonlySet<PersonId>) {
  yield* toBatches(arena, placed, leaveOut);
  for (const slot of new Set(placed.map((one) => one.slot))) arena.remove(slot);
}

function* toBatches(
  arena: TokenArena,
  placed: Iterable<HeldToken>,
  leaveOut: ReadonlySet<PersonId>,
): Generator<TokenBatch | BlockBatch> {
  const singles: HeldToken[] = [];
  const packed: HeldToken[] = [];
  for (const one of placed) if (!leaveOut.has(one.personId)) (one.place === undefined ? singles : packed).push(one);
  for (const [epoch, group] of Map.groupBy(packed, (one) => one.epoch)) yield toBlockBatch(arena, epoch, group);
  for (const [epoch, group] of Map.groupBy(singles, (one) => one.epoch)) {
    shuffleInPlace(group);
    const slots = Uint32Array.from(group, ({ slot }) => slot);
    yield { kind: 'tokens', epoch, arena, slots, people: group.map(({ personId }) => personId) };
  }
}

function toBlockBatch(arena: TokenArena, epoch: string, packed: readonly HeldToken[]): BlockBatch {
  /** Blocks by their slots, and their people, four places each. */
  const numbers = new Map<number, number>();
  const members: (PersonId | undefined)[] = [];
  for (const { slot, place, personId } of packed) {
    let number = numbers.get(slot);
    if (number === undefined) {
      number = numbers.size;
      numbers.set(slot, number);
      for (let empty = 0; empty < BLOCK_PEOPLE; empty++) members.push(undefined);
    }
    members[number * BLOCK_PEOPLE + place!] = personId;
  }
  const blocks = [...numbers];
  shuffleInPlace(blocks);
  const people: PersonId[] = [];
  const firsts = new Uint32Array(blocks.length);
  const counting = new Uint8Array(blocks.length);
  for (const [at, [, number]] of blocks.entries()) {
    firsts[at] = people.length;
    for (let place = 0; place < BLOCK_PEOPLE; place++) {
      const personId = members[number * BLOCK_PEOPLE + place];
      if (personId === undefined) continue;
      counting[at]! |= 1 << place;
      people.push(personId);
    }
  }
  return { kind: 'blocks', epoch, arena, slots: Uint32Array.from(blocks, ([slot]) => slot), counting, firsts, people };
}
