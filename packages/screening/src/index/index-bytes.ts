// An index as bytes for a file: a head that says what follows, then every section as it lies in memory.
import type { ListedEntity } from '../entity.ts';
import { decodeEntity } from './entity-record.ts';
import {
  allocateSection,
  INDEX_LAYOUT,
  type IndexSections,
  indexOf,
  type ScreeningIndex,
  SECTION_NAMES,
} from './screening-index.ts';

const MAGIC = 'LIMENIDX';
/** Magic, byte length of the head. */
const PREFIX_BYTES = MAGIC.length + 4;
const MAX_HEAD_BYTES = 64 * 1024;
/** No section is near this; a damaged head must not make us allocate more. */
const MAX_SECTION_BYTES = 16 * 1024 ** 3;

interface Head {
  layout: number;
  lengths: Record<keyof IndexSections, number>;
}

/** The bytes cannot be searched. Where `rebuildable` is set, recoverEntities still gets the records out of them. */
export class IndexFileError extends Error {
  override readonly name = 'IndexFileError';
  readonly rebuildable: boolean;

  constructor(message: string, { rebuildable = false } = {}) {
    super(message);
    this.rebuildable = rebuildable;
  }
}

export function serialiseIndex({ sections }: ScreeningIndex): Uint8Array[] {
  const lengths = Object.fromEntries(SECTION_NAMES.map((name) => [name, sections[name].length])) as Head['lengths'];
  const head = new TextEncoder().encode(JSON.stringify({ layout: INDEX_LAYOUT, lengths } satisfies Head));
  const prefix = new Uint8Array(PREFIX_BYTES);
  new TextEncoder().encodeInto(MAGIC, prefix);
  new DataView(prefix.buffer).setUint32(MAGIC.length, head.length, true);
  return [prefix, head, ...SECTION_NAMES.map((name) => bytesOf(sections[name]))];
}

/** `read` fills what it is given with the bytes that come next, or throws. */
export async function deserialiseIndex(read: (into: Uint8Array) => Promise<void>): Promise<ScreeningIndex> {
  const head = await readHead(read);
  if (head.layout !== INDEX_LAYOUT) {
    throw new IndexFileError('the index was built by another version', { rebuildable: true });
  }
  const sections = {} as Record<keyof IndexSections, unknown>;
  for (const name of SECTION_NAMES) {
    const section = allocateSection(name, head.lengths[name]);
    await read(bytesOf(section));
    sections[name] = section;
  }
  return indexOf(sections as IndexSections);
}

/**
 * The records of an index of any layout: the two sections that hold them come first and keep their form, so that a new
 * layout is built from what is on disk instead of being downloaded again.
 */
export async function recoverEntities(read: (into: Uint8Array) => Promise<void>): Promise<Iterable<ListedEntity>> {
  const { lengths } = await readHead(read);
  const entityRecords = allocateSection('entityRecords', lengths.entityRecords);
  const entityOffsets = allocateSection('entityOffsets', lengths.entityOffsets);
  await read(bytesOf(entityRecords));
  await read(bytesOf(entityOffsets));
  return decodeAll({ entityRecords, entityOffsets });
}

/** Where the records of an index of any layout lie among its bytes, for whoever does not want all of them in memory. */
export async function locateRecords(read: (into: Uint8Array) => Promise<void>): Promise<RecordPlaces> {
  const { lengths, bytes } = await readHead(read);
  const offsetsAt = bytes + lengths.entityRecords;
  return { recordsAt: bytes, offsetsAt, offsets: lengths.entityOffsets };
}

export interface RecordPlaces {
  recordsAt: number;
  /** Float64, one more than there are records: record i covers [offsets[i], offsets[i + 1]), counted from `recordsAt`. */
  offsetsAt: number;
  offsets: number;
}

function* decodeAll(sections: Pick<IndexSections, 'entityRecords' | 'entityOffsets'>): Generator<ListedEntity> {
  for (let entity = 0; entity + 1 < sections.entityOffsets.length; entity += 1) yield decodeEntity(sections, entity);
}

/** With the number of bytes that it takes, prefix included. */
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
    // Told below.
  }
  throw new IndexFileError('the head is damaged');
}

function bytesOf(section: ArrayBufferView): Uint8Array {
  return new Uint8Array(section.buffer, section.byteOffset, section.byteLength);
}
