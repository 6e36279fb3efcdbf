// Where a backup is written: the service's and the key-holder's alike.
import { accessSync, constants, readdirSync } from 'node:fs';
import { StartError } from './errors.ts';
import { makeFolder } from './make-folder.ts';

const NOT_ALLOWED = 'cannot be made or written to by this user; choose another folder, or change its owner.';
const WHY: Record<string, string | undefined> = {
  EEXIST: 'is a file; a backup needs a folder of its own.',
  ENOTDIR: 'lies below a file; a backup needs a folder of its own.',
  EROFS: 'is on a read-only file system; choose another folder.',
  EACCES: NOT_ALLOWED,
  EPERM: NOT_ALLOWED,
};

/** Throws where there is something in it: a backup must not mix with another one, nor with anything else. */
export function makeBackupFolder(folder: string): void {
  let names: string[];
  try {
    makeFolder(folder);
    accessSync(folder, constants.W_OK);
    names = readdirSync(folder);
  } catch (error) {
    if (error instanceof StartError) throw error;
    const { code = 'unknown' } = error as NodeJS.ErrnoException;
    throw new StartError(WHY[code] ? `${folder} ${WHY[code]}` : `${folder} cannot be made or written to (${code}).`);
  }
  if (names.length > 0) throw new StartError(`${folder} is not empty; a backup needs a folder of its own.`);
}
