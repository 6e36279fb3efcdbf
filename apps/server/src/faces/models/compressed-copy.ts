// A model compressed once, beside the model itself: a quarter less to send to every browser.
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { mkdtemp, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { promisify } from 'node:util';
import { createGunzip, gzip } from 'node:zlib';
import { type FaceModel, removeLeftovers } from '@limen/face-models';

const WORK_PREFIX = '.compressing-';
/** A process that was killed leaves a folder behind; compressing takes seconds. */
const LEFTOVER_MS = 60 * 60_000;
const LEVEL = 9;
/** What saves less than this share is not worth the browser's work. */
const LEAST_SAVED = 0.02;
const compress = promisify(gzip);

export function compressedName(file: string): string {
  return `${file}.gz`;
}

/** Its size, or undefined where compressing does not pay. Safe to call again and from several processes at once. */
export async function keepCompressedCopy(folder: string, model: FaceModel): Promise<number | undefined> {
  const path = join(folder, compressedName(model.file));
  if (await unpacksTo(path, model)) return (await stat(path)).size;
  const packed = await compress(await readFile(join(folder, model.file)), { level: LEVEL });
  if (packed.length > model.bytes * (1 - LEAST_SAVED)) {
    await rm(path, { force: true }); // of a model that had this name before
    return undefined;
  }
  const work = await mkdtemp(join(folder, WORK_PREFIX));
  try {
    // Not synced to the disk: what a crash leaves is found out at the next start.
    const temporary = join(work, 'copy');
    await writeFile(temporary, packed);
    await rename(temporary, path);
  } finally {
    await rm(work, { recursive: true, force: true });
  }
  return packed.length;
}

export function removeCompressionLeftovers(folder: string, now: number): Promise<void> {
  return removeLeftovers(folder, WORK_PREFIX, now - LEFTOVER_MS);
}

/** Whether a browser would get exactly the model from it. */
async function unpacksTo(path: string, { sha256, bytes }: FaceModel): Promise<boolean> {
  const hash = createHash('sha256');
  let seen = 0;
  try {
    await pipeline(createReadStream(path), createGunzip(), async (chunks: AsyncIterable<Buffer>) => {
      for await (const chunk of chunks) {
        seen += chunk.length;
        if (seen > bytes) return; // however much more there is
        hash.update(chunk);
      }
    });
  } catch {
    return false; // not there, or damaged
  }
  return seen === bytes && hash.digest('hex') === sha256;
}
