// The SQL of face tokens.
import { type Owner, ownerColumns, ownerFrom } from '../../platform/api-keys/owner.ts';
import type { PersonId, Puid } from '../../platform/base/ids.ts';
import type { Database, Queries, Transaction } from '../../platform/database/database.ts';
import { type PeopleSeals, selectWithGallery } from '../galleries/store/row-seals.ts';
import { isInBlock } from './blocks/store.ts';
import type { TokenSeal } from './seal.ts';
import type { GalleryOwnerFilter, TokenPerson } from './tokens.ts';

export interface StoredToken {
  seq: number;
  id: string;
  personId: PersonId;
  epoch: string;
  body: Uint8Array | null;
  renewals: number;
}

export type ReadableToken = StoredToken & { body: Uint8Array };
export type TokenGallery = Awaited<ReturnType<TokenStore['listGalleries']>>[number];
export type TokenStore = ReturnType<typeof createTokenStore>;

/** `modelVersion` names the galleries that count: tokens of other models cannot be compared. */
export function createTokenStore(
  { queries }: Database,
  modelVersion: string,
  seal: TokenSeal,
  seals: Pick<PeopleSeals, 'ifBothWhole'>,
) {
  /** Selects people with a token; others of the gallery were enrolled with embeddings. */
  const owners = (owner: Owner, db: Queries | Transaction = queries) =>
    selectWithGallery(db)
      .where('galleries.model_version', '=', modelVersion)
      .where(({ exists, selectFrom }) =>
        exists(selectFrom('tokens').select('tokens.seq').whereRef('tokens.person_id', '=', 'people.id')),
      )
      .where(({ and }) => and(ownerColumns(owner)));

  return {
    ...createTokenLists(queries, seal),

    async listGalleries({ customer, world }: GalleryOwnerFilter) {
      let query = queries
        .selectFrom('galleries')
        .select(['id', 'customer', 'world', 'tokens'])
        .where(({ eb, or }) => or([eb('tokens', '>', 0), eb('model_version', '=', modelVersion)]));
      if (customer !== undefined) query = query.where('customer', '=', customer);
      if (world !== undefined) query = query.where('world', '=', world);
      const rows = await query.orderBy('id').execute();
      return rows.map((row) => ({ id: row.id, owner: ownerFrom(row), tokens: row.tokens }));
    },

    async countByEpoch(galleryId: string): Promise<Map<string, number>> {
      const rows = await queries
        .selectFrom('tokens')
        .select(({ fn }) => ['epoch', fn.countAll<number>().as('count')])
        .where('gallery_id', '=', galleryId)
        .groupBy('epoch')
        .execute();
      return new Map(rows.map(({ epoch, count }) => [epoch, count]));
    },

    async listOwnersSince(trx: Transaction, galleryId: string, after: number, limit: number): Promise<PersonId[]> {
      const rows = await trx
        .selectFrom('tokens')
        .select('person_id')
        .where('gallery_id', '=', galleryId)
        .where('seq', '>', after)
        .orderBy('seq')
        .limit(limit)
        .execute();
      return rows.map(({ person_id }) => person_id);
    },

    async listProvisional(galleryId: string): Promise<PersonId[]> {
      const rows = await queries
        .selectFrom('people')
        .select('id')
        .where('gallery_id', '=', galleryId)
        .where('provisional_session', 'is not', null)
        .execute();
      return rows.map(({ id }) => id);
    },

    async findOwner(owner: Owner, personId: PersonId, trx?: Transaction) {
      const row = await owners(owner, trx).where('people.id', '=', personId).executeTakeFirst();
      const whole = seals.ifBothWhole(row);
      if (!whole) return undefined;
      const { provisional_session: provisionalSession, created_at: createdAt } = whole.person;
      return { ...toPerson(whole), provisionalSession, createdAt };
    },

    async findByPuid(owner: Owner, puid: Puid): Promise<TokenPerson | undefined> {
      const row = await owners(owner)
        .where('people.puid', '=', puid)
        .where('people.provisional_session', 'is', null)
        .executeTakeFirst();
      const whole = seals.ifBothWhole(row);
      return whole && toPerson(whole);
    },

    async insertToken(
      trx: Transaction,
      token: ReadableToken & { galleryId: string; createdAt: number },
    ): Promise<void> {
      const { galleryId, seq, id, personId, epoch, body, renewals, createdAt } = token;
      const sealed = seal.seal(id, personId, { body, renewals });
      await trx
        .insertInto('tokens')
        .values({ gallery_id: galleryId, seq, id, person_id: personId, epoch, sealed, created_at: createdAt })
        .execute();
    },

    async deleteToken(trx: Transaction, galleryId: string, seq: number): Promise<boolean> {
      const result = await trx
        .deleteFrom('tokens')
        .where('gallery_id', '=', galleryId)
        .where('seq', '=', seq)
        .executeTakeFirst();
      return result.numDeletedRows > 0n;
    },
  };
}

