// Temporary files of the tests in memory where the machine has room for them: on a disk every commit is waited for.
import { chmodSync, mkdirSync, readdirSync, rmSync, statfsSync } from 'node:fs';
import { join } from 'node:path';
import { isAlive, killServersIn } from '@limen/testing/postgres-cluster.ts';

/** A file system in memory, as Linux has it. */
const SHARED_MEMORY = '/dev/shm';
const NAME = /^limen-tests-(\d+)$/;
/** The tests need some hundred megabytes, of both. */
const LEAST_ROOM_BYTES = 4 * 2 ** 30;
const LEAST_MEMORY_BYTES = 6 * 2 ** 30;

/** For this process and all that it starts; it goes with the process. Where there is no room they stay on the disk. */
export function keepTemporaryFilesInMemory(): void {
  if (!hasRoom()) return;
  removeLeftovers();
  const folder = join(SHARED_MEMORY, `limen-tests-${process.pid}`);
  mkdirSync(folder);
  chmodSync(folder, 0o711); // PostgreSQL runs as a user of its own
  process.env['TMPDIR'] = folder;
  process.on('exit', () => rmSync(folder, { recursive: true, force: true }));
}

function hasRoom(): boolean {
  if (process.env['TMPDIR'] || process.availableMemory() < LEAST_MEMORY_BYTES) return false;
  try {
    const { bavail, bsize } = statfsSync(SHARED_MEMORY);
    return bavail * bsize >= LEAST_ROOM_BYTES;
  } catch {
    return false; // there is none
  }
}

/** Of runs that were killed. Their servers outlived them and write on, and some other process of theirs may, too. */
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
