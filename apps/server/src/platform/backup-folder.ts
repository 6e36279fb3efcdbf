// Where a backup is written: the service's and the key-holder's alike.
import { mkdirSync, readdirSync } from 'node:fs';
import { StartError } from './errors.ts';

/** Throws where there is something in it: a backup must not mix with another one, nor with anything else. */
export function makeBackupFolder(folder: string): void {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  if (readdirSync(folder).length > 0)
    throw new StartError(`${folder} is not empty; a backup needs a folder of its own.`);
}
