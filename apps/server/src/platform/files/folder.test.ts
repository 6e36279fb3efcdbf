// Folders that can be made, and one that cannot.
import { chownSync, existsSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { fillBackupFolder } from './backup-folder.ts';
import { makeFolder, makeInnerFolder } from './folder.ts';

const ANOTHER = 12_345;

function makePlace(): string {
  const folder = mkdtempSync(join(tmpdir(), 'limen-folder-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return folder;
}

it('makes what is missing on the way, for this user alone, and is content with what is there', () => {
  const path = join(makePlace(), 'one', 'two');
  makeFolder(path);
  makeFolder(path);
  expect(statSync(path).mode & 0o777).toBe(0o700);
  expect(statSync(join(path, '..')).mode & 0o777).toBe(0o700);
});

it('makes no folder of a file, nor below one', () => {
  const file = join(makePlace(), 'file');
  writeFileSync(file, '');
  expect(() => makeFolder(file)).toThrow('EEXIST');
  expect(() => makeFolder(join(file, 'one', 'two'))).toThrow('ENOTDIR');
});

it.runIf(existsSync('/proc/self'))('refuses a place that takes no folders', async () => {
  expect(() => makeFolder('/proc/limen/backup')).toThrow('No folder can be made in /proc; name a place outside it.');
  await expect(fillBackupFolder('/proc/limen', async () => {})).rejects.toThrow('No folder can be made in /proc;');
});

it.runIf(process.getuid?.() === 0)('made by root, one within a folder of another user belongs to that user', () => {
  const place = makePlace();
  chownSync(place, ANOTHER, ANOTHER);
  makeInnerFolder(join(place, 'inner', 'one'));
  makeFolder(join(place, 'backup'));
  const ownerOf = (name: string) => statSync(join(place, name)).uid;
  expect([ownerOf('inner'), ownerOf('inner/one'), ownerOf('backup')]).toEqual([ANOTHER, ANOTHER, 0]);
});
