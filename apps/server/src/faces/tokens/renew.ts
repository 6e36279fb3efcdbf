// Moves every token of an owner to a new key, without their people: page by page, while sign-ins go on.
//
// The key-holder re-encrypts masked bodies and sees none of them; a renewed token takes the place of the old one as a
// removal and an addition, which is how memory follows. When no token of the old key is left, the key-holder deletes it.
// A run that was stopped goes on with the same pair of keys.
import type { Evaluator } from '@limen/token/evaluator';
import { columnsOf, nameOf, type Owner } from '../../platform/api-keys/owner.ts';
import type { Clock } from '../../platform/base/clock.ts';
import { StartError } from '../../platform/base/errors.ts';
import type { Ids } from '../../platform/base/ids.ts';
import type { Database, Transaction } from '../../platform/database/database.ts';
import type { GalleryRow } from '../galleries/store/galleries.ts';
import type { PeopleStore } from '../galleries/store/people.ts';
import { type EpochRotation, type KeyHolder, UnknownEpoch } from '../keyholder/link/calls.ts';
import type { StoredToken, TokenStore } from './store.ts';
import type { RenewalProgress, RenewalReport } from './tokens.ts';

/** Tokens masked, sent and written at a time: 430 KB, and a short transaction. */
const PAGE_TOKENS = 32;

/**
 * Each renewal adds noise that nothing takes away again. After this many a score errs by some 40 % more than at first, and the next ones
 * are reported: their people should enrol again. A token is renewed all the same, because without its key it is lost. It
 * stays out of blocks, where the noise counts twice.
 */
export const MAX_RENEWALS = 12;

interface RenewOptions {
  database: Database;
  people: PeopleStore;
  store: TokenStore;
  evaluator: Evaluator;
  keyHolder: KeyHolder;
  clock: Clock;
  ids: Ids;
  /** Overwrites on disk what was replaced. */
  eraseFreed: () => Promise<void>;
  pageTokens?: number;
}

/** What does not open cannot be renewed either: its key goes, and it matches nobody. */
type ReadableToken = StoredToken & { body: Uint8Array };

export class TokenRenewal {
  readonly #options: RenewOptions;
  readonly #pageTokens;

  constructor(options: RenewOptions) {
    this.#options = options;
    this.#pageTokens = options.pageTokens ?? PAGE_TOKENS;
  }

  async run(
    wanted: Parameters<TokenStore['listGalleries']>[0],
    onProgress: (progress: RenewalProgress) => void,
    signal: AbortSignal,
  ): Promise<RenewalReport> {
    const report: RenewalReport = { customers: 0, renewed: 0, retired: 0, lost: 0, worn: 0 };
    const owners = new Map(
      (await this.#options.store.listGalleries(wanted)).map(({ owner }) => [nameOf(owner), owner]),
    );
    for (const owner of owners.values()) {
      signal.throwIfAborted();
      await this.#renewOwner(owner, report, onProgress, signal);
    }
    await this.#options.eraseFreed();
    return report;
  }

  async #renewOwner(
    owner: Owner,
    report: RenewalReport,
    onProgress: (progress: RenewalProgress) => void,
    signal: AbortSignal,
  ): Promise<void> {
    const rotation = await this.#rotate(owner);
    // Listed after it: enrolments under the old key have come to rest.
    const galleries = await this.#options.store.listGalleries(columnsOf(owner));
    if (!rotation) {
      report.lost += galleries.reduce((sum, { tokens }) => sum + tokens, 0);
      return;
    }
    report.customers += 1;
    let total = 0;
    for (const { id } of galleries) {
      await this.#nameEpoch(id, rotation.to);
      const counts = await this.#options.store.countByEpoch(id);
      total += counts.get(rotation.from) ?? 0;
      for (const [epoch, count] of counts) if (epoch !== rotation.from && epoch !== rotation.to) report.lost += count;
    }
    let renewed = 0;
    for (const { id } of galleries) {
      for await (const count of this.#renewGallery(id, owner, rotation, report, signal)) {
        renewed += count;
        report.renewed += count;
        onProgress({ owner, renewed, total: Math.max(total, renewed) });
      }
    }
    await this.#options.keyHolder.retire(nameOf(owner), rotation.from);
    report.retired += 1;
  }

  async #rotate(owner: Owner): Promise<EpochRotation | undefined> {
    try {
      return await this.#options.keyHolder.rotate(nameOf(owner));
    } catch (error) {
      if (error instanceof UnknownEpoch) return undefined;
      throw error;
    }
  }

  /** From now on an enrolment under an older key is refused: what is looked for next is all there will be. */
  async #nameEpoch(galleryId: string, epoch: string): Promise<void> {
    await this.#options.database.transact(async (trx) => {
      await this.#options.people.updateGallery(trx, { ...(await this.#lockWhole(trx, galleryId)), token_epoch: epoch });
    });
  }

  /** One that was edited stops the run before its key is deleted: nothing of it could be renewed. */
  async #lockWhole(trx: Transaction, galleryId: string): Promise<GalleryRow> {
    const gallery = await this.#options.people.lockGallery(trx, galleryId);
    if (gallery) return gallery;
    throw new StartError(
      `The row of gallery ${galleryId} was edited in the database; restore it from a backup, then continue.`,
    );
  }

  async *#renewGallery(
    galleryId: string,
    owner: Owner,
    { from, to }: EpochRotation,
    report: RenewalReport,
    signal: AbortSignal,
  ) {
    for (let after = 0; ; ) {
      signal.throwIfAborted();
      const page = await this.#options.store.listTokensOfEpoch(
        galleryId,
        from,
        after,
        Math.min(this.#pageTokens, PAGE_TOKENS),
      );
      const last = page.at(-1);
      if (!last) return;
      const readable = page.filter(isReadable);
      report.lost += page.length - readable.length;
      after = last.seq;
      if (readable.length === 0) continue;
      const masks = readable.map(({ body }) => this.#options.evaluator.maskForRenewal(body));
      const bodies = await this.#options.keyHolder.renew(
        nameOf(owner),
        from,
        to,
        masks.map(({ masked }) => masked),
      );
      const fresh = await Promise.all(
        readable.map(async (token, at) => ({
          ...token,
          epoch: to,
          renewals: token.renewals + 1,
          body: await masks[at]!.unmask(bodies[at]!),
        })),
      );
      report.worn += fresh.filter(({ renewals }) => renewals > MAX_RENEWALS).length;
      yield await this.#options.database.transact((trx) => this.#replace(trx, galleryId, fresh));
    }
  }

  /** Those who were deleted meanwhile stay deleted. */
  async #replace(trx: Transaction, galleryId: string, fresh: readonly ReadableToken[]): Promise<number> {
    const gallery = await this.#lockWhole(trx, galleryId);
    const now = this.#options.clock.now();
    const removed: number[] = [];
    const kept: ReadableToken[] = [];
    for (const token of fresh) {
      if (!(await this.#options.store.deleteToken(trx, galleryId, token.seq))) continue;
      removed.push(token.seq);
      kept.push(token);
    }
    if (kept.length === 0) return 0;
    await this.#options.people.insertRemovals(trx, galleryId, gallery.version, removed, now);
    let version = gallery.version + removed.length;
    for (const token of kept) {
      version += 1;
      await this.#options.store.insertToken(trx, {
        ...token,
        id: this.#options.ids.random(),
        galleryId,
        seq: version,
        createdAt: now,
      });
    }
    await this.#options.people.updateGallery(trx, { ...gallery, version });
    return kept.length;
  }
}

function isReadable(token: StoredToken): token is ReadableToken {
  return token.body !== null;
}
