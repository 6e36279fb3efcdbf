// One search: rows of a gallery's tokens against a probe, made by the evaluator and judged by the key-holder.
import type { Evaluator, FoldedProbe } from '@limen/token/evaluator';
import { countPlaces, type EpochPolynomials } from '@limen/token/shared';
import type { Logger } from 'pino';
import { AppError } from '../../../platform/base/errors.ts';
import type { PersonId } from '../../../platform/base/ids.ts';
import type { GalleryRow } from '../../galleries/store/galleries.ts';
import type { PeopleStore } from '../../galleries/store/people.ts';
import { type KeyHolder, MAX_LATE_ROWS, UnknownEpoch } from '../../keyholder/link/calls.ts';
import type { StoredToken } from '../store.ts';
import type { Batch } from './held-slots.ts';
import type { TokenSource } from './source.ts';

/** While tokens are renewed, people move on behind the range that is read; looked after this often. */
const MAX_ROUNDS = 3;

export interface TokenSearch {
  /** Compares with everybody of the gallery who was not compared yet; the row up to which that is true. */
  cover(gallery: GalleryRow): Promise<GalleryRow>;
  /** Compares with these tokens alone. */
  coverThese(tokens: readonly StoredToken[]): Promise<void>;
  /** Whether all of these were compared, or are left out. */
  hasAll(people: readonly PersonId[]): boolean;
  /** The person that the key-holder names, if any. An enrolment may compare a few more tokens and ask again. */
  finish(): Promise<PersonId | undefined>;
}

interface TokenSearchOptions {
  people: Pick<PeopleStore, 'listVersions'>;
  source: TokenSource;
  evaluator: Evaluator;
  keyHolder: KeyHolder;
  polynomialsOf: (epoch: string) => Promise<EpochPolynomials>;
  log: Logger;
}

/** Of a batch the first rows, behind all that came before it. */
interface Compared {
  batch: Pick<Batch, 'personAt' | 'people'>;
  first: number;
  rows: number;
}

/** `listLeftOut` says who of a gallery does not count; asked again whenever it has changed. */
export type BeginSearch = (
  challenge: string,
  probe: Uint8Array,
  listLeftOut?: (galleryId: string) => Promise<readonly PersonId[]>,
) => TokenSearch;

export function createTokenSearch(options: TokenSearchOptions): BeginSearch {
  const { people, source, evaluator, keyHolder, polynomialsOf, log } = options;
  return (challenge, probe, listLeftOut = async () => []) => {
    /** What the key-holder got, in that order. */
    const compared: Compared[] = [];
    let rows = 0;
    const leftOut = new Set<PersonId>();
    const folded = new Map<string, FoldedProbe>();
    let version = 0;
    let mostRows = Number.POSITIVE_INFINITY;

    return {
      async cover(gallery) {
        let target = gallery;
        for (let round = 1; ; round++) {
          const isWhole = await coverOnce(target);
          const [current] = await people.listVersions([gallery.id]);
          if (!current || current.version === target.version || round === MAX_ROUNDS) {
            if (!isWhole) log.error({ gallery: gallery.id }, 'face tokens whose key is gone were left out');
            return target;
          }
          target = current;
        }
      },

      async coverThese(tokens) {
        for (const { id, personId, epoch, body } of tokens) {
          if (!body) {
            log.error({ token: id }, 'a face token does not open and is left out');
            continue;
          }
          await keyHolder.rows(challenge, epoch, evaluator.compareOne(body, probe));
          note({ personAt: () => personId, people: () => [personId] }, 1);
        }
      },

      hasAll: (ids) => among(ids, compared).size === new Set(ids).size,

      async finish() {
        const { best } = await keyHolder.finish(challenge);
        mostRows = Math.min(mostRows, rows + MAX_LATE_ROWS);
        return best === null ? undefined : personAt(best);
      },
    };

    /** `more` rows of the batch that was noted last, or of another one. */
    function note(batch: Pick<Batch, 'personAt' | 'people'>, more: number): void {
      const last = compared.at(-1);
      if (last?.batch === batch) last.rows += more;
      else compared.push({ batch, first: rows, rows: more });
      rows += more;
    }

    function personAt(row: number): PersonId | undefined {
      const found = compared.findLast(({ first }) => first <= row);
      return found?.batch.personAt(row - found.first);
    }

    /** Of these people those who are left out, or are in one of the batches. */
    function among(ids: readonly PersonId[], batches: readonly Compared[]): Set<PersonId> {
      const wanted = new Set(ids);
      const found = new Set([...wanted].filter((personId) => leftOut.has(personId)));
      for (const { batch, rows: noted } of wanted.size > found.size ? batches : [])
        for (const personId of batch.people(noted)) if (wanted.has(personId)) found.add(personId);
      return found;
    }

    async function compareTokens(batch: Batch): Promise<void> {
      await evaluator.compareMany(batch.arena, batch.slots, probe, async (chunk) => {
        await keyHolder.rows(challenge, batch.epoch, chunk);
        note(batch, chunk.count);
      });
    }

    async function compareBlocks(batch: Batch): Promise<void> {
      const { epoch, arena, slots, counting } = batch;
      await evaluator.compareBlocks(arena, slots, counting, await foldFor(epoch), async (chunk) => {
        await keyHolder.blocks(challenge, epoch, chunk);
        note(batch, countPlaces(chunk));
      });
    }

    async function foldFor(epoch: string): Promise<FoldedProbe> {
      const present = folded.get(epoch);
      if (present) return present;
      const { masked, unmask } = evaluator.maskForFolding(probe, await polynomialsOf(epoch));
      const ready = unmask(await keyHolder.fold(challenge, epoch, masked));
      folded.set(epoch, ready);
      return ready;
    }

    /** False when there were tokens whose key the key-holder no longer has: renewed meanwhile, or lost. */
    async function coverOnce(gallery: GalleryRow): Promise<boolean> {
      let isWhole = true;
      for (const personId of await listLeftOut(gallery.id)) leftOut.add(personId);
      // Without those of this round: a gallery that is read page by page asks for each page, and sees to its own.
      const earlier = [...compared];
      const excluded = { leftOut, among: (ids: readonly PersonId[]) => among(ids, earlier) };
      for await (const batch of source.batches(gallery, version, excluded)) {
        // More people have come since the first answer than the key-holder takes.
        if (rows + batch.rows > mostRows) throw tryAgain();
        try {
          if (batch.kind === 'tokens') await compareTokens(batch);
          else await compareBlocks(batch);
        } catch (error) {
          if (!(error instanceof UnknownEpoch)) throw error;
          isWhole = false;
        }
      }
      // What was left out has moved on to a later change, if it is still there.
      version = gallery.version;
      return isWhole;
    }
  };
}

export function tryAgain(): AppError {
  return new AppError('unavailable', 'The gallery is changing at the moment; try again.', {
    headers: { 'retry-after': '1' },
  });
}
