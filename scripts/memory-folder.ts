// Places the tests' temporary files in memory if possible, because commits to disk are slow.
import { chmodSync, mkdirSync, readdirSync, rmSync, statfsSync } from 'node:fs';
import { join } from 'node:path';
import { isAlive, killServersIn } from '@limen/testing/postgres-cluster.ts';

/** An in-memory file system, as on Linux. */
const SHARED_MEMORY = '/dev/shm';
const NAME = /^limen-tests-(\d+)$/;
/** Required space. The tests need several hundred megabytes. */
const LEAST_ROOM_BYTES = 4 * 2 ** 30;
const LEAST_MEMORY_BYTES = 6 * 2 ** 30;

/** Removed at the end of this process. Without enough memory, the disk is used. */
export function keepTemporaryFilesInMemory(): void {
  if (!hasRoom()) return;
  removeLeftovers();
  const folder = join(SHARED_MEMORY, `limen-tests-${process.pid}`);
  mkdirSync(folder);
  chmodSync(folder, 0o711); // PostgreSQL runs as a separate user
  process.env['TMPDIR'] = folder;
  process.on('exit', () => rmSync(folder, { recursive: true, force: true }));
}

function hasRoom(): boolean {
  if (process.env['TMPDIR'] || process.availableMemory() < LEAST_MEMORY_BYTES) return false;
  try {
    const { bavail, bsize } = statfsSync(SHARED_MEMORY);
    return bavail * bsize >= LEAST_ROOM_BYTES;
  } catch {
    return false; // missing
  }
}

/** Removes folders of killed runs. Their servers and other processes may still be writing. */
function removeLeftovers(): void {
  for (const name of readdirSync(SHARED_MEMORY)) {
    const pid = NAME.exec(name)?.[1];
    if (!pid || isAlive(Number(pid))) continue;
    const folder = join(SHARED_MEMORY, name);
    try {
      killServersIn(folder);
      rmSync(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
    } catch (error) {
      // The next run tries again.
      console.warn(`${folder} of an earlier run stays: ${(error as Error).message}`);
    }
  }
}
