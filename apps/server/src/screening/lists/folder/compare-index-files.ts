// Compares two versions of a list in their index files, with a few kilobytes of either in memory.
import { type FileHandle, open } from 'node:fs/promises';
import { compareLists, type EntityChange, IndexFileError, type ListRecords, locateRecords } from '@limen/screening';
import type { FileSum } from '../../../platform/files/durable.ts';
import { fill } from './index-bytes.ts';
import { checkIndexFile } from './index-file.ts';

interface SummedFile {
  path: string;
  sum: FileSum | undefined;
}

/** Reading on from here is one call for some hundred records, and looking one up does not read much more than it. */
const WINDOW_BYTES = 64 * 1024;

/** Throws IndexFileError where one of them is damaged. */
export async function* compareIndexFiles(before: SummedFile, after: SummedFile): AsyncGenerator<EntityChange> {
  for (const { path, sum } of [before, after]) await checkIndexFile(path, sum, 'whole');
  const files: FileHandle[] = [];
  try {
    for (const { path } of [before, after]) files.push(await open(path, 'r'));
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
