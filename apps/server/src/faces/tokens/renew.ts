// Moves every token of an owner to a new key, without their people: page by page, while sign-ins go on.
//
// The key-holder re-encrypts masked bodies and sees none of them; a renewed token takes the place of the old one as a
// removal and an addition, which is how memory follows. When no token of the old key is left, the key-holder deletes it.
// A run that was stopped goes on with the same pair of keys.
import { columnsOf, nameOf, type Owner } from '../../platform/api-keys/owner.ts';
import { StartError } from '../../platform/base/errors.ts';
import type { Transaction } from '../../platform/database/database.ts';
import type { GalleryRow } from '../galleries/store/galleries.ts';
import { type EpochRotation, UnknownEpoch } from '../keyholder/link/calls.ts';
import { MAX_RENEWALS } from '../limits.ts';
import type { TokenParts } from './parts.ts';
import { pagesOf, type ReadableToken, type StoredToken, type TokenStore } from './store.ts';
import type { RenewalProgress, RenewalReport } from './tokens.ts';

/** Tokens masked, sent and written at a time: 430 KB, and a short transaction. */
const PAGE_TOKENS = 32;

/** One run over the tokens of all owners that are wanted. */
export class TokenRenewal {
  readonly #parts: TokenParts;
  readonly #pageTokens: number;
  readonly #onProgress: (progress: RenewalProgress) => void;
  readonly #signal: AbortSignal;
  readonly #report: RenewalReport = { customers: 0, renewed: 0, retired: 0, lost: 0, worn: 0 };

  constructor(
    parts: TokenParts,
    pageTokens: number,
    onProgress: (progress: RenewalProgress) => void,
    signal: AbortSignal,
  ) {
    this.#parts = parts;
    this.#pageTokens = Math.min(pageTokens, PAGE_TOKENS);
    this.#onProgress = onProgress;
    this.#signal = signal;
  }

  async run(wanted: Parameters<TokenStore['listGalleries']>[0]): Promise<RenewalReport> {
    const galleries = await this.#parts.store.listGalleries(wanted);
    const owners = new Map(galleries.map(({ owner }) => [nameOf(owner), owner]));
    for (const owner of owners.values()) {
      this.#signal.throwIfAborted();
      await this.#renewOwner(owner);
    }
    // Overwrites on disk what was replaced.
    await this.#parts.database.checkpoint();
    return this.#report;
  }

  async #renewOwner(owner: Owner): Promise<void> {
    const { store, keyHolder } = this.#parts;
    const report = this.#report;
    const rotation = await this.#rotate(owner);
    // Listed after it: enrolments under the old key have come to rest.
    const galleries = await store.listGalleries(columnsOf(owner));
    if (!rotation) {
      report.lost += galleries.reduce((sum, { tokens }) => sum + tokens, 0);
      return;
    }
    report.customers += 1;
    let total = 0;
    for (const { id } of galleries) {
      await this.#nameEpoch(id, rotation.to);
      const counts = await store.countByEpoch(id);
      total += counts.get(rotation.from) ?? 0;
      for (const [epoch, count] of counts) if (epoch !== rotation.from && epoch !== rotation.to) report.lost += count;
    }
    let renewed = 0;
    for (const { id } of galleries) {
      for await (const count of this.#renewGallery(id, owner, rotation)) {
        renewed += count;
        report.renewed += count;
        this.#onProgress({ owner, renewed, total: Math.max(total, renewed) });
      }
    }
    await keyHolder.retire(nameOf(owner), rotation.from);
    report.retired += 1;
  }

  async #rotate(owner: Owner): Promise<EpochRotation | undefined> {
    try {
      return await this.#parts.keyHolder.rotate(nameOf(owner));
    } catch (error) {
      if (error instanceof UnknownEpoch) return undefined;
      throw error;
    }
  }

  /** From now on an enrolment under an older key is refused: what is looked for next is all there will be. */
  async #nameEpoch(galleryId: string, epoch: string): Promise<void> {
    await this.#parts.database.transact(async (trx) => {
      await this.#parts.people.updateGallery(trx, { ...(await this.#lockWhole(trx, galleryId)), token_epoch: epoch });
    });
  }

  /** One that was edited stops the run before its key is deleted: nothing of it could be renewed. */
  async #lockWhole(trx: Transaction, galleryId: string): Promise<GalleryRow> {
    const gallery = await this.#parts.people.lockGallery(trx, galleryId);
    if (gallery) return gallery;
    throw new StartError(
      `The row of gallery ${galleryId} was edited in the database; restore it from a backup, then continue.`,
    );
  }

  async *#renewGallery(galleryId: string, owner: Owner, { from, to }: EpochRotation) {
    const { store, evaluator, keyHolder, database } = this.#parts;
    const limit = this.#pageTokens;
    const readPage = (after: number) => store.listTokensOfEpoch(galleryId, from, after, limit);
    for await (const page of pagesOf(readPage, 0, limit)) {
      this.#signal.throwIfAborted();
      const readable = page.filter(isReadable);
      this.#report.lost += page.length - readable.length;
      if (readable.length === 0) continue;
      const masks = readable.map(({ body }) => evaluator.maskForRenewal(body));
      const masked = masks.map((mask) => mask.masked);
      const bodies = await keyHolder.renew(nameOf(owner), from, to, masked);
      const fresh = await Promise.all(
        readable.map(async (token, at) => ({
          ...token,
          epoch: to,
          renewals: token.renewals + 1,
          body: await masks[at]!.unmask(bodies[at]!),
        })),
      );
      this.#report.worn += fresh.filter(({ renewals }) => renewals > MAX_RENEWALS).length;
      yield await database.transact((trx) => this.#replace(trx, galleryId, fresh));
    }
  }

  /** Those who were deleted meanwhile stay deleted. */
  async #replace(trx: Transaction, galleryId: string, fresh: readonly ReadableToken[]): Promise<number> {
    const { people, store, clock, ids } = this.#parts;
    const gallery = await this.#lockWhole(trx, galleryId);
    const now = clock.now();
    const kept: ReadableToken[] = [];
    for (const token of fresh) if (await store.deleteToken(trx, galleryId, token.seq)) kept.push(token);
    if (kept.length === 0) return 0;
    const removed = kept.map(({ seq }) => seq);
    await people.insertRemovals(trx, galleryId, gallery.version, removed, now);
    let version = gallery.version + removed.length;
    for (const token of kept) {
      version += 1;
      await store.insertToken(trx, { ...token, id: ids.random(), galleryId, seq: version, createdAt: now });
    }
    await people.updateGallery(trx, { ...gallery, version });
    return kept.length;
  }
}

/** What does not open cannot be renewed either: its key goes, and it matches nobody. */
function isReadable(token: StoredToken): token is ReadableToken {
  return token.body !== null;
}
