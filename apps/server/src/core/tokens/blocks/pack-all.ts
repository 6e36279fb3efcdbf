// Puts people who are in no block into blocks, four by four, while sign-ins go on.
//
// The key-holder folds masked tokens and sees none of them. The tokens stay: a block is deleted with any of them, by the
// database itself, and whoever is left over is found one by one until this comes round again.
import type { Evaluator } from '@limen/token/evaluator';
import { BLOCK_PEOPLE } from '@limen/token/shared';
import { nameOf } from '../../../platform/api-keys/owner.ts';
import type { Clock } from '../../../platform/clock.ts';
import type { Database, Transaction } from '../../../platform/database/database.ts';
import type { Ids } from '../../../platform/ids.ts';
import { type KeyHolder, KeyHolderUnavailable, UnknownEpoch } from '../../keyholder/keyholder.ts';
import type { PeopleStore } from '../../people/store/people-store.ts';
import type { StoredToken, TokenGallery, TokenStore } from '../store.ts';
import type { BlockStore } from './block-store.ts';

/** Tokens masked, sent and written at a time: 430 KB, and 20 ms of the key-holder. */
const PAGE_TOKENS = 32;
/** With fewer people left over, comparing them one by one takes no longer than folding a probe. */
export const PACK_FROM = 64;

interface PackOptions {
  database: Database;
  people: PeopleStore;
  store: TokenStore;
  blocks: BlockStore;
  evaluator: Evaluator;
  keyHolder: KeyHolder;
  clock: Clock;
  ids: Ids;
  packFrom: number;
}

type ReadableToken = StoredToken & { body: Uint8Array };

/** How many blocks were made. */
export type PackAll = (signal: AbortSignal) => Promise<number>;

export function createPackAll(options: PackOptions): PackAll {
  const { database, people, store, blocks, evaluator, keyHolder, clock, ids, packFrom } = options;

  return async (signal) => {
    let made = 0;
    try {
      for (const gallery of await store.listGalleries({})) {
        if (gallery.tokens < packFrom) continue;
        const inBlocks = BLOCK_PEOPLE * (await blocks.countBlocks(gallery.id));
        if (gallery.tokens - inBlocks < packFrom) continue;
        for await (const count of packGallery(gallery, signal)) made += count;
      }
    } catch (error) {
      // Nothing is lost: they are compared one by one until it is there again.
      if (!(error instanceof KeyHolderUnavailable)) throw error;
    }
    return made;
  };

  async function* packGallery({ id, owner }: TokenGallery, signal: AbortSignal) {
    const [row] = await people.listVersions([id]);
    const epoch = row?.tokenEpoch;
    if (!epoch) return;
    for (let after = 0; ; ) {
      signal.throwIfAborted();
      const page = await store.listUnpacked(id, epoch, after, PAGE_TOKENS);
      const last = page.at(-1);
      if (!last) return;
      after = last.seq;
      const readable = page.filter(isReadable);
      const whole = readable.slice(0, readable.length - (readable.length % BLOCK_PEOPLE));
      if (whole.length === 0) continue;
      const packed = await pack(nameOf(owner), epoch, whole);
      if (!packed) return;
      yield await database.transact((trx) => insert(trx, id, epoch, packed));
    }
  }

  /** Undefined when the key is gone: a renewal was quicker. */
  async function pack(customer: string, epoch: string, tokens: readonly ReadableToken[]) {
    const groups = [];
    for (let at = 0; at < tokens.length; at += BLOCK_PEOPLE) groups.push(tokens.slice(at, at + BLOCK_PEOPLE));
    const masks = groups.map((group) => evaluator.maskForPacking(group.map(({ body }) => body)));
    try {
      const made = await keyHolder.pack(
        customer,
        epoch,
        masks.flatMap(({ masked }) => masked),
      );
      return groups.map((group, at) => ({
        members: group.map(({ seq, personId }) => ({ tokenSeq: seq, personId })),
        block: masks[at]!.unmask(made[at]!),
      }));
    } catch (error) {
      if (error instanceof UnknownEpoch) return undefined;
      throw error;
    }
  }

  /** Only those of whom all four are still there, and in no block of another process. */
  async function insert(
    trx: Transaction,
    galleryId: string,
    epoch: string,
    packed: NonNullable<Awaited<ReturnType<typeof pack>>>,
  ): Promise<number> {
    const gallery = await people.lockGallery(trx, galleryId);
    if (!gallery || gallery.tokenEpoch !== epoch) return 0;
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

function isReadable(token: StoredToken): token is ReadableToken {
  return token.body !== null;
}
