// Yields the tokens of a gallery in batches of one key each: from memory or, if they do not fit, page by page from the database.
import type { TokenArena } from '@limen/token/evaluator';
import type { PersonId } from '../../../platform/base/ids.ts';
import type { GalleryRow } from '../../galleries/store/galleries.ts';
import type { TokenParts } from '../parts.ts';
import { type HeldToken, placeChanges } from './arena.ts';
import { type Batch, createHeldSlots } from './held-slots.ts';
import type { TokenMemory } from './memory.ts';

interface ExcludedPeople {
  /** People who are left out from the beginning. */
  leftOut: ReadonlySet<PersonId>;
  /** Returns which of these people are left out, or were compared in an earlier round. */
  among(people: readonly PersonId[]): ReadonlySet<PersonId>;
}

export type TokenSource = ReturnType<typeof createTokenSource>;

/** Tokens read at a time from a gallery that is larger than the memory: 16 MB unpacked. */
export const PAGE_TOKENS = 1_024;

export function createTokenSource(parts: TokenParts, memory: Pick<TokenMemory, 'open'>, pageTokens = PAGE_TOKENS) {
  return {
    /**
     * Yields every token added after the change `after` up to the gallery's version, except those
     * of excluded people. The contents of a batch are valid until the next batch, but its people
     * stay valid.
     */
    async *batches(gallery: GalleryRow, after: number, excluded: ExcludedPeople): AsyncGenerator<Batch, void, void> {
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

  async function* stream(gallery: GalleryRow, after: number, excluded: ExcludedPeople) {
    const arena = parts.evaluator.createArena();
    /** People already compared: the tokens of a block that is deleted in between are found too. */
    const met = new Set<PersonId>();
    try {
      for await (const page of placeChanges(parts, arena, gallery, after, pageTokens)) {
        const placed = [...page.values()];
        const due = withoutExcluded(placed, excluded).filter(({ personId }) => !met.has(personId));
        for (const { personId } of due) met.add(personId);
        yield* inBatches(arena, due);
        for (const slot of new Set(placed.map((token) => token.slot))) arena.remove(slot);
      }
    } finally {
      arena.close();
    }
  }
}

function withoutExcluded(tokens: readonly HeldToken[], excluded: ExcludedPeople): HeldToken[] {
  const without = excluded.among(tokens.map(({ personId }) => personId));
  return tokens.filter(({ personId }) => !without.has(personId));
}

function inBatches(arena: TokenArena, tokens: readonly HeldToken[]): Batch[] {
  const slots = createHeldSlots();
  for (const token of tokens) slots.add(token);
  return slots.batches(arena, new Set());
}
