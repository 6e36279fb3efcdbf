// Files of the models folder: verified by hash, and written atomically.
import { createHash } from 'node:crypto';
import { open, readdir, readFile, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';

export function hashBytes(content: Uint8Array): string {
  return createHash('sha256').update(content).digest('hex');
}

/** Returns whether the file has the expected size and hash. */
export async function isIntact(path: string, expected: { bytes: number; sha256: string }): Promise<boolean> {
  const information = await stat(path).catch(() => undefined);
  if (!information?.isFile() || information.size !== expected.bytes) return false;
  return hashBytes(await readFile(path)) === expected.sha256;
}

/** Rejects a file beyond the expected size before reading it. */
export async function readSmallEnough(path: string, maxBytes: number): Promise<Buffer> {
  const file = await open(path, 'r');
  try {
    const information = await file.stat();
    if (!information.isFile()) throw new Error(`${path} is not a file`);
    if (information.size > maxBytes)
      throw new Error(`${path} has ${information.size} bytes, but the manifest says ${maxBytes}`);
    return await file.readFile();
  } finally {
    await file.close();
  }
}

export async function writeDurably(path: string, content: Uint8Array): Promise<void> {
  const file = await open(path, 'wx', 0o644);
  try {
    await file.writeFile(content);
    await file.sync();
  } finally {
    await file.close();
  }
}

/** Removes old entries with the prefix, left behind by killed processes. */
export async function removeLeftovers(folder: string, prefix: string, touchedBefore: number): Promise<void> {
  for (const name of await readdir(folder)) {
    if (!name.startsWith(prefix)) continue;
    const path = join(folder, name);
    const information = await stat(path).catch(() => undefined); // its owner may just have removed it
    if (information && information.mtimeMs < touchedBefore) await rm(path, { recursive: true, force: true });
  }
}

/** Fsyncs a folder so that renames persist. Windows neither supports nor needs it. */
export async function syncFolder(path: string): Promise<void> {
  if (globalThis.process.platform === 'win32') return;
  const folder = await open(path, 'r');
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}
