// Folders for tests of the key-holder, removed after the file's tests.
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll } from 'vitest';

export function makeFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'limen-keyholder-'));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** Returns every byte of every file in the folder. */
export function rawBytes(folder: string): Buffer {
  return Buffer.concat(readdirSync(folder).map((name) => readFileSync(join(folder, name))));
}
