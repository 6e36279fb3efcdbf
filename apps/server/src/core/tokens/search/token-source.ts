// The tokens of a gallery as a search takes them: batches of one key each, from memory or, where they do not fit, from the
// database page by page.
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Evaluator, TokenArena } from '@limen/token/evaluator';
import type { Logger } from 'pino';
import type { PersonId } from '../../../platform/ids.ts';
import type { GalleryRow } from '../../people/index/face-index.ts';
import type { StoredToken, TokenStore } from '../store.ts';
import { type HeldToken, placeToken } from './place-token.ts';
import { shuffleInPlace } from './shuffle.ts';
import type { TokenMemory } from './token-memory.ts';

export interface TokenBatch {
  epoch: string;
  arena: TokenArena;
  slots: Uint32Array;
  /** Whose token is in each slot. */
  people: readonly PersonId[];
}

export interface TokenSource {
  /**
   * Every token added after the change `after` up to the gallery's version, without those of `leaveOut`. In no order: who
   * sees the same search twice cannot tell which rows belong together. What a batch names is good until the next.
   */
  batches(gallery: GalleryRow, after: number, leaveOut: ReadonlySet<PersonId>): AsyncGenerator<TokenBatch, void, void>;
}

/** Tokens read at a time where a gallery is larger than the memory: 16 MB unpacked. */
export const PAGE_TOKENS = 1_024;
/** Unpacked before other work gets its turn. */
const TOKENS_PER_TURN = 32;

interface TokenSourceOptions {
  store: TokenStore;
  memory: TokenMemory;
  evaluator: Evaluator;
  pageTokens: number;
  log: Logger;
}

export function createTokenSource({ store, memory, evaluator, pageTokens, log }: TokenSourceOptions): TokenSource {
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
      for (let next: number | undefined = after; next !== undefined; ) {
        const page: StoredToken[] = await store.listTokens(gallery.id, next, gallery.version, pageTokens);
        const placed: HeldToken[] = [];
        for (const [at, token] of page.entries()) {
          if (at % TOKENS_PER_TURN === TOKENS_PER_TURN - 1) await nextTurn();
          const held = leaveOut.has(token.personId) ? undefined : placeToken(arena, token, log);
          if (held) placed.push(held);
        }
        yield* toBatches(arena, placed, leaveOut);
        for (const { slot } of placed) arena.remove(slot);
        next = page.length < pageTokens ? undefined : page.at(-1)?.seq;
      }
    } finally {
      arena.close();
    }
  }
}

function* toBatches(
  arena: TokenArena,
  placed: Iterable<HeldToken>,
  leaveOut: ReadonlySet<PersonId>,
): Generator<TokenBatch> {
  const byEpoch = new Map<string, HeldToken[]>();
  for (const one of placed) {
    if (leaveOut.has(one.personId)) continue;
    const group = byEpoch.get(one.epoch);
    if (group) group.push(one);
    else byEpoch.set(one.epoch, [one]);
  }
  for (const [epoch, group] of byEpoch) {
    shuffleInPlace(group);
    const slots = Uint32Array.from(group, ({ slot }) => slot);
    yield { epoch, arena, slots, people: group.map(({ personId }) => personId) };
  }
}
