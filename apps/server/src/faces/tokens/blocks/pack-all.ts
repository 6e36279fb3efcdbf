// Packs tokens that are in no block into blocks, four by four, while sign-ins go on. The tokens stay: the database deletes a block with
// any of them, and the others are found one by one until the next run. A token that grows by folding scores too high in a block.
import { BLOCK_PEOPLE } from '@limen/token/shared';
import { formatOwner } from '../../../platform/api-keys/owner.ts';
import type { Transaction } from '../../../platform/database/database.ts';
import { KeyHolderUnavailableError, ThrottledError, UnknownEpochError } from '../../keyholder/link/calls.ts';
import { MAX_RENEWALS } from '../../limits.ts';
import type { TokenParts } from '../parts.ts';
import { pagesOf, type ReadableToken, type StoredToken, type TokenGallery } from '../store.ts';

const PAGE_TOKENS = 32;
/** With fewer people left, comparing them one by one takes no longer than folding a probe. */
const PACK_FROM = 64;

export function createPackAll(parts: TokenParts, packFrom = PACK_FROM) {
  const { database, people, store, blocks, evaluator, keyHolder, clock, ids, log } = parts;
  /** Tokens that are out of balance, by gallery and number: asking again would use up another of the customer's answers. */
  const unbalanced = new Set<string>();
  /** Unpackable tokens of the last pass over a gallery: they are no reason to read it again. */
  const leftOut = new Map<string, number>();

  return async (signal: AbortSignal): Promise<number> => {
    let made = 0;
    try {
      for (const gallery of await store.listGalleries({})) {
        if (gallery.tokens < packFrom) continue;
        const inBlocks = BLOCK_PEOPLE * (await blocks.countBlocks(gallery.id));
        if (gallery.tokens - inBlocks - (leftOut.get(gallery.id) ?? 0) < packFrom) continue;
        for await (const count of packGallery(gallery, signal)) made += count;
      }
    } catch (error) {
      // Nothing is lost: tokens are compared one by one until the key-holder answers again.
      if (!(error instanceof KeyHolderUnavailableError || error instanceof ThrottledError)) throw error;
    }
    return made;
  };

  async function* packGallery({ id, owner }: TokenGallery, signal: AbortSignal) {
    const [row] = await people.listVersions([id]);
    const epoch = row?.token_epoch;
    if (!epoch) return;
    let left = 0;
    const readPage = (after: number) => store.listUnpacked(id, epoch, after, PAGE_TOKENS);
    for await (const page of pagesOf(readPage, 0, PAGE_TOKENS)) {
      signal.throwIfAborted();
      const packed = await packBalanced(id, formatOwner(owner), epoch, page.filter(isPackable));
      if (!packed) return;
      left += page.filter((token) => !isPackable(token) || unbalanced.has(tokenKey(id, token))).length;
      if (packed.length > 0) yield await database.transact((trx) => insert(trx, id, epoch, packed));
    }
    leftOut.set(id, left);
  }

  /** Packs balanced tokens into whole blocks. Returns undefined if a renewal has removed the key. */
  async function packBalanced(galleryId: string, customer: string, epoch: string, tokens: readonly ReadableToken[]) {
    for (let left = tokens; ; ) {
      left = left.filter((token) => !unbalanced.has(tokenKey(galleryId, token)));
      const whole = left.slice(0, left.length - (left.length % BLOCK_PEOPLE));
      if (whole.length === 0) return [];
      const packed = await pack(customer, epoch, whole);
      if (!packed || 'blocks' in packed) return packed?.blocks;
      unbalanced.add(tokenKey(galleryId, whole[packed.unbalanced]!));
      log.warn('a face token would be too long in a block; it stays out of blocks and is compared by itself');
    }
  }

  async function pack(customer: string, epoch: string, tokens: readonly ReadableToken[]) {
    const groups: ReadableToken[][] = [];
    for (let at = 0; at < tokens.length; at += BLOCK_PEOPLE) groups.push(tokens.slice(at, at + BLOCK_PEOPLE));
    const masks = groups.map((group) => evaluator.maskForPacking(group.map(({ body }) => body)));
    const masked = masks.flatMap((mask) => mask.masked);
    const balances = tokens.map(({ body }) => evaluator.balance(body));
    try {
      const made = await keyHolder.pack(customer, epoch, masked, balances);
      if ('unbalanced' in made) return made;
      const blocks = groups.map((group, at) => ({
        members: group.map(({ seq, personId }) => ({ tokenSeq: seq, personId })),
        block: masks[at]!.unmask(made.blocks[at]!),
      }));
      return { blocks };
    } catch (error) {
      if (error instanceof UnknownEpochError) return undefined;
      throw error;
    }
  }

  /** Skips blocks with a token that was deleted or packed by another process. */
  async function insert(
    trx: Transaction,
    galleryId: string,
    epoch: string,
    packed: NonNullable<Awaited<ReturnType<typeof packBalanced>>>,
  ): Promise<number> {
    const gallery = await people.lockGallery(trx, galleryId);
    if (!gallery || gallery.token_epoch !== epoch) return 0;
    const seqs = packed.flatMap(({ members }) => members.map(({ tokenSeq }) => tokenSeq));
    const free = await blocks.listFree(trx, galleryId, epoch, seqs);
    let { version } = gallery;
    for (const { members, block } of packed) {
      if (!members.every(({ tokenSeq }) => free.has(tokenSeq))) continue;
      version += 1;
      const [id, createdAt] = [ids.random(), clock.now()];
      await blocks.insertBlock(trx, { galleryId, seq: version, id, epoch, members, block, createdAt });
    }
    if (version > gallery.version) await people.updateGallery(trx, { ...gallery, version });
    return version - gallery.version;
  }
}

function isPackable(token: StoredToken): token is ReadableToken {
  return token.body !== null && token.renewals <= MAX_RENEWALS;
}

function tokenKey(galleryId: string, { seq }: StoredToken): string {
  return `${galleryId}/${seq}`;
}