function createTokenLists(queries: Queries, seal: TokenSeal) {
  const stored = () => queries.selectFrom('tokens').select(['seq', 'id', 'person_id', 'epoch', 'sealed']);
  const inGallery = (galleryId: string) => stored().where('gallery_id', '=', galleryId);

  async function read(query: ReturnType<typeof stored>): Promise<StoredToken[]> {
    const rows = await query.orderBy('seq').execute();
    return rows.map(({ seq, id, person_id: personId, epoch, sealed }) => {
      const { body, renewals } = seal.open(id, personId, sealed) ?? { body: null, renewals: 0 };
      return { seq, id, personId, epoch, body, renewals };
    });
  }

  return {
    /** Returns tokens added by the changes after `after` up to `upTo` that are in no block of these changes. */
    listTokens: (galleryId: string, after: number, upTo: number, limit: number) =>
      read(
        inGallery(galleryId)
          .where('seq', '>', after)
          .where('seq', '<=', upTo)
          .where((eb) => eb.not(isInBlock(eb, upTo)))
          .limit(limit),
      ),

    listTokensBySeq: async (galleryId: string, seqs: readonly number[]) =>
      seqs.length === 0 ? [] : read(inGallery(galleryId).where('seq', 'in', seqs)),

    /** Returns tokens of confirmed people under a key that are in no block. */
    listUnpacked: (galleryId: string, epoch: string, after: number, limit: number) =>
      read(
        inGallery(galleryId)
          .where('epoch', '=', epoch)
          .where('seq', '>', after)
          .where((eb) => eb.not(isInBlock(eb)))
          // If the enrollment fails, deleting a provisional person would delete the block too.
          .where(({ exists, selectFrom }) =>
            exists(
              selectFrom('people')
                .select('people.id')
                .whereRef('people.id', '=', 'tokens.person_id')
                .where('people.provisional_session', 'is', null),
            ),
          )
          .limit(limit),
      ),

    listTokensOfPerson: (personId: PersonId) => read(stored().where('person_id', '=', personId)),

    listTokensOfEpoch: (galleryId: string, epoch: string, after: number, limit: number) =>
      read(inGallery(galleryId).where('epoch', '=', epoch).where('seq', '>', after).limit(limit)),
  };
}

/** `readPage` reads at most `limit` rows after the change `after`. The page that has fewer is the last. */
export async function* pagesOf<Row extends { seq: number }>(
  readPage: (after: number) => Promise<Row[]>,
  after: number,
  limit: number,
): AsyncGenerator<Row[], void, void> {
  for (let next: number | undefined = after; next !== undefined; ) {
    const page = await readPage(next);
    yield page;
    next = page.length < limit ? undefined : page.at(-1)?.seq;
  }
}

function toPerson({ person, gallery }: NonNullable<ReturnType<PeopleSeals['ifBothWhole']>>): TokenPerson {
  return { personId: person.id, puid: person.puid, guid: gallery.guid };
}
