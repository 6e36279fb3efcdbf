// The frozen database of a release as it lies in this folder, and the master key of it.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliCompressSync, brotliDecompressSync, constants } from 'node:zlib';

/** The latest release with a frozen database. */
export const FROZEN_RELEASE = '0.1.0';

/** The columns with a sealed value, one to a line. */
export const COLUMNS_FILE = join(import.meta.dirname, `${FROZEN_RELEASE}.columns.txt`);

type Part = 'sqlite' | 'postgres.sql' | 'backup.tar';
const fileOf = (part: Part) => join(import.meta.dirname, `${FROZEN_RELEASE}.${part}.br`);

/** A large window, because the indexes of a database repeat what its tables contain. */
export function writeFrozen(part: Part, contents: Buffer): void {
  writeFileSync(fileOf(part), brotliCompressSync(contents, { params: { [constants.BROTLI_PARAM_LGWIN]: 24 } }));
}

export function readFrozen(part: Part): Buffer {
  return brotliDecompressSync(readFileSync(fileOf(part)));
}

/** Puts the master key of the frozen database where a service looks for it. */
export function giveFrozenKey(dataDir: string): void {
  writeFileSync(join(dataDir, 'master.key'), `${Buffer.alloc(32, 9).toString('base64')}\n`, { mode: 0o600 });
}
