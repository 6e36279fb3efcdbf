// The SQL of blocks: four tokens of a gallery each, deleted by the database as soon as one of them is.
import { BLOCK_PEOPLE } from '@limen/token/shared';
import { type ExpressionBuilder, sql } from 'kysely';
import type { Database, Transaction } from '../../../platform/database/database.ts';
import type { Schema } from '../../../platform/database/schema.ts';
import type { BlockMember, TokenSeal } from '../seal.ts';

interface NewBlock {
  galleryId: string;
  seq: number;
  id: string;
  epoch: string;
  members: readonly BlockMember[];
  block: Uint8Array;
  createdAt: number;
}

const PLACES = [0, 1, 2, 3] as const;
type MemberColumns = Pick<Schema['token_blocks'], `token_${0 | 1 | 2 | 3}` | `person_${0 | 1 | 2 | 3}`>;

export function createBlockStore({ queries }: Database, seal: TokenSeal) {
  return {
    /** Returns blocks added by the changes after `after` up to `upTo`, oldest first. `block` is null if its row does not open. */
    async listBlocks(galleryId: string, after: number, upTo: number, limit: number) {
      const rows = await queries
        .selectFrom('token_blocks')
        .selectAll()
        .where('gallery_id', '=', galleryId)
        .where('seq', '>', after)
        .where('seq', '<=', upTo)
        .orderBy('seq')
        .limit(limit)
        .execute();
      return rows.map((row) => {
        const { seq, id, epoch } = row;
        const members = PLACES.map((place) => ({ tokenSeq: row[`token_${place}`], personId: row[`person_${place}`] }));
        return { seq, id, epoch, members, block: seal.openBlock(row) };
      });
    },

    async countBlocks(galleryId: string): Promise<number> {
      const { count } = await queries
        .selectFrom('token_blocks')
        .select(({ fn }) => fn.countAll<number>().as('count'))
        .where('gallery_id', '=', galleryId)
        .executeTakeFirstOrThrow();
      return count;
    },

    async insertBlock(
      trx: Transaction,
      { galleryId, seq, id, epoch, members, block, createdAt }: NewBlock,
    ): Promise<void> {
      if (members.length !== BLOCK_PEOPLE) throw new RangeError('a block has four people');
      const columns = members.flatMap(({ tokenSeq, personId }, place) => [
        [`token_${place}`, tokenSeq],
        [`person_${place}`, personId],
      ]);
      const own = { gallery_id: galleryId, seq, id, epoch, created_at: createdAt };
      const row = { ...own, ...(Object.fromEntries(columns) as MemberColumns) };
      await trx
        .insertInto('token_blocks')
        .values({ ...row, sealed: seal.sealBlock(row, block) })
        .execute();
    },

    /** Returns which of these tokens of an epoch still exist and are in no block. */
    async listFree(trx: Transaction, galleryId: string, epoch: string, seqs: readonly number[]): Promise<Set<number>> {
      if (seqs.length === 0) return new Set();
      const rows = await trx
        .selectFrom('tokens')
        .select('seq')
        .where('gallery_id', '=', galleryId)
        .where('epoch', '=', epoch)
        .where('seq', 'in', seqs)
        .where((eb) => eb.not(isInBlock(eb)))
        .execute();
      return new Set(rows.map(({ seq }) => seq));
    },
  };
}

/** Returns whether a row of `tokens` is in a block, or in a block of the changes up to `upTo`. */
export function isInBlock(eb: ExpressionBuilder<Schema, 'tokens'>, upTo?: number) {
  // A subquery for each place, because each place has an index.
  return eb.or(
    PLACES.map((place) => {
      let blocks = eb
        .selectFrom('token_blocks')
        .select(sql`1`.as('one'))
        .whereRef('token_blocks.gallery_id', '=', 'tokens.gallery_id')
        .whereRef(`token_blocks.token_${place}`, '=', 'tokens.seq');
      if (upTo !== undefined) blocks = blocks.where('token_blocks.seq', '<=', upTo);
      return eb.exists(blocks);
    }),
  );
}
