// File format of an index: a head with the lengths, then every section as in memory.
import type { ListedEntity } from '../entity.ts';
import { decodeEntity } from './entity-record.ts';
import {
  allocateSection,
  INDEX_LAYOUT,
  type IndexSections,
  openIndex,
  type ScreeningIndex,
  SECTION_NAMES,
} from './screening-index.ts';

const MAGIC = 'LIMENIDX';
/** Magic and byte length of the head. */
const PREFIX_BYTES = MAGIC.length + 4;
const MAX_HEAD_BYTES = 64 * 1024;
/** Upper bound for a section, so that a damaged head cannot cause huge allocations. */
const MAX_SECTION_BYTES = 16 * 1024 ** 3;

interface Head {
  layout: number;
  lengths: Record<keyof IndexSections, number>;
}

/** Thrown if an index cannot be searched. `rebuildable`: its records are readable. */
export class IndexFileError extends Error {
  override readonly name = 'IndexFileError';
  readonly rebuildable: boolean;

  constructor(message: string, { rebuildable = false } = {}) {
    super(message);
    this.rebuildable = rebuildable;
  }
}

export function serializeIndex({ sections }: ScreeningIndex): Uint8Array[] {
  const lengths = Object.fromEntries(SECTION_NAMES.map((name) => [name, sections[name].length])) as Head['lengths'];
  const head = new TextEncoder().encode(JSON.stringify({ layout: INDEX_LAYOUT, lengths } satisfies Head));
  const prefix = new Uint8Array(PREFIX_BYTES);
  new TextEncoder().encodeInto(MAGIC, prefix);
  new DataView(prefix.buffer).setUint32(MAGIC.length, head.length, true);
  return [prefix, head, ...SECTION_NAMES.map((name) => sectionBytes(sections[name]))];
}

/** `read` fills the buffer with the next bytes, or throws. */
export async function deserializeIndex(read: (into: Uint8Array) => Promise<void>): Promise<ScreeningIndex> {
  const head = await readHead(read);
  if (head.layout !== INDEX_LAYOUT) {
    throw new IndexFileError('the index was built by another version', { rebuildable: true });
  }
  const sections = {} as Record<keyof IndexSections, unknown>;
  for (const name of SECTION_NAMES) {
    const section = allocateSection(name, head.lengths[name]);
    await read(sectionBytes(section));
    sections[name] = section;
  }
  return openIndex(sections as IndexSections);
}

/**
 * Reads the records of an index of any layout. The two record sections come first and never change,
 * so a new layout is built from disk instead of a new download.
 */
export async function recoverEntities(read: (into: Uint8Array) => Promise<void>): Promise<Iterable<ListedEntity>> {
  const { lengths } = await readHead(read);
  const entityRecords = allocateSection('entityRecords', lengths.entityRecords);
  const entityOffsets = allocateSection('entityOffsets', lengths.entityOffsets);
  await read(sectionBytes(entityRecords));
  await read(sectionBytes(entityOffsets));
  return decodeAll({ entityRecords, entityOffsets });
}

/** Locates the records of an index of any layout, without loading them. */
export async function locateRecords(read: (into: Uint8Array) => Promise<void>): Promise<RecordPlaces> {
  const { lengths, bytes } = await readHead(read);
  const offsetsAt = bytes + lengths.entityRecords;
  return { recordsAt: bytes, offsetsAt, offsets: lengths.entityOffsets };
}

export interface RecordPlaces {
  recordsAt: number;
  /** Float64 offsets: record i covers [offsets[i], offsets[i + 1]), relative to `recordsAt`. */
  offsetsAt: number;
  offsets: number;
}

function* decodeAll(sections: Pick<IndexSections, 'entityRecords' | 'entityOffsets'>): Generator<ListedEntity> {
  for (let entity = 0; entity + 1 < sections.entityOffsets.length; entity += 1) yield decodeEntity(sections, entity);
}

/** Includes the number of bytes of the head, prefix included. */
async function readHead(read: (into: Uint8Array) => Promise<void>): Promise<Head & { bytes: number }> {
  const prefix = new Uint8Array(PREFIX_BYTES);
  await read(prefix);
  if (new TextDecoder().decode(prefix.subarray(0, MAGIC.length)) !== MAGIC) throw new IndexFileError('not an index');
  const length = new DataView(prefix.buffer).getUint32(MAGIC.length, true);
  if (length > MAX_HEAD_BYTES) throw new IndexFileError('the head is damaged');
  const bytes = new Uint8Array(length);
  await read(bytes);
  const head = parseHead(new TextDecoder().decode(bytes));
  for (const size of Object.values(head.lengths)) {
    if (!Number.isSafeInteger(size) || size < 0 || size > MAX_SECTION_BYTES)
      throw new IndexFileError('the head is damaged');
  }
  return { ...head, bytes: PREFIX_BYTES + length };
}

function parseHead(text: string): Head {
  try {
    const head = JSON.parse(text) as Head;
    if (typeof head.lengths === 'object' && head.lengths !== null) return head;
  } catch {
    // Reported below.
  }
  throw new IndexFileError('the head is damaged');
}

function sectionBytes(section: ArrayBufferView): Uint8Array {
  return new Uint8Array(section.buffer, section.byteOffset, section.byteLength);
}
