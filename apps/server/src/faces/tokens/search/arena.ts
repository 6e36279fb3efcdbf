// Puts stored tokens and blocks into an arena. One damaged row must not take the whole gallery away: the operator hears which.

import type { TokenArena } from '@limen/token/evaluator';
import { type EpochPolynomials, TokenError } from '@limen/token/shared';
import type { Logger } from 'pino';
import type { PersonId } from '../../../platform/base/ids.ts';
import type { StoredBlock } from '../blocks/store.ts';
import type { StoredToken } from '../store.ts';

export interface HeldToken {
  slot: number;
  personId: PersonId;
  epoch: string;
  /** Which of the four it is, where the slot has a block. */
  place?: number;
}

/** Undefined for a row that cannot be read. */
export function placeToken(
  arena: { add(body: Uint8Array): number },
  { id, personId, epoch, body }: StoredToken,
  log: Logger,
): HeldToken | undefined {
  const slot = body && tryToPlace(() => arena.add(body));
  if (typeof slot === 'number') return { slot, personId, epoch };
  log.error({ reason: slot ?? 'sealed', token: id }, 'a face token cannot be read and is left out');
  return undefined;
}

/** Its people by their tokens; undefined for a row that cannot be read: then the tokens are there. */
export function placeBlock(
  arena: { addBlock(block: Uint8Array, ofProbes: Int32Array): number },
  { id, epoch, members, block }: StoredBlock,
  { ofProbes }: EpochPolynomials,
  log: Logger,
): Map<number, HeldToken> | undefined {
  const slot = block && tryToPlace(() => arena.addBlock(block, ofProbes));
  if (typeof slot === 'number')
    return new Map(members.map(({ tokenSeq, personId }, place) => [tokenSeq, { slot, personId, epoch, place }]));
  log.error({ reason: slot ?? 'sealed', block: id }, 'a block of face tokens cannot be read; its tokens are');
  return undefined;
}

/** The slot, or what is wrong with the bytes. */
function tryToPlace(add: () => number): number | string {
  try {
    return add();
  } catch (error) {
    if (!(error instanceof TokenError)) throw error;
    return error.code;
  }
}

// An arena whose slots stay unchanged while a search that knows them runs. A slot that another token
// received during the search would name the wrong person.
export type PinnedArena = ReturnType<typeof pinArena>;

export function pinArena(arena: TokenArena) {
  let tick = 0;
  /** When each search began, oldest first. */
  const pins = new Set<number>();
  const removed: { slot: number; at: number }[] = [];

  return {
    arena,
    add: (body: Uint8Array) => arena.add(body),
    addBlock: (block: Uint8Array, ofProbes: Int32Array) => arena.addBlock(block, ofProbes),
    /** Overwritten once every search that began earlier has ended. */
    remove(slot: number): void {
      removed.push({ slot, at: tick });
      sweep();
    },
    /** Keeps all slots of this moment until the returned function is called. */
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
