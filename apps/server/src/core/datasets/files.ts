// Small helpers for files that must survive a power cut, or must be gone.
import { constants } from 'node:fs';
import { type FileHandle, open, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';

/** Makes a new name survive a power cut. Windows has no such call and needs none. */
export async function syncFolder(folder: string): Promise<void> {
  if (process.platform === 'win32') return;
  const handle = await open(folder, constants.O_RDONLY);
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** Writes a new file that is on the disk when this resolves; a file that could not be finished is removed. */
export async function writeDurably(path: string, pieces: Iterable<Uint8Array>): Promise<void> {
  const file = await open(path, 'wx', 0o600);
  try {
    for (const piece of pieces) await writeAll(file, piece);
    await file.sync();
    await file.close();
  } catch (error) {
    await file.close().catch(() => {});
    await rm(path, { force: true });
    throw error;
  }
}

/** Removes the files of a folder that are of no use any more; a folder that is not there has none. */
export async function removeFiles(folder: string, isUseless: (name: string) => boolean): Promise<void> {
  for (const name of (await namesIn(folder)).filter(isUseless)) await rm(join(folder, name), { force: true });
}

export async function namesIn(folder: string): Promise<string[]> {
  try {
    return await readdir(folder);
  } catch (error) {
    if (isMissing(error)) return [];
    throw error;
  }
}

export function isMissing(error: unknown): boolean {
  return (error as NodeJS.ErrnoException | undefined)?.code === 'ENOENT';
}

/** One call writes at most 2 GiB, and may write less than it was given. */
async function writeAll(file: FileHandle, piece: Uint8Array): Promise<void> {
  for (let done = 0; done < piece.byteLength; ) {
    const { bytesWritten } = await file.write(piece, done, Math.min(piece.byteLength - done, 2 ** 26));
    done += bytesWritten;
  }
}
