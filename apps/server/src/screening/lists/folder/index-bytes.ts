// Reads the bytes of an index file, and the records in one of an older layout.
import { type FileHandle, open } from 'node:fs/promises';
import { IndexFileError, type ListedEntity, recoverEntities } from '@limen/screening';
import { PIECE_BYTES } from '../../../platform/files/durable.ts';

export async function* readRecords(path: string): AsyncGenerator<ListedEntity> {
  yield* await withFile(path, (file) => recoverEntities((into) => fill(file, into)));
}

export async function withFile<T>(path: string, use: (file: FileHandle) => Promise<T>): Promise<T> {
  const file = await open(path, 'r');
  try {
    return await use(file);
  } finally {
    await file.close();
  }
}

/** Without a position, continues where the last such read ended. */
export async function fill(
  file: FileHandle,
  into: Uint8Array,
  { position, onRead }: { position?: number; onRead?: (part: Uint8Array) => void } = {},
): Promise<void> {
  for (let done = 0; done < into.byteLength; ) {
    const from = position === undefined ? null : position + done;
    const { bytesRead } = await file.read(into, done, Math.min(into.byteLength - done, PIECE_BYTES), from);
    if (bytesRead === 0) throw new IndexFileError('the file ends too early');
    onRead?.(into.subarray(done, done + bytesRead));
    done += bytesRead;
  }
}
