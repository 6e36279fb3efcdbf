// Puts the stored tokens and blocks of a gallery into an arena. Skips a damaged row, and names it in the log.
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { TokenArena } from '@limen/token/evaluator';
import { TokenError } from '@limen/token/shared';
import type { PersonId } from '../../../platform/base/ids.ts';
import type { GalleryRow } from '../../galleries/store/galleries.ts';
import type { TokenParts } from '../parts.ts';
import { pagesOf, type StoredToken } from '../store.ts';

const ROWS_PER_TURN = 32;

export interface ArenaToken {
  slot: number;
  personId: PersonId;
  epoch: string;
  place?: number;
}

type ArenaTools = Pick<TokenParts, 'store' | 'blocks' | 'polynomialsOf' | 'log'>;
type Slots = Pick<TokenArena, 'add' | 'addBlock'>;
type ArenaTokens = Map<number, ArenaToken>;

/** Places rows added after `after`. Blocks come first, so that the tokens of a block deleted or unreadable are still found. */
export async function* placeChanges(
  parts: ArenaTools,
  arena: Slots,
  { id, version }: Pick<GalleryRow, 'id' | 'version'>,
  after: number,
  limit: number,
): AsyncGenerator<ArenaTokens, void, void> {
  const { store, blocks, polynomialsOf, log } = parts;
  const unreadable: number[] = [];
  for await (const page of pagesOf((from) => blocks.listBlocks(id, from, version, limit), after, limit)) {
    const placed: ArenaTokens = new Map();
    for (const [at, { id: name, epoch, members, block }] of page.entries()) {
      const { ofProbes } = await polynomialsOf(epoch);
      const slot = block && tryToPlace(() => arena.addBlock(block, ofProbes));
      if (typeof slot === 'number') {
        for (const [place, { tokenSeq, personId }] of members.entries())
          placed.set(tokenSeq, { slot, personId, epoch, place });
      } else {
        log.error({ reason: slot ?? 'sealed', block: name }, 'a block of face tokens cannot be read; its tokens are');
        unreadable.push(...members.map(({ tokenSeq }) => tokenSeq));
      }
      if (at % ROWS_PER_TURN === ROWS_PER_TURN - 1) await nextTurn();
    }
    yield placed;
  }
  yield* placeBySeq(parts, arena, id, unreadable, limit);
  for await (const page of pagesOf((from) => store.listTokens(id, from, version, limit), after, limit))
    yield placeTokens(parts, arena, page);
}

export async function* placeBySeq(
  parts: ArenaTools,
  arena: Slots,
  galleryId: string,
  seqs: readonly number[],
  limit: number,
): AsyncGenerator<ArenaTokens, void, void> {
  for (let from = 0; from < seqs.length; from += limit)
    yield placeTokens(parts, arena, await parts.store.listTokensBySeq(galleryId, seqs.slice(from, from + limit)));
}

async function placeTokens({ log }: ArenaTools, arena: Slots, page: readonly StoredToken[]): Promise<ArenaTokens> {
  const placed: ArenaTokens = new Map();
  for (const [at, { seq, id, personId, epoch, body }] of page.entries()) {
    const slot = body && tryToPlace(() => arena.add(body));
    if (typeof slot === 'number') placed.set(seq, { slot, personId, epoch });
    else log.error({ reason: slot ?? 'sealed', token: id }, 'a face token cannot be read and is left out');
    if (at % ROWS_PER_TURN === ROWS_PER_TURN - 1) await nextTurn();
  }
  return placed;
}

function tryToPlace(add: () => number): number | string {
  try {
    return add();
  } catch (error) {
    if (!(error instanceof TokenError)) throw error;
    return error.code;
  }
}

export type PinnedArena = ReturnType<typeof pinArena>;

/** Keeps slots unchanged during a search that uses them: a slot with another token would name the wrong person. */
export function pinArena(arena: TokenArena) {
  let tick = 0;
  const pins = new Set<number>();
  const removed: { slot: number; at: number }[] = [];

  return {
    arena,
    /** Removes the slot once every search that began earlier has ended. */
    remove(slot: number): void {
      removed.push({ slot, at: tick });
      sweep();
    },
    pin(): () => void {
      tick += 1;
      const mine = tick;
      pins.add(mine);
      return () => {
        if (pins.delete(mine)) sweep();
      };
    },
  };

  function sweep(): void {
    const [oldest = Number.POSITIVE_INFINITY] = pins;
    let free = 0;
    while (free < removed.length && removed[free]!.at < oldest) free += 1;
    for (const { slot } of removed.splice(0, free)) arena.remove(slot);
  }
}
