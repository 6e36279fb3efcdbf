// Where a backup is written: the service's and the key-holder's alike.
import { closeSync, openSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { isOwnDiskFull } from '../base/database-failures.ts';
import { StartError } from '../base/errors.ts';
import { makeFolder } from './folder.ts';

const NOT_ALLOWED = 'cannot be made or written to by this user; choose another folder, or change its owner.';
const NO_ROOM =
  'is on a disk that has no room left. What was written there was removed; make room on it, or choose another folder.';
const WHY: Record<string, string | undefined> = {
  EEXIST: 'is a file; a backup needs a folder of its own.',
  ENOTDIR: 'lies below a file; a backup needs a folder of its own.',
  EROFS: 'is on a read-only file system; choose another folder.',
  ENOSPC: NO_ROOM,
  EACCES: NOT_ALLOWED,
  EPERM: NOT_ALLOWED,
};

/** Only one of two at a time makes it: the other must not take the first one's files for its own and remove them. */
export const CLAIM = '.unfinished';

/**
 * Runs `write` on a folder that is new or empty. What could not be finished is removed again: it would only take up room, and keep the next
 * backup out.
 */
export async function fillBackupFolder<T>(folder: string, write: () => Promise<T>): Promise<T> {
  claimFolder(folder);
  try {
    const result = await write();
    rmSync(join(folder, CLAIM));
    return result;
  } catch (error) {
    for (const name of readdirSync(folder)) rmSync(join(folder, name), { force: true });
    throw isOwnDiskFull(error) ? new StartError(`${folder} ${NO_ROOM}`, { cause: error }) : error;
  }
}

/** Throws where there is something in it: a backup must not mix with another one, nor with anything else. */
function claimFolder(folder: string): void {
  const claim = join(folder, CLAIM);
  const refused = () => new StartError(`${folder} is not empty; a backup needs a folder of its own.`);
  makeBackupFolder(folder);
  try {
    closeSync(openSync(claim, 'wx', 0o600));
  } catch (error) {
    throw (error as NodeJS.ErrnoException).code === 'EEXIST' ? refused() : explain(folder, error);
  }
  if (readdirSync(folder).length === 1) return;
  rmSync(claim);
  throw refused();
}

/** Throws a sentence for the operator where it cannot be made. */
export function makeBackupFolder(folder: string): void {
  try {
    makeFolder(folder);
  } catch (error) {
    throw error instanceof StartError ? error : explain(folder, error);
  }
}

function explain(folder: string, error: unknown): StartError {
  const { code = 'unknown' } = error as NodeJS.ErrnoException;
  return new StartError(WHY[code] ? `${folder} ${WHY[code]}` : `${folder} cannot be made or written to (${code}).`);
}
