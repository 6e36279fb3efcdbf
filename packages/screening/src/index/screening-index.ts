// The index as data: typed arrays in shared memory, so that threads search one copy and a file is a
// plain dump.
import type { ListedEntity } from '../entity.ts';
import { decodeEntity, type EntityRecords } from './entity-record.ts';

/** Layout version. Increment it with every change of the layout or the normalization. */
export const INDEX_LAYOUT = 11;

/**
 * Offset arrays have one value more than items: item i covers [offsets[i], offsets[i + 1]).
 *
 * token: a distinct folded name part. name: one name of one entity, as tokens. entity: one listed
 * record.
 */
export interface IndexSections extends EntityRecords {
  /** ENTITY_* flags: kinds and topics. */
  entityFlags: Uint8Array;
  /** Packed dates of birth, see dates/packed-date.ts. */
  dates: Uint32Array;
  dateOffsets: Uint32Array;
  /** Full dates of birth, ascending, with their entities. Finds people by day alone. */
  days: Uint32Array;
  dayEntities: Uint32Array;
  /** Hashes of strong identifiers, ascending, with their entities. */
  identifierHashes: Uint32Array;
  identifierEntities: Uint32Array;
  /** Hashes of ids and referents, ascending, with their entities. See entity-ids.ts. */
  idHashes: Uint32Array;
  idEntities: Uint32Array;
  /** First name and number of names per entity. An entity's names are consecutive. */
  entityNames: Uint32Array;
  entityNameCounts: Uint32Array;
  /**
   * Names are sorted by birth, so a range of years or a day is a range of names and of every
   * posting list. Names without a single certain year come first, up to entry 0, followed by
   * FIRST_YEAR and so on.
   */
  yearNames: Uint32Array;
  nameEntities: Uint32Array;
  /** NAME_* flags. */
  nameFlags: Uint16Array;
  /** Initial letters of a name's parts, one bit each, to test initials without opening it. */
  nameLetters: Uint32Array;
  nameTokens: Uint32Array;
  nameTokenOffsets: Uint32Array;
  /** ASCII text of each token. */
  tokenText: Uint8Array;
  tokenTextOffsets: Uint32Array;
  /** Canonical spelling of each token. */
  canonText: Uint8Array;
  canonTextOffsets: Uint32Array;
  /** Information content of a token in sixteenths of a bit. */
  tokenBits: Uint8Array;
  /** TOKEN_* flags. */
  tokenFlags: Uint16Array;
  /** Names that contain a token, ascending. */
  postings: Uint32Array;
  postingOffsets: Uint32Array;
  /** Summary of each posting's other tokens. See posting-others.ts. */
  postingOthers: Uint32Array;
  /** Hash buckets from lookup keys (spelling, deletions, skeleton) to tokens. */
  keyTokens: Uint32Array;
  /** High bits of each key, which rule out other keys in the bucket. */
  keyTags: Uint8Array;
  keyOffsets: Uint32Array;
}

export interface ScreeningIndex {
  readonly sections: IndexSections;
  readonly entityCount: number;
  readonly nameCount: number;
  readonly tokenCount: number;
  /** Memory used by the index in bytes, shared by all threads. */
  readonly bytes: number;
}

const SECTION_TYPES = {
  entityRecords: Uint8Array,
  entityOffsets: Float64Array,
  entityFlags: Uint8Array,
  dates: Uint32Array,
  dateOffsets: Uint32Array,
  days: Uint32Array,
  dayEntities: Uint32Array,
  identifierHashes: Uint32Array,
  identifierEntities: Uint32Array,
  idHashes: Uint32Array,
  idEntities: Uint32Array,
  entityNames: Uint32Array,
  entityNameCounts: Uint32Array,
  yearNames: Uint32Array,
  nameEntities: Uint32Array,
  nameFlags: Uint16Array,
  nameLetters: Uint32Array,
  nameTokens: Uint32Array,
  nameTokenOffsets: Uint32Array,
  tokenText: Uint8Array,
  tokenTextOffsets: Uint32Array,
  canonText: Uint8Array,
  canonTextOffsets: Uint32Array,
  tokenBits: Uint8Array,
  tokenFlags: Uint16Array,
  postings: Uint32Array,
  postingOffsets: Uint32Array,
  postingOthers: Uint32Array,
  keyTokens: Uint32Array,
  keyTags: Uint8Array,
  keyOffsets: Uint32Array,
} as const satisfies { [Name in keyof IndexSections]: unknown };
export const SECTION_NAMES = Object.keys(SECTION_TYPES) as (keyof IndexSections)[];

export function openIndex(sections: IndexSections): ScreeningIndex {
  return {
    sections,
    entityCount: sections.entityFlags.length,
    nameCount: sections.nameFlags.length,
    tokenCount: sections.tokenFlags.length,
    bytes: SECTION_NAMES.reduce((sum, name) => sum + sections[name].byteLength, 0),
  };
}

/** Allocates a section in shared memory. */
export function allocateSection<Name extends keyof IndexSections>(name: Name, length: number): IndexSections[Name] {
  const type = SECTION_TYPES[name] as Uint8ArrayConstructor; // same constructor signature for all types
  return new type(new SharedArrayBuffer(length * type.BYTES_PER_ELEMENT)) as unknown as IndexSections[Name];
}

export function readTokenText({ tokenText, tokenTextOffsets }: IndexSections, token: number): string {
  // Letter by letter, because spreading a view costs several times as much for short texts.
  const end = tokenTextOffsets[token + 1]!;
  let text = '';
  for (let at = tokenTextOffsets[token]!; at < end; at += 1) text += String.fromCharCode(tokenText[at]!);
  return text;
}

/** Yields the records from which the index was built, in order. */
export function* listEntities({ sections, entityCount }: ScreeningIndex): Generator<ListedEntity> {
  for (let entity = 0; entity < entityCount; entity += 1) yield decodeEntity(sections, entity);
}
