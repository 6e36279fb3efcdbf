// The SQL of galleries and of the log of what was removed from them.
import { columnsOf, type Owner, ownerFrom } from '../../../platform/api-keys/owner.ts';
import type { Clock } from '../../../platform/base/clock.ts';
import { AppError } from '../../../platform/base/errors.ts';
import type { CustomerId, Ids } from '../../../platform/base/ids.ts';
import type { World } from '../../../platform/base/world.ts';
import type { Database, Queries, Transaction } from '../../../platform/database/database.ts';
import { holdRows } from '../../../platform/database/hold-rows.ts';
import type { Schema } from '../../../platform/database/schema.ts';
import { defineRecurringJob } from '../../../platform/jobs/job.ts';
import type { Jobs } from '../../../platform/jobs/jobs.ts';
import { MAX_GALLERIES } from '../../limits.ts';
import type { PeopleSeals } from './row-seals.ts';

/** One gallery as its row says right now. */
export interface GalleryRow {
  id: string;
  /** Owner of the keys that may see the gallery. */
  owner: Owner;
  modelVersion: string;
  dimensions: number;
  /** Names the gallery in replies. */
  guid: string;
  /** Counts the changes of this gallery; an embedding or token is numbered by the change that added it. */
  version: number;
  /** Removals up to this change are no longer in the log. */
  logFloor: number;
  /** Without those whose enrolment has not ended yet. */
  people: number;
  embeddings: number;
  /** Face tokens of people, also of those. */
  tokens: number;
  /** The key of the newest of them. */
  tokenEpoch: string | null;
  createdAt: number;
}

export interface NewGallery {
  id: string;
  owner: Owner;
  modelVersion: string;
  dimensions: number;
  guid: string;
  createdAt: number;
}

export type GalleryStore = ReturnType<typeof createGalleryStore>;

export function createGalleryStore({ queries, engine, prepare }: Database, seals: Pick<PeopleSeals, 'galleries'>) {
  const galleryOf = prepare((customer: CustomerId, world: World, modelVersion: string, dimensions: number) =>
    queries
      .selectFrom('galleries')
      .selectAll()
      .where('customer', '=', customer)
      .where('world', '=', world)
      .where('model_version', '=', modelVersion)
      .where('dimensions', '=', dimensions),
  );

  const toGalleries = (rows: readonly Schema['galleries'][]) =>
    rows.flatMap((row) => (seals.galleries.ifWhole(row) ? [toGallery(row)] : []));

  function lockRow(trx: Transaction, galleryId: string): Promise<Schema['galleries'] | undefined> {
    const query = trx.selectFrom('galleries').selectAll().where('id', '=', galleryId);
    return holdRows(engine, query).executeTakeFirst();
  }

  /** Reads a gallery's row and keeps every other writer of it waiting until the transaction ends. */
  async function lockGallery(trx: Transaction, galleryId: string): Promise<GalleryRow | undefined> {
    const row = await lockRow(trx, galleryId);
    return row && toGalleries([row])[0];
  }

  /** For a gallery that this transaction has locked. */
  async function updateGallery(trx: Transaction, gallery: GalleryRow): Promise<void> {
    const { id, version, logFloor, people, embeddings, tokens, tokenEpoch } = gallery;
    const changes = { version, log_floor: logFloor, people, embeddings, tokens, token_epoch: tokenEpoch };
    const { mac } = seals.galleries.sign({ ...fixedColumns(gallery), ...changes });
    await trx
      .updateTable('galleries')
      .set({ ...changes, mac })
      .where('id', '=', id)
      .execute();
  }

  return {
    /** Does nothing when the owner has a gallery of this version and length already. */
    async insertGallery(gallery: NewGallery): Promise<void> {
      const counts = { version: 0, log_floor: 0, people: 0, embeddings: 0, tokens: 0, token_epoch: null };
      await queries
        .insertInto('galleries')
        .values(seals.galleries.sign({ ...fixedColumns(gallery), ...counts }))
        .onConflict((conflict) => conflict.columns(['customer', 'world', 'model_version', 'dimensions']).doNothing())
        .execute();
    },

    async findGallery(
      { customer, world }: Owner,
      modelVersion: string,
      dimensions: number,
    ): Promise<GalleryRow | undefined> {
      return toGalleries(await galleryOf(customer, world, modelVersion, dimensions))[0];
    },

    async listGalleries(): Promise<GalleryRow[]> {
      return toGalleries(await queries.selectFrom('galleries').selectAll().orderBy('id').execute());
    },

    async countGalleries(owner: Owner): Promise<number> {
      const row = await queries
        .selectFrom('galleries')
        .select(({ fn }) => fn.countAll<number>().as('count'))
        .where(({ and }) => and(columnsOf(owner)))
        .executeTakeFirst();
      return Number(row?.count ?? 0);
    },

    async listVersions(galleryIds: readonly string[]): Promise<GalleryRow[]> {
      const rows = await queries
        .selectFrom('galleries')
        .selectAll()
        .where('id', 'in', [...galleryIds])
        .execute();
      return toGalleries(rows);
    },

    /** Embeddings of all galleries of a world together, as a transaction sees them. */
    async countEmbeddings(trx: Transaction, world: World): Promise<number> {
      const row = await trx
        .selectFrom('galleries')
        .select(({ fn }) => fn.sum<number | string | null>('embeddings').as('total'))
        .where('world', '=', world)
        .executeTakeFirst();
      return Number(row?.total ?? 0);
    },

    lockGallery,
    /** Locks a gallery's row without reading it, so that an edited row can be locked too. */
    lockAnyGallery: async (trx: Transaction, galleryId: string) => void (await lockRow(trx, galleryId)),
    updateGallery,

    /**
     * Makes indexes reload an edited gallery, because its log may lack removals. This does not
     * repair the gallery.
     */
    async haveIndexesReloaded(trx: Transaction, galleryId: string): Promise<void> {
      await trx
        .updateTable('galleries')
        .set((set) => ({ version: set('version', '+', 1), log_floor: set('version', '+', 1) }))
        .where('id', '=', galleryId)
        .execute();
    },

    ...createRemovalLog(queries),

    /** Takes removals from before this time out of the log, and raises the floor of their galleries. */
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
        await updateGallery(trx, { ...gallery, logFloor: last });
      }
    },
  };
}

