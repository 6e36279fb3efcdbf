// The row seals of galleries, of people, and of the binding between an embedding and its person.
import type { Queries } from '../../../platform/database/database.ts';
import type { Schema } from '../../../platform/database/schema.ts';
import type { SealLog } from '../../../platform/sealing/edited-rows.ts';
import { createRowSeal } from '../../../platform/sealing/row-seal.ts';
import type { RowSealer } from '../../../platform/sealing/sealer.ts';
import { tables } from '../../tables.ts';

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
    /** Leaves out the vector, which has its own binding to the id. */
    embeddings: createRowSeal<Omit<Schema['embeddings'], 'sealed'>>(sealer, 'embeddings', { log, nameOf }),
    /** Returns both rows, or undefined if one of them was edited. */
    ifBothWhole(joined: PersonWithGallery | undefined) {
      if (!joined) return undefined;
      const person = Object.fromEntries(
        PERSON_COLUMNS.map((column) => [column, joined[column]]),
      ) as unknown as PersonColumns;
      const gallery = Object.fromEntries(
        GALLERY_COLUMNS.map((column) => [column, joined[`of_${column}`]]),
      ) as unknown as GalleryColumns;
      return people.ifWhole(person) && galleries.ifWhole(gallery) ? { person, gallery } : undefined;
    },
  };
}

type GalleryColumn = keyof GalleryColumns;
type PersonWithGallery = PersonColumns & { [Column in GalleryColumn as `of_${Column}`]: GalleryColumns[Column] };

const PERSON_COLUMNS = Object.keys(tables.people.columns) as (keyof PersonColumns)[];
const GALLERY_COLUMNS = Object.keys(tables.galleries.columns) as GalleryColumn[];

/** Selects people and galleries at once, so that timing does not reveal whether a person exists. */
export function selectWithGallery(queries: Queries) {
  type Selected = { [Column in GalleryColumn]: `galleries.${Column} as of_${Column}` }[GalleryColumn];
  return queries
    .selectFrom('people')
    .innerJoin('galleries', 'galleries.id', 'people.gallery_id')
    .selectAll('people')
    .select(GALLERY_COLUMNS.map((column) => `galleries.${column} as of_${column}` as Selected));
}
