// Small helpers for files that must survive a power cut, must be exactly what was written, or must be gone.
import { createHash } from 'node:crypto';
import { closeSync, constants, fsyncSync, openSync } from 'node:fs';
import { type FileHandle, open, readdir, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { giveToOwnerOf } from './owner.ts';

/** By which a file is known to be the one that was written. */
export interface FileSum {
  bytes: number;
  sha256: string;
}

/** Hashing blocks the event loop, so it is done in pieces that take less than a millisecond or two. */
export const PIECE_BYTES = 2 ** 20;

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

/** The same at once, for a folder or a file. */
export function syncAtOnce(path: string): void {
  if (process.platform === 'win32') return;
  const handle = openSync(path, 'r');
  try {
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
}

/** Writes a new file that is on the disk when this resolves; a file that could not be finished is removed. */
export async function writeDurably(
  path: string,
  pieces: Iterable<Uint8Array> | AsyncIterable<Uint8Array>,
): Promise<FileSum> {
  const file = await open(path, 'wx', 0o600);
  const sum = createSum();
  try {
    giveToOwnerOf(dirname(path), file.fd);
    for await (const piece of pieces) await writeAll(file, piece, sum.add);
    await file.sync();
    await file.close();
    return sum.finish();
  } catch (error) {
    await file.close().catch(() => {});
    await rm(path, { force: true });
    throw error;
  }
}

/** By rename: whoever reads finds the old file or the new one. */
export async function replaceFile(path: string, text: string): Promise<void> {
  const next = `${path}.next`;
  await rm(next, { force: true });
  try {
    await writeDurably(next, [Buffer.from(text)]);
    await rename(next, path);
  } catch (error) {
    await rm(next, { force: true });
    throw error;
  }
}

export async function sumOf(path: string): Promise<FileSum> {
  const file = await open(path, 'r');
  const sum = createSum();
  try {
    const piece = Buffer.allocUnsafe(PIECE_BYTES);
    for (;;) {
      const { bytesRead } = await file.read(piece, 0, PIECE_BYTES, null);
      if (bytesRead === 0) return sum.finish();
      sum.add(piece.subarray(0, bytesRead));
    }
  } finally {
    await file.close();
  }
}

export function createSum() {
  const hash = createHash('sha256');
  let bytes = 0;
  return {
    add(piece: Uint8Array): void {
      hash.update(piece);
      bytes += piece.byteLength;
    },
    finish: (): FileSum => ({ bytes, sha256: hash.digest('hex') }),
  };
}

export function isSameSum(a: FileSum, b: FileSum): boolean {
  return a.bytes === b.bytes && a.sha256 === b.sha256;
}

/** Removes the files of a folder that are no longer needed; a missing folder has none. */
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

/** One call may write less than it was given. */
async function writeAll(file: FileHandle, piece: Uint8Array, onWritten: (part: Uint8Array) => void): Promise<void> {
  for (let done = 0; done < piece.byteLength; ) {
    const { bytesWritten } = await file.write(piece, done, Math.min(piece.byteLength - done, PIECE_BYTES));
    onWritten(piece.subarray(done, done + bytesWritten));
    done += bytesWritten;
  }
}
