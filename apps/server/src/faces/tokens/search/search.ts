// A search: the evaluator compares a gallery's tokens with a probe, and the key-holder decides.
import type { FoldedProbe, TokenArena } from '@limen/token/evaluator';
import { countPlaces } from '@limen/token/shared';
import { AppError } from '../../../platform/base/errors.ts';
import type { PersonId } from '../../../platform/base/ids.ts';
import type { GalleryRow } from '../../galleries/store/galleries.ts';
import { MAX_LATE_ROWS } from '../../keyholder/limits.ts';
import { UnknownEpochError } from '../../keyholder/link/calls.ts';
import type { TokenParts } from '../parts.ts';
import type { StoredToken } from '../store.ts';
import { type ArenaToken, placeChanges } from './arena.ts';
import { type Batch, createHeldSlots } from './held-slots.ts';
import type { TokenMemory } from './memory.ts';

/** Maximum passes over a gallery: a renewal moves people past the range that is being read. */
const MAX_ROUNDS = 3;

/** The first rows of a batch, with the number of rows before them. */
interface ComparedRows {
  batch: Pick<Batch, 'personAt' | 'people'>;
  first: number;
  rows: number;
}

/** Lists people of a gallery who do not count; called again whenever the gallery has changed. */
type ListExcludedPeople = (galleryId: string) => Promise<readonly PersonId[]>;

interface SearchAttempt {
  challenge: string;
  probe: Uint8Array;
  listLeftOut: ListExcludedPeople;
}

export type BeginSearch = (challenge: string, probe: Uint8Array, listLeftOut?: ListExcludedPeople) => TokenSearch;

export function createTokenSearch(parts: TokenParts, source: TokenSource): BeginSearch {
  return (challenge, probe, listLeftOut = async () => []) =>
    new TokenSearch(parts, source, { challenge, probe, listLeftOut });
}

export class TokenSearch {
  readonly #parts: TokenParts;
  readonly #source: TokenSource;
  readonly #attempt: SearchAttempt;
  /** In the order in which the key-holder received them. */
  readonly #compared: ComparedRows[] = [];
  readonly #leftOut = new Set<PersonId>();
  readonly #folded = new Map<string, FoldedProbe>();
  #rows = 0;
  #version = 0;
  #mostRows = Number.POSITIVE_INFINITY;

  constructor(parts: TokenParts, source: TokenSource, attempt: SearchAttempt) {
    this.#parts = parts;
    this.#source = source;
    this.#attempt = attempt;
  }

  /** Compares everyone in the gallery who was not compared yet. Returns the gallery row that this covers. */
  async cover(gallery: GalleryRow): Promise<GalleryRow> {
    let target = gallery;
    for (let round = 1; ; round++) {
      const isWhole = await this.#coverOnce(target);
      const [current] = await this.#parts.people.listVersions([gallery.id]);
      if (!current || current.version === target.version || round === MAX_ROUNDS) {
        if (!isWhole) this.#parts.log.error({ gallery: gallery.id }, 'face tokens whose key is gone were left out');
        return target;
      }
      target = current;
    }
  }

  async coverThese(tokens: readonly StoredToken[]): Promise<void> {
    const { evaluator, keyHolder, log } = this.#parts;
    for (const { id, personId, epoch, body } of tokens) {
      if (!body) {
        log.error({ token: id }, 'a face token cannot be decrypted and is skipped');
        continue;
      }
      await keyHolder.rows(this.#attempt.challenge, epoch, evaluator.compareOne(body, this.#attempt.probe));
      this.#record({ personAt: () => personId, people: () => [personId] }, 1);
    }
  }

  /** Returns whether all of these people were compared, or are left out. */
  hasAll(people: readonly PersonId[]): boolean {
    return this.#among(people, this.#compared).size === new Set(people).size;
  }

  /** Returns the person that the key-holder found. An enrollment may compare a few more tokens and call this again. */
  async finish(): Promise<PersonId | undefined> {
    const { best } = await this.#parts.keyHolder.finish(this.#attempt.challenge);
    this.#mostRows = Math.min(this.#mostRows, this.#rows + MAX_LATE_ROWS);
    if (best === null) return undefined;
    const match = this.#compared.findLast(({ first }) => first <= best);
    return match?.batch.personAt(best - match.first);
  }

  #record(batch: ComparedRows['batch'], more: number): void {
    const last = this.#compared.at(-1);
    if (last?.batch === batch) last.rows += more;
    else this.#compared.push({ batch, first: this.#rows, rows: more });
    this.#rows += more;
  }

