// The index as data: typed arrays over shared memory, so that threads search one copy and a file is a plain dump.
import type { ListedEntity } from '../entity.ts';
import { decodeEntity, type EntityRecords } from './entity-record.ts';

/** Bytes are read from disk as they are, so a change of layout or of normalisation needs a new number. */
export const INDEX_LAYOUT = 11;

/**
 * Offsets arrays have one value more than there are items: item i covers [offsets[i], offsets[i + 1]).
 *
 * token: a distinct folded name part. name: one name of one entity, as tokens. entity: one listed record.
 */
export interface IndexSections extends EntityRecords {
  /** ENTITY_* flags: kind and topics. */
  entityFlags: Uint8Array;
  /** Packed dates of birth, see dates/packed-date.ts. */
  dates: Uint32Array;
  dateOffsets: Uint32Array;
  /** Full dates of birth, ascending, and whose they are: finds people by the day alone. */
  days: Uint32Array;
  dayEntities: Uint32Array;
  /** Hashes of identifiers that tell, ascending, and whose they are. */
  identifierHashes: Uint32Array;
  identifierEntities: Uint32Array;
  /** Hashes of ids and referents, ascending, and whose they are, see entity-ids.ts. */
  idHashes: Uint32Array;
  idEntities: Uint32Array;
  /** First name of each entity, and how many it has, one after the other. */
  entityNames: Uint32Array;
  entityNameCounts: Uint32Array;
  /**
   * Names lie in order of birth, so that a stretch of years is a stretch of names and of every posting list, and so is a day:
   * first those without one certain year, up to entry 0, then those of FIRST_YEAR and so on.
   */
  yearNames: Uint32Array;
  nameEntities: Uint32Array;
  /** NAME_* flags. */
  nameFlags: Uint16Array;
  /** First letters of a name's parts, a bit each; tells without opening it whether an initial can fit. */
  nameLetters: Uint32Array;
  nameTokens: Uint32Array;
  nameTokenOffsets: Uint32Array;
  /** ASCII of each token. */
  tokenText: Uint8Array;
  tokenTextOffsets: Uint32Array;
  /** Canonical spelling of each token. */
  canonText: Uint8Array;
  canonTextOffsets: Uint32Array;
  /** How telling a token is, in sixteenths of a bit. */
  tokenBits: Uint8Array;
  /** TOKEN_* flags. */
  tokenFlags: Uint16Array;
  /** Names that a token occurs in, ascending. */
  postings: Uint32Array;
  postingOffsets: Uint32Array;
  /** What each posting says of the name's other tokens, see posting-others.ts. */
  postingOthers: Uint32Array;
  /** Hash buckets from look-up keys (spelling, deletions, skeleton) to tokens. */
  keyTokens: Uint32Array;
  /** High bits of each key, which tell a key from others in its bucket. */
  keyTags: Uint8Array;
  keyOffsets: Uint32Array;
}

export interface ScreeningIndex {
  readonly sections: IndexSections;
  readonly entityCount: number;
  readonly nameCount: number;
  readonly tokenCount: number;
  /** What the index takes in memory, all threads together. */
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

export function indexOf(sections: IndexSections): ScreeningIndex {
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
  const type = SECTION_TYPES[name] as Uint8ArrayConstructor; // the same constructor signature for all of them
  return new type(new SharedArrayBuffer(length * type.BYTES_PER_ELEMENT)) as unknown as IndexSections[Name];
}

export function textOfToken({ tokenText, tokenTextOffsets }: IndexSections, token: number): string {
  // Letter by letter: spreading a view costs several times as much for texts this short.
  const end = tokenTextOffsets[token + 1]!;
  let text = '';
  for (let at = tokenTextOffsets[token]!; at < end; at += 1) text += String.fromCharCode(tokenText[at]!);
  return text;
}

/** The records that the index was built from, in order; what a delta or a new layout is built on. */
export function* entitiesOf({ sections, entityCount }: ScreeningIndex): Generator<ListedEntity> {
  for (let entity = 0; entity < entityCount; entity += 1) yield decodeEntity(sections, entity);
}
