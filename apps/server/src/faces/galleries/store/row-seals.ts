// The seals over the rows that say who a face is and whose they are: galleries, people, and what binds an embedding to its person.
import type { Queries } from '../../../platform/database/database.ts';
import type { Schema } from '../../../platform/database/schema.ts';
import { createRowSeal, type SealLog } from '../../../platform/sealing/row-seal.ts';
import type { RowSealer } from '../../../platform/sealing/sealer.ts';

type PersonColumns = Schema['people'];
type GalleryColumns = Schema['galleries'];

export type PeopleSeals = ReturnType<typeof createPeopleSeals>;

export function createPeopleSeals(sealer: RowSealer, log: SealLog) {
  const nameOf = ({ id }: { id: string }) => id;
  const galleries = createRowSeal<GalleryColumns>(sealer, 'galleries', { log, nameOf, remembers: true });
  const people = createRowSeal<PersonColumns>(sealer, 'people', { log, nameOf });
  return {
    galleries,
    people,
    /** Without the vector, which is bound to the id by itself. */
    embeddings: createRowSeal<Omit<Schema['embeddings'], 'sealed'>>(sealer, 'embeddings', { log, nameOf }),
    /** Both rows, unless one of them was edited. */
    ifBothWhole(joined: PersonWithGallery | undefined) {
      const rows = joined && splitJoined(joined);
      return rows && people.ifWhole(rows.person) && galleries.ifWhole(rows.gallery) ? rows : undefined;
    },
  };
}

/** People with their galleries, in one query: what takes two for somebody and one for nobody would tell them apart. */
export function selectWithGallery(queries: Queries) {
  return queries
    .selectFrom('people')
    .innerJoin('galleries', 'galleries.id', 'people.gallery_id')
    .selectAll('people')
    .select(['galleries.customer as of_customer', 'galleries.world as of_world'])
    .select(['galleries.model_version as of_model_version', 'galleries.dimensions as of_dimensions'])
    .select(['galleries.guid as of_guid', 'galleries.version as of_version', 'galleries.log_floor as of_log_floor'])
    .select(['galleries.people as of_people', 'galleries.embeddings as of_embeddings', 'galleries.tokens as of_tokens'])
    .select(['galleries.token_epoch as of_token_epoch', 'galleries.created_at as of_created_at'])
    .select('galleries.mac as of_mac');
}

type PersonWithGallery = PersonColumns & {
  [Column in Exclude<keyof GalleryColumns, 'id'> as `of_${Column}`]: GalleryColumns[Column];
};

function splitJoined(joined: PersonWithGallery): { person: PersonColumns; gallery: GalleryColumns } {
  const { id, gallery_id, puid, identifier_digest, enroll_level, created_at, provisional_session, mac } = joined;
  return {
    person: { id, gallery_id, puid, identifier_digest, enroll_level, created_at, provisional_session, mac },
    gallery: {
      id: gallery_id,
      customer: joined.of_customer,
      world: joined.of_world,
      model_version: joined.of_model_version,
      dimensions: joined.of_dimensions,
      guid: joined.of_guid,
      version: joined.of_version,
      log_floor: joined.of_log_floor,
      people: joined.of_people,
      embeddings: joined.of_embeddings,
      tokens: joined.of_tokens,
      token_epoch: joined.of_token_epoch,
      created_at: joined.of_created_at,
      mac: joined.of_mac,
    },
  };
}