/** Creates the log of removals from galleries, numbered by the change that removed each entry. */
function createRemovalLog(queries: Queries) {
  return {
    /** Whether anything was removed by a change after this one. */
    async hasRemovalsSince(trx: Transaction, galleryId: string, after: number): Promise<boolean> {
      const row = await trx
        .selectFrom('gallery_removals')
        .select('seq')
        .where('gallery_id', '=', galleryId)
        .where('version', '>', after)
        .limit(1)
        .executeTakeFirst();
      return row !== undefined;
    },

    async listRemovals(galleryId: string, after: number, upTo: number): Promise<number[]> {
      const rows = await queries
        .selectFrom('gallery_removals')
        .select('seq')
        .where('gallery_id', '=', galleryId)
        .where('version', '>', after)
        .where('version', '<=', upTo)
        .execute();
      return rows.map(({ seq }) => seq);
    },

    async insertRemovals(
      trx: Transaction,
      galleryId: string,
      after: number,
      seqs: readonly number[],
      at: number,
    ): Promise<void> {
      await trx
        .insertInto('gallery_removals')
        .values(seqs.map((seq, i) => ({ gallery_id: galleryId, version: after + 1 + i, seq, removed_at: at })))
        .execute();
    },
  };
}

/** The columns of a gallery that never change. */
function fixedColumns({ id, owner, modelVersion, dimensions, guid, createdAt }: NewGallery) {
  return { id, ...columnsOf(owner), model_version: modelVersion, dimensions, guid, created_at: createdAt };
}

/** As the row says, whole or not: for what only counts and lists. */
export function toGallery(row: Schema['galleries']): GalleryRow {
  const { id, model_version, dimensions, guid, version, log_floor, created_at } = row;
  const { people, embeddings, tokens, token_epoch } = row;
  return {
    id,
    owner: ownerFrom(row),
    modelVersion: model_version,
    dimensions,
    guid,
    version,
    logFloor: log_floor,
    people,
    embeddings,
    tokens,
    tokenEpoch: token_epoch,
    createdAt: created_at,
  };
}

interface GalleryMaker {
  store: GalleryStore;
  ids: Ids;
  clock: Clock;
}

type GalleryKind = Pick<GalleryRow, 'owner' | 'modelVersion' | 'dimensions'>;

export async function ensureGallery({ store, ids, clock }: GalleryMaker, kind: GalleryKind): Promise<GalleryRow> {
  const { owner, modelVersion, dimensions } = kind;
  const existing = await store.findGallery(owner, modelVersion, dimensions);
  if (existing) return existing;
  if ((await store.countGalleries(owner)) >= MAX_GALLERIES) {
    throw new AppError(
      'store_full',
      `A customer has at most ${MAX_GALLERIES} galleries, one per model version and vector length, and this one has them all.`,
    );
  }
  const names = { id: ids.sortable(), guid: ids.random() };
  await store.insertGallery({ ...names, owner, modelVersion, dimensions, createdAt: clock.now() });
  const made = await store.findGallery(owner, modelVersion, dimensions);
  if (!made) throw new Error('a gallery that was just made is not there');
  return made;
}

const HOUR_MS = 60 * 60 * 1000;
/** An index that has not caught up for longer than this reads its whole gallery again. */
const KEPT_MS = 24 * HOUR_MS;
const purgeRemovals = defineRecurringJob('people.purge-removals', HOUR_MS);

interface RemovalLog {
  jobs: Jobs;
  database: Database;
  store: GalleryStore;
  clock: Clock;
}

export function registerRemovalLogPurge({ jobs, database, store, clock }: RemovalLog): void {
  const purge = (trx: Transaction) => store.purgeRemovals(trx, clock.now() - KEPT_MS);
  jobs.handle(purgeRemovals, () => database.transact(purge, { makesRoom: true }));
}
