// Reads index files: into shared memory, or only the records in one of an older layout.
import { type FileHandle, open } from 'node:fs/promises';
import { deserialiseIndex, type ListedEntity, recoverEntities, type ScreeningIndex } from '@limen/screening';

/** One read takes less than 2 GiB; pieces of this size cost nothing that can be measured. */
const PIECE_BYTES = 2 ** 26;

/** The file is shorter than its own head says. */
export class UnexpectedEnd extends Error {
  override readonly name = 'UnexpectedEnd';
}

/** Throws an IndexFileError when it is not an index of this layout, and UnexpectedEnd when it was cut off. */
export async function readIndexFile(path: string): Promise<ScreeningIndex> {
  return withFiller(path, deserialiseIndex);
}

export async function readRecords(path: string): Promise<Iterable<ListedEntity>> {
  return withFiller(path, recoverEntities);
}

async function withFiller<T>(path: string, use: (read: (into: Uint8Array) => Promise<void>) => Promise<T>): Promise<T> {
  const file = await open(path, 'r');
  try {
    return await use((into) => fill(file, into));
  } finally {
    await file.close();
  }
}

async function fill(file: FileHandle, into: Uint8Array): Promise<void> {
  for (let done = 0; done < into.byteLength; ) {
    const { bytesRead } = await file.read(into, done, Math.min(into.byteLength - done, PIECE_BYTES), null);
    if (bytesRead === 0) throw new UnexpectedEnd();
    done += bytesRead;
  }
}
