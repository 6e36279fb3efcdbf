// How an entity is kept inside the index: compact JSON, decoded only for the few that match.
import type { Identifier, ListedEntity } from '../entity.ts';
import type { IdentifierKind } from '../identifiers/kinds.ts';
import type { IndexSections } from './screening-index.ts';

/**
 * The caption is most often the first name, and then 0 stands for it. What is empty at the end is left out; an index of
 * an older layout ends earlier too.
 */
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
  /** Kind and value, kind and value. */
  identifiers?: string[],
  addresses?: string[],
  nationalities?: string[],
  positions?: string[],
  referents?: string[],
  firstSeen?: string | null,
  lastSeen?: string | null,
];

const decoder = new TextDecoder();

export function encodeEntity(entity: ListedEntity): string {
  const { id, schema, caption, names, weakNames, birthDates } = entity;
  const { countries, topics, programs, datasets, lastChange } = entity;
  const { addresses, nationalities, positions, referents, firstSeen, lastSeen } = entity;
  const shown = caption === names[0] ? 0 : caption;
  const identifiers = entity.identifiers.flatMap(({ kind, value }) => [kind, value]);
  const record: EntityRecord = [
    ...([id, schema, shown, names, weakNames, birthDates] as const),
    ...([countries, topics, programs, datasets, lastChange] as const),
    ...([identifiers, addresses, nationalities, positions, referents, firstSeen, lastSeen] as const),
  ];
  while (isEmpty(record.at(-1))) record.pop();
  return JSON.stringify(record);
}

export function decodeEntity(
  { entityRecords, entityOffsets }: Pick<IndexSections, 'entityRecords' | 'entityOffsets'>,
  entity: number,
): ListedEntity {
  // TextDecoder refuses shared memory; the copy is one record long.
  const shared = entityRecords.subarray(entityOffsets[entity], entityOffsets[entity + 1]);
  const record = JSON.parse(decoder.decode(new Uint8Array(shared))) as Partial<EntityRecord>;
  const [id = '', schema = '', shown = 0, names = [], weakNames = [], birthDates = [], countries = []] = record;
  const [topics = [], programs = [], datasets = [], lastChange = null, identifiers = []] = record.slice(7) as Later;
  const [addresses = [], nationalities = [], positions = [], referents = []] = record.slice(12) as string[][];
  const [firstSeen = null, lastSeen = null] = record.slice(16) as (string | null)[];
  return {
    ...{ id, caption: shown === 0 ? (names[0] ?? id) : shown, schema, names, weakNames, birthDates },
    ...{ countries, nationalities, addresses, positions, identifiers: pairUp(identifiers) },
    ...{ topics, programs, datasets, referents, firstSeen, lastSeen, lastChange },
  };
}

type Later = [topics?: string[], programs?: string[], datasets?: string[], change?: string | null, ids?: string[]];

function isEmpty(value: unknown): boolean {
  return value === null || (Array.isArray(value) && value.length === 0);
}

function pairUp(texts: readonly string[]): Identifier[] {
  return texts.flatMap((kind, at) => (at % 2 === 0 ? [{ kind: kind as IdentifierKind, value: texts[at + 1]! }] : []));
}
