// Writes, checks and removes files that must survive a power cut.
import { createHash } from 'node:crypto';
import { closeSync, createReadStream, fsyncSync, openSync } from 'node:fs';
import { open, readdir, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { matchOwner } from './owner.ts';

export interface FileSum {
  bytes: number;
  sha256: string;
}

/** Hashing blocks the event loop, so it is done in pieces of a millisecond or two. */
export const PIECE_BYTES = 2 ** 20;

/** Makes a new name survive a power cut. Windows has no such call and needs none. */
export async function syncFolder(folder: string): Promise<void> {
  if (process.platform === 'win32') return;
  const handle = await open(folder, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

export function syncAtOnce(path: string): void {
  if (process.platform === 'win32') return;
  const handle = openSync(path, 'r');
  try {
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
}

/** Writes a new file and fsyncs it. Removes an unfinished file. */
export async function writeDurably(
  path: string,
  pieces: Iterable<Uint8Array> | AsyncIterable<Uint8Array>,
): Promise<FileSum> {
  const file = await open(path, 'wx', 0o600);
  const sum = createSum();
  try {
    matchOwner(dirname(path), file.fd);
    for await (const piece of pieces) {
      for (let at = 0; at < piece.byteLength; at += PIECE_BYTES) {
        const part = piece.subarray(at, at + PIECE_BYTES);
        await file.writeFile(part);
        sum.add(part);
      }
    }
    await file.sync();
    await file.close();
    return sum.finish();
  } catch (error) {
    await file.close().catch(() => {});
    await rm(path, { force: true });
    throw error;
  }
}

/** Replaces a file by rename, so that readers see the old or the new one. */
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

export async function computeSum(path: string): Promise<FileSum> {
  const sum = createSum();
  for await (const piece of createReadStream(path, { highWaterMark: PIECE_BYTES })) sum.add(piece as Buffer);
  return sum.finish();
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

export async function removeFiles(folder: string, isUseless: (name: string) => boolean): Promise<void> {
  for (const name of (await listFileNames(folder)).filter(isUseless)) await rm(join(folder, name), { force: true });
}

export async function listFileNames(folder: string): Promise<string[]> {
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
