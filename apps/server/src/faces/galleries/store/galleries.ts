// The SQL of galleries and of the log of their deletions.
import { type Owner, ownerColumns } from '../../../platform/api-keys/owner.ts';
import { AppError } from '../../../platform/base/errors.ts';
import type { CustomerId } from '../../../platform/base/ids.ts';
import type { World } from '../../../platform/base/world.ts';
import type { Core } from '../../../platform/core.ts';
import type { Database, Queries, Transaction } from '../../../platform/database/database.ts';
import { holdRows } from '../../../platform/database/hold-rows.ts';
import type { Schema } from '../../../platform/database/schema.ts';
import { defineRecurringJob } from '../../../platform/jobs/job.ts';
import { MAX_GALLERIES } from '../../limits.ts';
import type { PeopleSeals } from './row-seals.ts';

export type GalleryRow = Schema['galleries'];

const EMPTY = { version: 0, log_floor: 0, people: 0, embeddings: 0, tokens: 0, token_epoch: null };

type GalleryStore = ReturnType<typeof createGalleryStore>;

export function createGalleryStore({ queries, engine, prepare }: Database, seals: Pick<PeopleSeals, 'galleries'>) {
  const selectGallery = prepare((customer: CustomerId, world: World, modelVersion: string, dimensions: number) =>
    queries
      .selectFrom('galleries')
      .selectAll()
      .where(({ and }) => and({ customer, world, model_version: modelVersion, dimensions })),
  );

  const keepWhole = (rows: readonly GalleryRow[]) => rows.filter((row) => seals.galleries.ifWhole(row));

  function lockRow(trx: Transaction, galleryId: string): Promise<GalleryRow | undefined> {
    const query = trx.selectFrom('galleries').selectAll().where('id', '=', galleryId);
    return holdRows(engine, query).executeTakeFirst();
  }

  /** Reads a gallery's row and locks it until the transaction ends. */
  const lockGallery = async (trx: Transaction, galleryId: string) =>
    seals.galleries.ifWhole(await lockRow(trx, galleryId));

  /** Call only with a gallery that this transaction has locked. */
  async function updateGallery(trx: Transaction, gallery: GalleryRow): Promise<void> {
    const { id, version, log_floor, people, embeddings, tokens, token_epoch, mac } = seals.galleries.sign(gallery);
    await trx
      .updateTable('galleries')
      .set({ version, log_floor, people, embeddings, tokens, token_epoch, mac })
      .where('id', '=', id)
      .execute();
  }

  return {
    /** Does nothing if the owner already has a gallery of this version and length. */
    async insertGallery(gallery: Omit<GalleryRow, keyof typeof EMPTY | 'mac'>): Promise<void> {
      await queries
        .insertInto('galleries')
        .values(seals.galleries.sign({ ...gallery, ...EMPTY }))
        .onConflict((conflict) => conflict.columns(['customer', 'world', 'model_version', 'dimensions']).doNothing())
        .execute();
    },

    async findGallery({ customer, world }: Owner, modelVersion: string, dimensions: number) {
      return keepWhole(await selectGallery(customer, world, modelVersion, dimensions))[0];
    },

    async listGalleries() {
      return keepWhole(await queries.selectFrom('galleries').selectAll().orderBy('id').execute());
    },

    async countGalleries(owner: Owner): Promise<number> {
      const row = await queries
        .selectFrom('galleries')
        .select(({ fn }) => fn.countAll<number>().as('count'))
        .where(({ and }) => and(ownerColumns(owner)))
        .executeTakeFirst();
      return Number(row?.count ?? 0);
    },

    async listVersions(galleryIds: readonly string[]) {
      return keepWhole(await queries.selectFrom('galleries').selectAll().where('id', 'in', galleryIds).execute());
    },

    async countEmbeddings(trx: Transaction, world: World): Promise<number> {
      const row = await trx
        .selectFrom('galleries')
        .select(({ fn }) => fn.sum<number | string | null>('embeddings').as('total'))
        .where('world', '=', world)
        .executeTakeFirst();
      return Number(row?.total ?? 0);
    },

    lockGallery,
    /** Locks a gallery's row even if it was edited. */
    lockAnyGallery: async (trx: Transaction, galleryId: string) => void (await lockRow(trx, galleryId)),
    updateGallery,

    /** Makes indexes reload an edited gallery, because its log may lack removals. */
    async haveIndexesReloaded(trx: Transaction, galleryId: string): Promise<void> {
      await trx
        .updateTable('galleries')
        .set((set) => ({ version: set('version', '+', 1), log_floor: set('version', '+', 1) }))
        .where('id', '=', galleryId)
        .execute();
    },

    ...createRemovalLog(queries, lockGallery, updateGallery),
  };
}

