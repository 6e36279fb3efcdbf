// Checks DATA_DIR: whether it can be written, who can read it, and the space on its disk.
import { accessSync, constants, existsSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { formatBytes, freeBytes, LEAST_BYTES, LOW_BYTES } from '../../../platform/files/free-space.ts';
import { type DoctorCheck, type DoctorFinding, failure, judgePrivacy, ok, warning } from './check.ts';

export const checkDataFolder: DoctorCheck = async ({ config }) => {
  const folder = resolve(config.DATA_DIR);
  if (!existsSync(folder)) {
    const ancestor = nearestExisting(folder);
    return statSync(ancestor).isDirectory() && isWritable(ancestor)
      ? [judgeSpace(`${folder} does not exist yet; it will be created at the first start`, freeBytes(ancestor))]
      : [failure(`${folder} cannot be created: ${ancestor} is not a writable folder`, 'set DATA_DIR')];
  }
  if (!statSync(folder).isDirectory()) {
    return [failure(`${folder} is not a folder`, 'set DATA_DIR to a folder, or move that file away')];
  }
  if (!isWritable(folder)) {
    return [failure(`${folder} is not writable`, 'give it to the user that the server runs as')];
  }
  return [...judgePrivacy(folder, 'it', `chmod 700 ${folder}`), judgeSpace(`${folder} is writable`, freeBytes(folder))];
};

export function judgeSpace(found: string, free: number): DoctorFinding {
  const text = `${found}, ${formatBytes(free)} free`;
  const remedy = 'make room on that disk: once it is full, nothing new can be stored';
  if (free < LEAST_BYTES) return failure(text, remedy);
  return free < LOW_BYTES ? warning(text, remedy) : ok(text);
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
