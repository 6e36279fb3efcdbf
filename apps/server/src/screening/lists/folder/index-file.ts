// Reads index files into shared memory, and tells a damaged one.
import type { FileHandle } from 'node:fs/promises';
import { deserialiseIndex, IndexFileError, recoverEntities, type ScreeningIndex } from '@limen/screening';
import { createSum, type FileSum, isSameSum, sumOf } from '../../../platform/files/durable.ts';
import { rebuildIndex } from '../rebuild.ts';
import { fill, withFile } from './index-bytes.ts';

/**
 * Reads the index, or rebuilds it if its layout is an older one. The checksum is verified along the way; a list that was
 * stored before there were sums has none. Throws IndexFileError where it is damaged.
 */
export async function openIndexFile(path: string, expected: FileSum | undefined): Promise<ScreeningIndex> {
  try {
    return await readIndexFile(path, expected);
  } catch (error) {
    if (!(error instanceof IndexFileError && error.rebuildable)) throw asDamage(error);
  }
  // Only a part of the file is needed now, so all of it is checked first.
  if (expected && !isSameSum(await sumOf(path), expected)) throw notAsWritten();
  return rebuildIndex(path);
}

/**
 * Throws IndexFileError where it is damaged. `head` looks at the size and the first bytes, which takes a moment; `whole` reads all of it.
 */
export async function checkIndexFile(
  path: string,
  expected: FileSum | undefined,
  depth: 'head' | 'whole',
): Promise<void> {
  await checkHead(path, expected);
  if (depth === 'head') return;
  if (!expected) await readIndexFile(path, undefined).catch(refuseUnlessOlder);
  else if (!isSameSum(await sumOf(path), expected)) throw notAsWritten();
}

async function readIndexFile(path: string, expected: FileSum | undefined): Promise<ScreeningIndex> {
  return withFile(path, async (file) => {
    await requireSize(file, expected);
    const sum = createSum();
    const index = await deserialiseIndex((into) => fill(file, into, { onRead: expected && sum.add }));
    if (expected && !isSameSum(sum.finish(), expected)) throw notAsWritten();
    return index;
  });
}

/** The first section is not read: being asked for it means that the head was sound. */
async function checkHead(path: string, expected: FileSum | undefined): Promise<void> {
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

/** What stands before the sections is read in two pieces: a prefix of known length, and the head itself. */
const HEAD_READS = 2;

async function requireSize(file: FileHandle, expected: FileSum | undefined): Promise<void> {
  if (expected && (await file.stat()).size !== expected.bytes) throw notAsWritten();
}

function refuseUnlessOlder(error: unknown): void {
  if (!(error instanceof IndexFileError && error.rebuildable)) throw asDamage(error);
}

/** A head that asks for absurd amounts of memory is a RangeError. */
function asDamage(error: unknown): unknown {
  return error instanceof RangeError ? new IndexFileError(error.message) : error;
}

/** Truncated, overwritten, or with a flipped bit. */
function notAsWritten(): IndexFileError {
  return new IndexFileError('the file is not what was written');
}
