// Encoding of entities in the index: compact JSON, decoded only for matches, followed by the
// last-seen time.
import type { Identifier, ListedEntity } from '../entity.ts';
import type { IdentifierKind } from '../identifiers/kinds.ts';

/**
 * A caption of 0 means the first name, the most common case. Trailing empty values are omitted.
 * Older layouts are shorter too.
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
  /** Alternating kind and value. */
  identifiers?: string[],
  addresses?: string[],
  nationalities?: string[],
  positions?: string[],
  referents?: string[],
  firstSeen?: string | null,
];

/** Index sections that contain all entities one after another. */
export interface EntityRecords {
  /** UTF-8 JSON of each entity. */
  entityRecords: Uint8Array;
  entityOffsets: Float64Array;
}

const decoder = new TextDecoder();
const encoder = new TextEncoder();
const CLOSING_BRACKET = 0x5d;
/** Terminates an id. */
export const QUOTE = 0x22;
const BACKSLASH = 0x5c;

/**
 * The last-seen time follows the JSON, because it changes with every list version. Without it, an
 * unchanged entity stays byte-identical.
 */
export function encodeEntity(entity: ListedEntity): Uint8Array {
  const { id, schema, caption, names, weakNames, birthDates } = entity;
  const { countries, topics, programs, datasets, lastChange } = entity;
  const { addresses, nationalities, positions, referents, firstSeen, lastSeen } = entity;
  const shown = caption === names[0] ? 0 : caption;
  const identifiers = entity.identifiers.flatMap(({ kind, value }) => [kind, value]);
  const record: EntityRecord = [
    ...([id, schema, shown, names, weakNames, birthDates] as const),
    ...([countries, topics, programs, datasets, lastChange] as const),
    ...([identifiers, addresses, nationalities, positions, referents, firstSeen] as const),
  ];
  while (isEmpty(record.at(-1))) record.pop();
  return encoder.encode(JSON.stringify(record) + (lastSeen?.replaceAll(']', '') ?? ''));
}

export function decodeEntity(records: EntityRecords, entity: number): ListedEntity {
  return decodeRecord(recordAt(records, entity));
}

/** Returns a copy, because TextDecoder rejects shared memory. */
export function recordAt({ entityRecords, entityOffsets }: EntityRecords, entity: number): Uint8Array {
  return new Uint8Array(entityRecords.subarray(entityOffsets[entity], entityOffsets[entity + 1]));
}

export function decodeRecord(bytes: Uint8Array): ListedEntity {
  const end = measureContent(bytes);
  const record = JSON.parse(decoder.decode(bytes.subarray(0, end))) as Partial<EntityRecord>;
  const [id = '', schema = '', shown = 0, names = [], weakNames = [], birthDates = [], countries = []] = record;
  const [topics = [], programs = [], datasets = [], lastChange = null, identifiers = []] = record.slice(
    7,
  ) as TrailingFields;
  const [addresses = [], nationalities = [], positions = [], referents = []] = record.slice(12) as string[][];
  const [firstSeen = null] = record.slice(16) as (string | null)[];
  const lastSeen = decoder.decode(bytes.subarray(end)) || null;
  return {
    ...{ id, caption: shown === 0 ? (names[0] ?? id) : shown, schema, names, weakNames, birthDates },
    ...{ countries, nationalities, addresses, positions, identifiers: pairUp(identifiers) },
    topics,
    programs,
    datasets,
    referents,
    firstSeen,
    lastSeen,
    lastChange,
  };
}

/** Length of a record without the last-seen time. */
export function measureContent(bytes: Uint8Array): number {
  return bytes.lastIndexOf(CLOSING_BRACKET) + 1;
}

/** Returns the end of the encoded id, which starts at ID_START. */
export function findIdEnd(bytes: Uint8Array): number {
  let at = ID_START;
  while (at < bytes.length && bytes[at] !== QUOTE) at += bytes[at] === BACKSLASH ? 2 : 1;
  return at;
}

/** Position after the bracket and the quote. */
export const ID_START = 2;

type TrailingFields = [
  topics?: string[],
  programs?: string[],
  datasets?: string[],
  change?: string | null,
  ids?: string[],
];

function isEmpty(value: unknown): boolean {
  return value === null || (Array.isArray(value) && value.length === 0);
}

function pairUp(texts: readonly string[]): Identifier[] {
  return texts.flatMap((kind, at) => (at % 2 === 0 ? [{ kind: kind as IdentifierKind, value: texts[at + 1]! }] : []));
}
