// Reads index files into shared memory, and detects damaged ones.
import { type FileHandle, open } from 'node:fs/promises';
import { join } from 'node:path';
import {
  compareLists,
  deserializeIndex,
  type EntityChange,
  IndexFileError,
  type ListRecords,
  locateRecords,
  recoverEntities,
  type ScreeningIndex,
} from '@limen/screening';
import { computeSum, createSum, type FileSum, isSameSum } from '../../../platform/files/durable.ts';
import { buildDataset } from '../build.ts';
import { fill, withFile } from './index-bytes.ts';
import type { PreviousVersion } from './info.ts';

/** Reads the index, or rebuilds it if its layout is an older one. Throws IndexFileError if the file is damaged. */
export async function openIndexFile(path: string, expected: FileSum): Promise<ScreeningIndex> {
  try {
    return await readIndexFile(path, expected);
  } catch (error) {
    if (!(error instanceof IndexFileError && error.rebuildable)) throw asDamage(error);
  }
  // Only a part of the file is needed now, so all of it is checked first.
  await requireSum(path, expected);
  return (await buildDataset({ kind: 'file', path })).index;
}

/** Throws IndexFileError if the file is damaged. `head` reads only the size and the first bytes. */
export async function checkIndexFile(path: string, expected: FileSum, depth: 'head' | 'whole'): Promise<void> {
  await checkHead(path, expected);
  if (depth === 'whole') await requireSum(path, expected);
}

async function requireSum(path: string, expected: FileSum): Promise<void> {
  if (!isSameSum(await computeSum(path), expected)) throw notAsWritten();
}

async function readIndexFile(path: string, expected: FileSum): Promise<ScreeningIndex> {
  return withFile(path, async (file) => {
    await requireSize(file, expected);
    const sum = createSum();
    const index = await deserializeIndex((into) => fill(file, into, { onRead: sum.add }));
    if (!isSameSum(sum.finish(), expected)) throw notAsWritten();
    return index;
  });
}

/** Ends at the first section: a request for it means that the head was sound. */
async function checkHead(path: string, expected: FileSum): Promise<void> {
  const isSound = new Error();
  await withFile(path, async (file) => {
    await requireSize(file, expected);
    let reads = 0;
    const read = async (into: Uint8Array) => {
      reads += 1;
      if (reads > HEAD_READS) throw isSound;
      await fill(file, into);
    };
    await recoverEntities(read).catch((error) => {
      if (error !== isSound) throw asDamage(error);
    });
  });
}

/** A prefix of known length, and the head itself */
const HEAD_READS = 2;

async function requireSize(file: FileHandle, expected: FileSum): Promise<void> {
  if ((await file.stat()).size !== expected.bytes) throw notAsWritten();
}

/** A damaged head may ask for absurd amounts of memory, which is a RangeError. */
function asDamage(error: unknown): unknown {
  return error instanceof RangeError ? new IndexFileError(error.message) : error;
}

function notAsWritten(): IndexFileError {
  return new IndexFileError('the file was changed after it was written');
}

/** Covers some hundred records in one call, and reads not much more than one record for a lookup. */
const WINDOW_BYTES = 64 * 1024;

export async function* compareIndexFiles(
  folder: string,
  before: PreviousVersion,
  after: PreviousVersion,
): AsyncGenerator<EntityChange> {
  for (const { indexFile, indexSum } of [before, after])
    await checkIndexFile(join(folder, indexFile), indexSum, 'whole');
  const files: FileHandle[] = [];
  try {
    for (const { indexFile } of [before, after]) files.push(await open(join(folder, indexFile), 'r'));
    yield* compareLists(await openRecords(files[0]!), await openRecords(files[1]!));
  } finally {
    for (const file of files) await file.close();
  }
}

async function openRecords(file: FileHandle): Promise<ListRecords> {
  let position = 0;
  const { recordsAt, offsetsAt, offsets } = await locateRecords(async (into) => {
    await fill(file, into, { position });
    position += into.byteLength;
  });
  const bounds = new Float64Array(offsets);
  await fill(file, new Uint8Array(bounds.buffer), { position: offsetsAt });
  const end = bounds.at(-1) ?? 0;
  if (recordsAt + end !== offsetsAt) throw new IndexFileError('the records are damaged');
  let window = new Uint8Array(0);
  let from = 0;
  return {
    count: offsets - 1,
    async at(entity) {
      const [first, last] = [bounds[entity]!, bounds[entity + 1]!];
      if (first < from || last > from + window.length) {
        window = new Uint8Array(Math.min(Math.max(WINDOW_BYTES, last - first), end - first));
        await fill(file, window, { position: recordsAt + first });
        from = first;
      }
      return window.subarray(first - from, last - from);
    },
  };
}
