// Fills the folder of a backup, for the service and the key-holder.
import { closeSync, openSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { isOwnDiskFull } from '../base/database-failures.ts';
import { StartError } from '../base/errors.ts';
import { makeFolder } from './folder.ts';

const NOT_ALLOWED = 'cannot be created or written to by this user; choose another folder, or change its owner.';
const NO_ROOM = 'is on a full disk. The partial backup was removed; make room, or choose another folder.';
const REMEDIES: Record<string, string | undefined> = {
  EEXIST: 'is a file; a backup needs its own folder.',
  ENOTDIR: 'lies below a file; a backup needs its own folder.',
  EROFS: 'is on a read-only file system; choose another folder.',
  ENOSPC: NO_ROOM,
  EACCES: NOT_ALLOWED,
  EPERM: NOT_ALLOWED,
};

/** File that only one process at a time can create, so that no other removes its files. */
export const CLAIM = '.unfinished';

/** Runs `write` on a new or empty folder. Removes an unfinished backup, which would take room and block the next one. */
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

function claimFolder(folder: string): void {
  const claim = join(folder, CLAIM);
  const notEmpty = `${folder} is not empty; a backup needs its own folder.`;
  makeBackupFolder(folder);
  try {
    closeSync(openSync(claim, 'wx', 0o600));
  } catch (error) {
    throw (error as NodeJS.ErrnoException).code === 'EEXIST' ? new StartError(notEmpty) : explain(folder, error);
  }
  if (readdirSync(folder).length === 1) return;
  rmSync(claim);
  throw new StartError(notEmpty);
}

export function makeBackupFolder(folder: string): void {
  try {
    makeFolder(folder);
  } catch (error) {
    throw error instanceof StartError ? error : explain(folder, error);
  }
}

function explain(folder: string, error: unknown): StartError {
  const { code = 'unknown' } = error as NodeJS.ErrnoException;
  return new StartError(`${folder} ${REMEDIES[code] ?? `cannot be made or written to (${code}).`}`);
}
