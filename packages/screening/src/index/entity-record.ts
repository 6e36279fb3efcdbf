// How an entity is kept inside the index: compact JSON, decoded only for the few that match, and when it was last seen.
import type { Identifier, ListedEntity } from '../entity.ts';
import type { IdentifierKind } from '../identifiers/kinds.ts';

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
];

/** Sections of the index that hold all entities one after another. */
export interface EntityRecords {
  /** UTF-8 JSON of each entity. */
  entityRecords: Uint8Array;
  entityOffsets: Float64Array;
}

const decoder = new TextDecoder();
const encoder = new TextEncoder();
const CLOSING_BRACKET = 0x5d;
/** Behind an id. */
export const QUOTE = 0x22;
const BACKSLASH = 0x5c;

/**
 * When it was last seen stands behind the JSON: it changes with every version of a list, and an entity of which nothing
 * else did has not changed.
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

/** A copy, because TextDecoder refuses shared memory. */
export function recordAt({ entityRecords, entityOffsets }: EntityRecords, entity: number): Uint8Array {
  return new Uint8Array(entityRecords.subarray(entityOffsets[entity], entityOffsets[entity + 1]));
}

export function decodeRecord(bytes: Uint8Array): ListedEntity {
  const end = lengthOfContent(bytes);
  const record = JSON.parse(decoder.decode(bytes.subarray(0, end))) as Partial<EntityRecord>;
  const [id = '', schema = '', shown = 0, names = [], weakNames = [], birthDates = [], countries = []] = record;
  const [topics = [], programs = [], datasets = [], lastChange = null, identifiers = []] = record.slice(7) as Later;
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

/** The bytes of a record without when it was last seen. */
export function lengthOfContent(bytes: Uint8Array): number {
  return bytes.lastIndexOf(CLOSING_BRACKET) + 1;
}

/** Where the id ends as it is written, in JSON; it begins at ID_START. */
export function endOfId(bytes: Uint8Array): number {
  let at = ID_START;
  while (at < bytes.length && bytes[at] !== QUOTE) at += bytes[at] === BACKSLASH ? 2 : 1;
  return at;
}

/** Behind the bracket and the quote. */
export const ID_START = 2;

type Later = [topics?: string[], programs?: string[], datasets?: string[], change?: string | null, ids?: string[]];

function isEmpty(value: unknown): boolean {
  return value === null || (Array.isArray(value) && value.length === 0);
}

function pairUp(texts: readonly string[]): Identifier[] {
  return texts.flatMap((kind, at) => (at % 2 === 0 ? [{ kind: kind as IdentifierKind, value: texts[at + 1]! }] : []));
}
