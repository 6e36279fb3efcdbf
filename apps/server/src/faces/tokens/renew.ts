// Moves every token of an owner to a new key, without their people: page by page, while sign-ins go on. The key-holder re-encrypts masked
// bodies, and deletes the old key when no token of it is left. An interrupted run continues with the same pair of keys.
import { formatOwner, type Owner, ownerColumns } from '../../platform/api-keys/owner.ts';
import { StartError } from '../../platform/base/errors.ts';
import type { Transaction } from '../../platform/database/database.ts';
import type { GalleryRow } from '../galleries/store/galleries.ts';
import { type EpochRotation, UnknownEpochError } from '../keyholder/link/calls.ts';
import { MAX_RENEWALS } from '../limits.ts';
import type { TokenParts } from './parts.ts';
import { pagesOf, type ReadableToken, type StoredToken } from './store.ts';
import type { GalleryOwnerFilter, RenewalProgress, RenewalReport } from './tokens.ts';

const PAGE_TOKENS = 32;

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

  async run(wanted: GalleryOwnerFilter): Promise<RenewalReport> {
    const galleries = await this.#parts.store.listGalleries(wanted);
    for (const owner of new Map(galleries.map(({ owner }) => [formatOwner(owner), owner])).values()) {
      this.#signal.throwIfAborted();
      await this.#renewOwner(owner);
    }
    await this.#parts.database.checkpoint();
    return this.#report;
  }

  async #renewOwner(owner: Owner): Promise<void> {
    const { store, keyHolder } = this.#parts;
    const report = this.#report;
    const rotation = await keyHolder.rotate(formatOwner(owner)).catch((error: unknown) => {
      if (error instanceof UnknownEpochError) return undefined;
      throw error;
    });
    // Listed after the rotation, when enrollments under the old key have ended.
    const galleries = await store.listGalleries(ownerColumns(owner));
    if (!rotation) {
      report.lost += galleries.reduce((sum, { tokens }) => sum + tokens, 0);
      return;
    }
    report.customers += 1;
    let total = 0;
    for (const { id } of galleries) {
      // From now on, enrollments under an older key are refused, so that the counts are final.
      await this.#parts.database.transact(async (trx) => {
        await this.#parts.people.updateGallery(trx, { ...(await this.#lock(trx, id)), token_epoch: rotation.to });
      });
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
    await keyHolder.retire(formatOwner(owner), rotation.from);
    report.retired += 1;
  }

  /** Stops the run at an edited row, before its key is deleted. */
  async #lock(trx: Transaction, galleryId: string): Promise<GalleryRow> {
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
      // A token that does not open is lost with its key.
      const readable = page.filter((token: StoredToken): token is ReadableToken => token.body !== null);
      this.#report.lost += page.length - readable.length;
      if (readable.length === 0) continue;
      const masks = readable.map(({ body }) => evaluator.maskForRenewal(body));
      const masked = masks.map((mask) => mask.masked);
      const bodies = await keyHolder.renew(formatOwner(owner), from, to, masked);
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

  async #replace(trx: Transaction, galleryId: string, fresh: readonly ReadableToken[]): Promise<number> {
    const { people, store, clock, ids } = this.#parts;
    const gallery = await this.#lock(trx, galleryId);
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
