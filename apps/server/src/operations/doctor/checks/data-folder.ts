// Checks DATA_DIR: there or can be made, writable, private, with room.
import { accessSync, constants, existsSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { formatBytes, freeBytes, LEAST_BYTES, LOW_BYTES } from '../../../platform/files/free-space.ts';
import { type Check, type Finding, failure, ok, warning } from './check.ts';

export const checkDataFolder: Check = async ({ config }) => {
  const folder = resolve(config.DATA_DIR);
  if (existsSync(folder)) {
    if (!statSync(folder).isDirectory()) {
      return [failure(`${folder} is not a folder`, 'set DATA_DIR to a folder, or move that file away')];
    }
    if (!isWritable(folder)) {
      return [failure(`${folder} is not writable`, 'give it to the user that the server runs as')];
    }
    return [...privacyOf(folder), judgeSpace(`${folder} is writable`, freeBytes(folder))];
  }
  const ancestor = nearestExisting(folder);
  if (!statSync(ancestor).isDirectory() || !isWritable(ancestor)) {
    return [failure(`${folder} cannot be created: ${ancestor} is not a writable folder`, 'set DATA_DIR')];
  }
  return [judgeSpace(`${folder} does not exist yet; it will be created at the first start`, freeBytes(ancestor))];
};

export function judgeSpace(found: string, free: number): Finding {
  const text = `${found}, ${formatBytes(free)} free`;
  const remedy = 'make room on that disk: once it is full, nothing new can be stored';
  if (free < LEAST_BYTES) return failure(text, remedy);
  return free < LOW_BYTES ? warning(text, remedy) : ok(text);
}

/** The server makes the folder for its owner alone; one that was there before may be open to others. */
function privacyOf(folder: string): Finding[] {
  const { mode } = statSync(folder);
  if (process.platform === 'win32' || (mode & 0o077) === 0) return [];
  const found = `other users of this machine can read it (mode ${(mode & 0o777).toString(8)})`;
  return [warning(found, `chmod 700 ${folder}`)];
}

function isWritable(folder: string): boolean {
  try {
    accessSync(folder, constants.W_OK | constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

function nearestExisting(path: string): string {
  return existsSync(path) ? path : nearestExisting(dirname(path));
}
