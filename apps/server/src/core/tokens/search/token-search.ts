// One search: rows of a gallery's tokens against a probe, made by the evaluator and judged by the key-holder.
import type { Evaluator, FoldedProbe } from '@limen/token/evaluator';
import { countPlaces, type EpochPolynomials } from '@limen/token/shared';
import type { Logger } from 'pino';
import type { PersonId } from '../../../platform/ids.ts';
import { type KeyHolder, MAX_LATE_ROWS, UnknownEpoch } from '../../keyholder/keyholder.ts';
import type { GalleryRow } from '../../people/index/face-index.ts';
import type { PeopleStore } from '../../people/store/people-store.ts';
import type { StoredToken } from '../store.ts';
import type { BlockBatch, TokenBatch, TokenSource } from './token-source.ts';
import { tryAgain } from './try-again.ts';

/** While tokens are renewed, people move on behind the range that is read; looked after this often. */
const MAX_ROUNDS = 3;

export interface TokenSearch {
  /** Compares with everybody of the gallery who was not compared yet; the row up to which that is true. */
  cover(gallery: GalleryRow): Promise<GalleryRow>;
  /** Compares with these tokens alone. */
  coverThese(tokens: readonly StoredToken[]): Promise<void>;
  /** Whether this person was compared, or is left out. */
  has(personId: PersonId): boolean;
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

/** `listLeftOut` says who of a gallery does not count; asked again whenever it has changed. */
export type BeginSearch = (
  challenge: string,
  probe: Uint8Array,
  listLeftOut?: (galleryId: string) => Promise<readonly PersonId[]>,
) => TokenSearch;

export function createTokenSearch(options: TokenSearchOptions): BeginSearch {
  const { people, source, evaluator, keyHolder, polynomialsOf, log } = options;
  return (challenge, probe, listLeftOut = async () => []) => {
    /** Who is behind each row, in the order in which the key-holder got them. */
    const rows: PersonId[] = [];
    const seen = new Set<PersonId>();
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
          note(personId);
        }
      },

      has: (personId) => seen.has(personId),

      async finish() {
        const { best } = await keyHolder.finish(challenge);
        mostRows = Math.min(mostRows, rows.length + MAX_LATE_ROWS);
        return best === null ? undefined : rows[best];
      },
    };

    function note(personId: PersonId): void {
      rows.push(personId);
      seen.add(personId);
    }

    async function compareTokens({ epoch, arena, slots, people: owners }: TokenBatch): Promise<void> {
      await evaluator.compareMany(arena, slots, probe, async (chunk, from) => {
        await keyHolder.rows(challenge, epoch, chunk);
        for (let at = 0; at < chunk.count; at++) note(owners[from + at]!);
      });
    }

    async function compareBlocks(batch: BlockBatch): Promise<void> {
      const { epoch, arena, slots, counting, firsts, people: owners } = batch;
      await evaluator.compareBlocks(arena, slots, counting, await foldFor(epoch), async (chunk, from) => {
        const first = firsts[from]!;
        const count = countPlaces(chunk);
        await keyHolder.blocks(challenge, epoch, chunk);
        for (let at = 0; at < count; at++) note(owners[first + at]!);
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
      for (const personId of await listLeftOut(gallery.id)) seen.add(personId);
      for await (const batch of source.batches(gallery, version, seen)) {
        // More people have come since the first answer than the key-holder takes.
        if (rows.length + batch.people.length > mostRows) throw tryAgain();
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
