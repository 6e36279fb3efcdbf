// The SQL of blocks: four tokens of a gallery each, deleted by the database as soon as one of them is.
import { BLOCK_PEOPLE } from '@limen/token/shared';
import { type ExpressionBuilder, sql } from 'kysely';
import type { Database, Transaction } from '../../../platform/database/database.ts';
import type { Schema } from '../../../platform/database/schema.ts';
import type { BlockMember, TokenSeal } from '../seal.ts';

export interface StoredBlock {
  seq: number;
  id: string;
  epoch: string;
  /** Four, in the order of their places. */
  members: readonly BlockMember[];
  /** Null when the row does not open: damaged, or its people or tokens are not those it was made of. */
  block: Uint8Array | null;
}

export interface NewBlock extends StoredBlock {
  block: Uint8Array;
  galleryId: string;
  createdAt: number;
}

export function createBlockStore({ queries }: Database, seal: TokenSeal) {
  return {
    /** Blocks added by the changes after `after` up to `upTo`, oldest first. */
    async listBlocks(galleryId: string, after: number, upTo: number, limit: number): Promise<StoredBlock[]> {
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
        return { seq, id, epoch, members: membersOf(row), block: seal.openBlock(row) };
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
      const [first, second, third, fourth] = members as [BlockMember, BlockMember, BlockMember, BlockMember];
      const row = {
        ...{ gallery_id: galleryId, seq, id, epoch, created_at: createdAt },
        ...{ token_0: first.tokenSeq, person_0: first.personId },
        ...{ token_1: second.tokenSeq, person_1: second.personId },
        ...{ token_2: third.tokenSeq, person_2: third.personId },
        ...{ token_3: fourth.tokenSeq, person_3: fourth.personId },
      };
      await trx
        .insertInto('token_blocks')
        .values({ ...row, sealed: seal.sealBlock(row, block) })
        .execute();
    },

    /** Which of these tokens of an epoch are there and in no block. */
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

/** Whether a row of `tokens` is in a block, or in one of the changes up to `upTo`. */
export function isInBlock(eb: ExpressionBuilder<Schema, 'tokens'>, upTo?: number) {
  // One question for each place, because each has its index.
  return eb.or(
    (['token_0', 'token_1', 'token_2', 'token_3'] as const).map((column) => {
      let blocks = eb
        .selectFrom('token_blocks')
        .select(sql`1`.as('one'))
        .whereRef('token_blocks.gallery_id', '=', 'tokens.gallery_id')
        .whereRef(`token_blocks.${column}`, '=', 'tokens.seq');
      if (upTo !== undefined) blocks = blocks.where('token_blocks.seq', '<=', upTo);
      return eb.exists(blocks);
    }),
  );
}

type MemberColumns = Pick<Schema['token_blocks'], `token_${0 | 1 | 2 | 3}` | `person_${0 | 1 | 2 | 3}`>;

/** In the order of their places. */
function membersOf(row: MemberColumns): BlockMember[] {
  return [
    { tokenSeq: row.token_0, personId: row.person_0 },
    { tokenSeq: row.token_1, personId: row.person_1 },
    { tokenSeq: row.token_2, personId: row.person_2 },
    { tokenSeq: row.token_3, personId: row.person_3 },
  ];
}