  #among(people: readonly PersonId[], batches: readonly ComparedRows[]): Set<PersonId> {
    const wanted = new Set(people);
    const found = new Set(people.filter((personId) => this.#leftOut.has(personId)));
    for (const { batch, rows } of wanted.size > found.size ? batches : [])
      for (const personId of batch.people(rows)) if (wanted.has(personId)) found.add(personId);
    return found;
  }

  async #compare(batch: Batch): Promise<void> {
    const { evaluator, keyHolder } = this.#parts;
    const { kind, epoch, arena, slots, counting } = batch;
    if (kind === 'tokens') {
      await evaluator.compareMany(arena, slots, this.#attempt.probe, async (chunk) => {
        await keyHolder.rows(this.#attempt.challenge, epoch, chunk);
        this.#record(batch, chunk.count);
      });
    } else {
      await evaluator.compareBlocks(arena, slots, counting, await this.#foldFor(epoch), async (chunk) => {
        await keyHolder.blocks(this.#attempt.challenge, epoch, chunk);
        this.#record(batch, countPlaces(chunk));
      });
    }
  }

  async #foldFor(epoch: string): Promise<FoldedProbe> {
    const present = this.#folded.get(epoch);
    if (present) return present;
    const { evaluator, keyHolder, polynomialsOf } = this.#parts;
    const { masked, unmask } = evaluator.maskForFolding(this.#attempt.probe, await polynomialsOf(epoch));
    const folded = unmask(await keyHolder.fold(this.#attempt.challenge, epoch, masked));
    this.#folded.set(epoch, folded);
    return folded;
  }

  /** Returns false if the key of some tokens is gone, because they were renewed or lost. */
  async #coverOnce(gallery: GalleryRow): Promise<boolean> {
    let isWhole = true;
    for (const personId of await this.#attempt.listLeftOut(gallery.id)) this.#leftOut.add(personId);
    // Only earlier rounds: a gallery that is read page by page keeps track of this one itself.
    const earlier = [...this.#compared];
    const excluded = { leftOut: this.#leftOut, among: (ids: readonly PersonId[]) => this.#among(ids, earlier) };
    for await (const batch of this.#source.batches(gallery, this.#version, excluded)) {
      // The key-holder takes no more newcomers after its first decision.
      if (this.#rows + batch.rows > this.#mostRows) throw tryAgain();
      try {
        await this.#compare(batch);
      } catch (error) {
        if (!(error instanceof UnknownEpochError)) throw error;
        isWhole = false;
      }
    }
    // Skipped tokens that still exist have moved to a later change.
    this.#version = gallery.version;
    return isWhole;
  }
}

export function tryAgain(): AppError {
  return new AppError('unavailable', 'The gallery is changing at the moment; try again.', {
    headers: { 'retry-after': '1' },
  });
}

interface ExcludedPeople {
  leftOut: ReadonlySet<PersonId>;
  /** Returns which of these people are left out, or were compared in an earlier round. */
  among(people: readonly PersonId[]): ReadonlySet<PersonId>;
}

type TokenSource = ReturnType<typeof createTokenSource>;

export const PAGE_TOKENS = 1_024;

/** Yields the tokens of a gallery in batches of one key each: from memory or, if they do not fit, page by page from the database. */
export function createTokenSource(parts: TokenParts, memory: Pick<TokenMemory, 'open'>, pageTokens = PAGE_TOKENS) {
  return {
    /** Yields tokens added after the change `after`, except of excluded people. Slots of a batch are valid until the next batch. */
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

function withoutExcluded(tokens: readonly ArenaToken[], excluded: ExcludedPeople): ArenaToken[] {
  const without = excluded.among(tokens.map(({ personId }) => personId));
  return tokens.filter(({ personId }) => !without.has(personId));
}

function inBatches(arena: TokenArena, tokens: readonly ArenaToken[]): Batch[] {
  const slots = createHeldSlots();
  for (const token of tokens) slots.add(token);
  return slots.batches(arena, new Set());
}
