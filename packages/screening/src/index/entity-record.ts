// How an entity is kept inside the index: compact JSON, decoded only for the few that match.
import type { ListedEntity } from '../entity.ts';
import type { IndexSections } from './screening-index.ts';

/** The caption is most often the first name, and then 0 stands for it. */
type EntityRecord = [
  id: string,
  schema: string,
  caption: string | 0,
  names: string[],
  weakNames: string[],
  birthDates: string[],
  countries: string[],
  topics: string[],
  programs: string[],
  datasets: string[],
  lastChange: string | null,
];

const decoder = new TextDecoder();

export function encodeEntity(entity: ListedEntity): string {
  const { id, schema, caption, names, weakNames, birthDates } = entity;
  const { countries, topics, programs, datasets, lastChange } = entity;
  const shown = caption === names[0] ? 0 : caption;
  const record: EntityRecord = [
    ...([id, schema, shown, names, weakNames, birthDates] as const),
    ...([countries, topics, programs, datasets, lastChange] as const),
  ];
  return JSON.stringify(record);
}

export function decodeEntity(
  { entityRecords, entityOffsets }: Pick<IndexSections, 'entityRecords' | 'entityOffsets'>,
  entity: number,
): ListedEntity {
  // TextDecoder refuses shared memory; the copy is one record long.
  const shared = entityRecords.subarray(entityOffsets[entity], entityOffsets[entity + 1]);
  const record = JSON.parse(decoder.decode(new Uint8Array(shared))) as EntityRecord;
  const [id, schema, shown, names, weakNames, birthDates, countries, topics, programs, datasets, lastChange] = record;
  const caption = shown === 0 ? (names[0] ?? id) : shown;
  return { id, caption, schema, names, weakNames, birthDates, countries, topics, programs, datasets, lastChange };
}
