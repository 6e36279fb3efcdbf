// The bytes of an index file, and the records in one of an older layout.
import { type FileHandle, open } from 'node:fs/promises';
import { IndexFileError, type ListedEntity, recoverEntities } from '@limen/screening';
import { PIECE_BYTES } from '../../../platform/files/durable.ts';

/** In a thread of its own, for an index of an older layout. */
export async function readRecords(path: string): Promise<Iterable<ListedEntity>> {
  return withFile(path, (file) => recoverEntities((into) => fill(file, into)));
}

export async function withFile<T>(path: string, use: (file: FileHandle) => Promise<T>): Promise<T> {
  const file = await open(path, 'r');
  try {
    return await use(file);
  } finally {
    await file.close();
  }
}

export interface FillOptions {
  /** Where to read; else from where the last read without a position ended. */
  position?: number;
  onRead?: (part: Uint8Array) => void;
}

export async function fill(file: FileHandle, into: Uint8Array, { position, onRead }: FillOptions = {}): Promise<void> {
  for (let done = 0; done < into.byteLength; ) {
    const from = position === undefined ? null : position + done;
    const { bytesRead } = await file.read(into, done, Math.min(into.byteLength - done, PIECE_BYTES), from);
    if (bytesRead === 0) throw new IndexFileError('the file ends too early');
    onRead?.(into.subarray(done, done + bytesRead));
    done += bytesRead;
  }
}
