// A folder holds one complete backup or stays unchanged.
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { fillBackupFolder } from './backup-folder.ts';

function makeFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'limen-backup-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

const putRows = (folder: string) => async () => writeFileSync(join(folder, 'rows'), 'rows');

it('contains only what was written', async () => {
  const folder = join(makeFolder(), 'new');
  await fillBackupFolder(folder, putRows(folder));
  expect(readdirSync(folder)).toEqual(['rows']);
});

it('is empty after a failure, so that a retry starts afresh', async () => {
  const folder = makeFolder();
  const failure = new Error('the network is gone');
  const failing = fillBackupFolder(folder, async () => {
    await putRows(folder)();
    throw failure;
  });
  await expect(failing).rejects.toBe(failure);
  expect(readdirSync(folder)).toEqual([]);
  await fillBackupFolder(folder, putRows(folder));
});

it("reports the backup's disk, not the database's, as full", async () => {
  const folder = makeFolder();
  const failing = fillBackupFolder(folder, async () => writeFileSync('/dev/full', 'rows'));
  await expect(failing).rejects.toThrow(`${folder} is on a full disk. The partial backup was`);
  const ofPostgres = Object.assign(new Error('could not write'), { code: '53100' });
  await expect(fillBackupFolder(folder, () => Promise.reject(ofPostgres))).rejects.toBe(ofPostgres);
});

it('keeps an existing or running backup when another one is refused', async () => {
  const folder = makeFolder();
  await fillBackupFolder(folder, async () => {
    await putRows(folder)();
    await expect(fillBackupFolder(folder, putRows(folder))).rejects.toThrow('is not empty');
  });
  await expect(fillBackupFolder(folder, putRows(folder))).rejects.toThrow('is not empty');
  expect(readdirSync(folder)).toEqual(['rows']);
});
