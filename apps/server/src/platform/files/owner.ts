// Gives files that root makes in another user's folder to that user, so that a command run as root leaves nothing that the service
// cannot read. Works on handles, because the user may have replaced the file of that name.
import { closeSync, constants, fchownSync, openSync, statSync } from 'node:fs';
import { dirname } from 'node:path';

export function matchOwner(folder: string, handle: number): void {
  const owner = findOtherOwner(folder);
  if (!owner) return;
  try {
    fchownSync(handle, owner.uid, owner.gid);
  } catch {
    // Root in a container may lack the right. /ready then names the unreadable files.
  }
}

/** Gives a folder, or a file without a handle, to the folder's owner. */
export function matchOwnerOfMade(folder: string, made: string): void {
  if (findOtherOwner(folder)) giveOpened(folder, made, constants.O_RDONLY | constants.O_NOFOLLOW);
}

/** Makes an empty database file before SQLite does. SQLite's other files get its owner. */
export function beginFileForOwner(file: string): void {
  const folder = dirname(file);
  if (!findOtherOwner(folder) || statSync(file, { throwIfNoEntry: false })) return;
  giveOpened(folder, file, 'a'); // not 'wx': another process may be making it
}

function giveOpened(folder: string, path: string, flags: string | number): void {
  const handle = openSync(path, flags, 0o600);
  try {
    matchOwner(folder, handle);
  } finally {
    closeSync(handle);
  }
}

/** Returns the folder's owner if this process is root and the folder is not root's. */
function findOtherOwner(folder: string): { uid: number; gid: number } | undefined {
  if (process.getuid?.() !== 0) return undefined;
  const { uid, gid } = statSync(folder);
  return uid === 0 ? undefined : { uid, gid };
}
