// What root makes in a folder of another user belongs to that user: a command run as root beside a service that is not leaves nothing
// behind that the service cannot read. By handle and not by name: the other user may have put something else under the name meanwhile.
import { closeSync, constants, fchownSync, openSync, statSync } from 'node:fs';
import { dirname } from 'node:path';

export function giveToOwnerOf(folder: string, handle: number): void {
  const owner = otherOwnerOf(folder);
  if (!owner) return;
  try {
    fchownSync(handle, owner.uid, owner.gid);
  } catch {
    // Root in a container may be denied it; the service's /ready then names what it cannot read.
  }
}

/** For a folder, and for a file of which there is no handle. */
export function giveMadeToOwnerOf(folder: string, made: string): void {
  if (!otherOwnerOf(folder)) return;
  const handle = openSync(made, constants.O_RDONLY | constants.O_NOFOLLOW);
  try {
    giveToOwnerOf(folder, handle);
  } finally {
    closeSync(handle);
  }
}

/** Makes it, empty, before SQLite does: what SQLite puts beside a file later gets the file's owner. */
export function beginFileForOwner(file: string): void {
  const folder = dirname(file);
  if (!otherOwnerOf(folder) || statSync(file, { throwIfNoEntry: false })) return;
  const handle = openSync(file, 'a', 0o600); // not 'wx': another process may be as far
  try {
    giveToOwnerOf(folder, handle);
  } finally {
    closeSync(handle);
  }
}

/** Of the folder, where this process is root and the folder is not root's. */
function otherOwnerOf(folder: string): { uid: number; gid: number } | undefined {
  if (process.getuid?.() !== 0) return undefined;
  const { uid, gid } = statSync(folder);
  return uid === 0 ? undefined : { uid, gid };
}