/** Each line of the log has the number of the change that removed an entry. */
function createRemovalLog(
  queries: Queries,
  lockGallery: (trx: Transaction, galleryId: string) => Promise<GalleryRow | undefined>,
  updateGallery: (trx: Transaction, gallery: GalleryRow) => Promise<void>,
) {
  const selectSince = (db: Queries, galleryId: string, after: number) =>
    db.selectFrom('gallery_removals').select('seq').where('gallery_id', '=', galleryId).where('version', '>', after);

  return {
    async hasRemovalsSince(trx: Transaction, galleryId: string, after: number): Promise<boolean> {
      return (await selectSince(trx, galleryId, after).limit(1).executeTakeFirst()) !== undefined;
    },

    async listRemovals(galleryId: string, after: number, upTo: number): Promise<number[]> {
      const rows = await selectSince(queries, galleryId, after).where('version', '<=', upTo).execute();
      return rows.map(({ seq }) => seq);
    },

    async insertRemovals(
      trx: Transaction,
      gallery_id: string,
      after: number,
      seqs: readonly number[],
      removed_at: number,
    ) {
      const rows = seqs.map((seq, i) => ({ gallery_id, version: after + 1 + i, seq, removed_at }));
      await trx.insertInto('gallery_removals').values(rows).execute();
    },

    /** Deletes removals from before this time, and raises the log floor of their galleries. */
    async purgeRemovals(trx: Transaction, before: number): Promise<void> {
      const old = await trx
        .selectFrom('gallery_removals')
        .select(({ fn }) => ['gallery_id', fn.max<number>('version').as('last')])
        .where('removed_at', '<', before)
        .groupBy('gallery_id')
        .orderBy('gallery_id')
        .execute();
      for (const { gallery_id, last } of old) {
        const gallery = await lockGallery(trx, gallery_id);
        if (!gallery) continue;
        await trx
          .deleteFrom('gallery_removals')
          .where('gallery_id', '=', gallery_id)
          .where('version', '<=', last)
          .execute();
        await updateGallery(trx, { ...gallery, log_floor: last });
      }
    },
  };
}

export async function ensureGallery(
  store: GalleryStore,
  { ids, clock }: Pick<Core, 'ids' | 'clock'>,
  { owner, modelVersion, dimensions }: { owner: Owner; modelVersion: string; dimensions: number },
): Promise<GalleryRow> {
  const existing = await store.findGallery(owner, modelVersion, dimensions);
  if (existing) return existing;
  if ((await store.countGalleries(owner)) >= MAX_GALLERIES) {
    throw new AppError(
      'store_full',
      `A customer has at most ${MAX_GALLERIES} galleries, one per model version and vector length, and this one has them all.`,
    );
  }
  const names = { id: ids.sortable(), guid: ids.random(), model_version: modelVersion };
  await store.insertGallery({ ...names, ...ownerColumns(owner), dimensions, created_at: clock.now() });
  const created = await store.findGallery(owner, modelVersion, dimensions);
  if (!created) throw new Error('a gallery that was just created does not exist');
  return created;
}

const HOUR_MS = 60 * 60 * 1000;
/** An index that missed removals for longer reads its whole gallery again. */
const REMOVALS_KEPT_MS = 24 * HOUR_MS;
const purgeRemovals = defineRecurringJob('people.purge-removals', HOUR_MS);

export function registerRemovalLogPurge(
  { jobs, database, clock }: Pick<Core, 'jobs' | 'database' | 'clock'>,
  store: GalleryStore,
): void {
  const purge = (trx: Transaction) => store.purgeRemovals(trx, clock.now() - REMOVALS_KEPT_MS);
  jobs.handle(purgeRemovals, () => database.transact(purge, { makesRoom: true }));
}
