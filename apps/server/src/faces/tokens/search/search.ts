// One search: rows of a gallery's tokens against a probe, made by the evaluator and judged by the key-holder.
import type { FoldedProbe } from '@limen/token/evaluator';
import { countPlaces } from '@limen/token/shared';
import { AppError } from '../../../platform/base/errors.ts';
import type { PersonId } from '../../../platform/base/ids.ts';
import type { GalleryRow } from '../../galleries/store/galleries.ts';
import { MAX_LATE_ROWS } from '../../keyholder/limits.ts';
import { UnknownEpoch } from '../../keyholder/link/calls.ts';
import type { TokenParts } from '../parts.ts';
import type { StoredToken } from '../store.ts';
import type { Batch } from './held-slots.ts';
import type { TokenSource } from './source.ts';

/** While tokens are renewed, people move on behind the range that is read; looked after this often. */
const MAX_ROUNDS = 3;

/** Of a batch the first rows, behind all that came before it. */
interface Compared {
  batch: Pick<Batch, 'personAt' | 'people'>;
  first: number;
  rows: number;
}

/** Lists who of a gallery does not count; asked again whenever it has changed. */
type ListLeftOut = (galleryId: string) => Promise<readonly PersonId[]>;

export type BeginSearch = (challenge: string, probe: Uint8Array, listLeftOut?: ListLeftOut) => TokenSearch;

export function createTokenSearch(parts: TokenParts, source: TokenSource): BeginSearch {
  return (challenge, probe, listLeftOut) => new TokenSearch(parts, source, challenge, probe, listLeftOut);
}

export class TokenSearch {
  readonly #parts: TokenParts;
  readonly #source: TokenSource;
  readonly #challenge: string;
  readonly #probe: Uint8Array;
  readonly #listLeftOut: ListLeftOut;
  /** What the key-holder got, in that order. */
  readonly #compared: Compared[] = [];
  readonly #leftOut = new Set<PersonId>();
  readonly #folded = new Map<string, FoldedProbe>();
  #rows = 0;
  #version = 0;
  #mostRows = Number.POSITIVE_INFINITY;

  constructor(
    parts: TokenParts,
    source: TokenSource,
    challenge: string,
    probe: Uint8Array,
    listLeftOut: ListLeftOut = async () => [],
  ) {
    this.#parts = parts;
    this.#source = source;
    this.#challenge = challenge;
    this.#probe = probe;
    this.#listLeftOut = listLeftOut;
  }

  /** Compares with everybody of the gallery who was not compared yet; the row up to which that is true. */
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

  /** Compares with these tokens alone. */
  async coverThese(tokens: readonly StoredToken[]): Promise<void> {
    const { evaluator, keyHolder, log } = this.#parts;
    for (const { id, personId, epoch, body } of tokens) {
      if (!body) {
        log.error({ token: id }, 'a face token does not open and is left out');
        continue;
      }
      await keyHolder.rows(this.#challenge, epoch, evaluator.compareOne(body, this.#probe));
      this.#note({ personAt: () => personId, people: () => [personId] }, 1);
    }
  }

  /** Whether all of these were compared, or are left out. */
  hasAll(people: readonly PersonId[]): boolean {
    return this.#among(people, this.#compared).size === new Set(people).size;
  }

  /** The person that the key-holder names, if any. An enrolment may compare a few more tokens and ask again. */
  async finish(): Promise<PersonId | undefined> {
    const { best } = await this.#parts.keyHolder.finish(this.#challenge);
    this.#mostRows = Math.min(this.#mostRows, this.#rows + MAX_LATE_ROWS);
    if (best === null) return undefined;
    const found = this.#compared.findLast(({ first }) => first <= best);
    return found?.batch.personAt(best - found.first);
  }

  /** `more` rows of the batch that was noted last, or of another one. */
  #note(batch: Compared['batch'], more: number): void {
    const last = this.#compared.at(-1);
    if (last?.batch === batch) last.rows += more;
    else this.#compared.push({ batch, first: this.#rows, rows: more });
    this.#rows += more;
  }

  /** Of these people those who are left out, or are in one of the batches. */
  #among(people: readonly PersonId[], batches: readonly Compared[]): Set<PersonId> {
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
      await evaluator.compareMany(arena, slots, this.#probe, async (chunk) => {
        await keyHolder.rows(this.#challenge, epoch, chunk);
        this.#note(batch, chunk.count);
      });
    } else {
      await evaluator.compareBlocks(arena, slots, counting, await this.#foldFor(epoch), async (chunk) => {
        await keyHolder.blocks(this.#challenge, epoch, chunk);
        this.#note(batch, countPlaces(chunk));
      });
    }
  }

  async #foldFor(epoch: string): Promise<FoldedProbe> {
    const present = this.#folded.get(epoch);
    if (present) return present;
    const { evaluator, keyHolder, polynomialsOf } = this.#parts;
    const { masked, unmask } = evaluator.maskForFolding(this.#probe, await polynomialsOf(epoch));
    const ready = unmask(await keyHolder.fold(this.#challenge, epoch, masked));
    this.#folded.set(epoch, ready);
    return ready;
  }

  /** False when there were tokens whose key the key-holder no longer has: renewed meanwhile, or lost. */
  async #coverOnce(gallery: GalleryRow): Promise<boolean> {
    let isWhole = true;
    for (const personId of await this.#listLeftOut(gallery.id)) this.#leftOut.add(personId);
    // Without those of this round: a gallery that is read page by page asks for each page, and sees to its own.
    const earlier = [...this.#compared];
    const excluded = { leftOut: this.#leftOut, among: (ids: readonly PersonId[]) => this.#among(ids, earlier) };
    for await (const batch of this.#source.batches(gallery, this.#version, excluded)) {
      // More people have come since the first answer than the key-holder takes.
      if (this.#rows + batch.rows > this.#mostRows) throw tryAgain();
      try {
        await this.#compare(batch);
      } catch (error) {
        if (!(error instanceof UnknownEpoch)) throw error;
        isWhole = false;
      }
    }
    // What was left out has moved on to a later change, if it is still there.
    this.#version = gallery.version;
    return isWhole;
  }
}

export function tryAgain(): AppError {
  return new AppError('unavailable', 'The gallery is changing at the moment; try again.', {
    headers: { 'retry-after': '1' },
  });
}
