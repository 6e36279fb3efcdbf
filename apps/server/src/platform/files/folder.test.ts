// Creates folders, and refuses places that cannot hold one.
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

it('creates missing parent folders for this user only, and accepts existing ones', () => {
  const path = join(makePlace(), 'one', 'two');
  makeFolder(path);
  makeFolder(path);
  expect(statSync(path).mode & 0o777).toBe(0o700);
  expect(statSync(join(path, '..')).mode & 0o777).toBe(0o700);
});

it('refuses a file, and a path below one', () => {
  const file = join(makePlace(), 'file');
  writeFileSync(file, '');
  expect(() => makeFolder(file)).toThrow('EEXIST');
  expect(() => makeFolder(join(file, 'one', 'two'))).toThrow('ENOTDIR');
});

it.runIf(existsSync('/proc/self'))('refuses a place where folders cannot be created', async () => {
  expect(() => makeFolder('/proc/limen/backup')).toThrow('No folder can be created in /proc; name a place outside it.');
  await expect(fillBackupFolder('/proc/limen', async () => {})).rejects.toThrow('No folder can be created in /proc;');
});

it.runIf(process.getuid?.() === 0)('gives a folder that root creates to the owner of its parent folder', () => {
  const place = makePlace();
  chownSync(place, ANOTHER, ANOTHER);
  makeInnerFolder(join(place, 'inner', 'one'));
  makeFolder(join(place, 'backup'));
  const ownerOf = (name: string) => statSync(join(place, name)).uid;
  expect([ownerOf('inner'), ownerOf('inner/one'), ownerOf('backup')]).toEqual([ANOTHER, ANOTHER, 0]);
});
