// Backs up a key-holder's folder while the key-holder runs, and restores it.
import { copyFileSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { copyFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { StartError } from '../../../platform/base/errors.ts';
import { computeSum, isMissing, syncAtOnce } from '../../../platform/files/durable.ts';
import { makeFolder, makeInnerFolder } from '../../../platform/files/folder.ts';
import { matchOwnerOfMade } from '../../../platform/files/owner.ts';
import { auditFile, isAuditFile } from '../audit/chain.ts';
import { keyHolderFile } from '../store/file.ts';
import { type MasterKeys, rewrapDataKey } from '../store/vault.ts';
import { checkBackup, DATABASE_NAME, type KeyHolderManifest, writeBackup } from './files.ts';

const BUSY_TIMEOUT_MS = 5_000;

/** Returns the names of the files. With `rewrap`, the copy is sealed under another master key than the folder. */
export function backUpFolder(
  folder: string,
  target: string,
  now: number,
  rewrap?: { present: MasterKeys; next: Uint8Array },
): Promise<string[]> {
  return writeBackup(target, now, async () => {
    const copied = await copyPastDays(folder, target);
    copyPresent(folder, target, copied);
    if (rewrap) rewrapCopy(join(target, DATABASE_NAME), rewrap.present, rewrap.next);
  });
}

/** Copies the files of past days, which do not change, before the key-holder has to wait. Returns their names. */
async function copyPastDays(folder: string, target: string): Promise<ReadonlySet<string>> {
  const copied = new Set<string>();
  for (const name of listAudit(folder).filter((name) => name !== auditFile(''))) {
    try {
      await copyFile(join(folder, name), join(target, name));
      copied.add(name);
    } catch (error) {
      if (!isMissing(error)) throw error; // a missing one was deleted at the end of its time
    }
  }
  return copied;
}

/** Holds the write lock, so that the audit ends where the database says. */
function copyPresent(folder: string, target: string, copied: ReadonlySet<string>): void {
  const db = new DatabaseSync(keyHolderFile(folder), { timeout: BUSY_TIMEOUT_MS });
  try {
    db.exec('begin immediate');
    const reader = new DatabaseSync(keyHolderFile(folder), { readOnly: true });
    try {
      reader.prepare('vacuum into ?').run(join(target, DATABASE_NAME));
    } finally {
      reader.close();
    }
    const names = listAudit(folder);
    for (const name of [...copied].filter((name) => !names.includes(name))) rmSync(join(target, name));
    for (const name of names.filter((name) => !copied.has(name))) copyFileSync(join(folder, name), join(target, name));
    db.exec('rollback');
  } finally {
    db.close();
  }
}

function listAudit(folder: string): string[] {
  return readdirSync(folder).filter(isAuditFile);
}

function rewrapCopy(file: string, present: MasterKeys, next: Uint8Array): void {
  const db = new DatabaseSync(file);
  try {
    db.exec('pragma secure_delete = on');
    const { wrapped } = db.prepare('select wrapped from vault').get() as { wrapped: Uint8Array };
    db.prepare('update vault set wrapped = ?').run(rewrapDataKey(wrapped, present, next, 'folder'));
  } finally {
    db.close();
  }
}

const STAGING = '.restoring';

export async function restoreFolder(source: string, folder: string): Promise<string> {
  const { files, takenAt } = await checkBackup(source);
  makeFolder(folder);
  await throwIfOccupied(folder, files);
  const staging = join(folder, STAGING);
  rmSync(staging, { recursive: true, force: true });
  try {
    makeInnerFolder(staging);
    for (const { name } of files) {
      copyFileSync(join(source, name), join(staging, name));
      matchOwnerOfMade(folder, join(staging, name));
      syncAtOnce(join(staging, name));
    }
    // The database comes last: without it there is no key-holder, so that an interrupted restore can be repeated.
    const names = files.map(({ name }) => name).filter((name) => name !== DATABASE_NAME);
    for (const name of names) renameSync(join(staging, name), join(folder, name));
    syncAtOnce(folder);
    renameSync(join(staging, DATABASE_NAME), join(folder, DATABASE_NAME));
  } finally {
    rmSync(staging, { recursive: true, force: true });
  }
  syncAtOnce(folder);
  return takenAt;
}

/** Throws StartError on a foreign file. Also on a stale write-ahead log, which SQLite would replay over the restored database. */
async function throwIfOccupied(folder: string, files: KeyHolderManifest['files']): Promise<void> {
  const foreign: string[] = [];
  for (const name of readdirSync(folder)) {
    const isOther = isAuditFile(name)
      ? files.find((file) => file.name === name)?.sha256 !== (await computeSum(join(folder, name))).sha256
      : name.startsWith(DATABASE_NAME);
    if (isOther) foreign.push(name);
  }
  const [first, ...more] = foreign;
  if (first === undefined) return;
  throw new StartError(
    `There is a key-holder in ${folder} already, or the rest of one (${first}${more.length > 0 ? ` and ${more.length} more` : ''}); a backup is restored into an empty folder. If a start before the restore made it, remove it and try again.`,
  );
}
