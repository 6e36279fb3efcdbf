// Finds an owner's gallery for a model, or makes it.
import type { Clock } from '../../../platform/base/clock.ts';
import { AppError } from '../../../platform/base/errors.ts';
import type { Ids } from '../../../platform/base/ids.ts';
import { MAX_GALLERIES } from '../../limits.ts';
import type { GalleryRow } from './gallery-row.ts';
import type { PeopleStore } from './people.ts';

interface GalleryMaker {
  store: PeopleStore;
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
