// A backup of a key-holder's folder while it runs, and back.
import { copyFileSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { copyFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { StartError } from '../../../platform/base/errors.ts';
import { isMissing, sumOf, syncAtOnce } from '../../../platform/files/durable.ts';
import { makeFolder, makeInnerFolder } from '../../../platform/files/folder.ts';
import { giveMadeToOwnerOf } from '../../../platform/files/owner.ts';
import { auditFile, isAuditFile } from '../audit/chain.ts';
import { keyHolderFile } from '../store/file.ts';
import { type MasterKeys, rewrapDataKey } from '../store/vault.ts';
import { checkBackup, DATABASE_NAME, type KeyHolderManifest, writeBackup } from './files.ts';

const BUSY_TIMEOUT_MS = 5_000;

interface KeyChange {
  present: MasterKeys;
  next: Uint8Array;
}

/** Gives the names of the files. With `rewrap`, the copy is for another master key than the folder. */
export function backUpFolder(folder: string, target: string, now: number, rewrap?: KeyChange): Promise<string[]> {
  return writeBackup(target, now, async () => {
    const copied = await copyPastDays(folder, target);
    copyPresent(folder, target, copied);
    if (rewrap) rewrapCopy(join(target, DATABASE_NAME), rewrap);
  });
}

/**
 * Copies the files of past days and returns their names. They are nearly all there is and do not change, so the key-holder need not wait
 * for them.
 */
async function copyPastDays(folder: string, target: string): Promise<ReadonlySet<string>> {
  const copied = new Set<string>();
  const isPresent = (name: string) => join(folder, name) === auditFile(folder);
  for (const name of listAudit(folder).filter((name) => !isPresent(name))) {
    try {
      await copyFile(join(folder, name), join(target, name));
      copied.add(name);
    } catch (error) {
      if (!isMissing(error)) throw error; // a missing one was deleted at the end of its time
    }
  }
  return copied;
}

/** Nobody writes meanwhile, so that the audit ends where the database says. */
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

function rewrapCopy(file: string, keys: KeyChange): void {
  const db = new DatabaseSync(file);
  try {
    db.exec('pragma secure_delete = on');
    const { wrapped } = db.prepare('select wrapped from vault').get() as { wrapped: Uint8Array };
    db.prepare('update vault set wrapped = ?').run(rewrapDataKey(wrapped, keys, 'folder'));
  } finally {
    db.close();
  }
}

/** Where files lie until all of them are there. */
const STAGING = '.restoring';

/** Into a folder in which no key-holder has been. Gives when the backup was taken. */
export async function restoreFolder(source: string, folder: string): Promise<string> {
  const { files, takenAt } = await checkBackup(source);
  makeFolder(folder);
  await refuseOthers(folder, files);
  const staging = join(folder, STAGING);
  rmSync(staging, { recursive: true, force: true });
  try {
    makeInnerFolder(staging);
    for (const { name } of files) {
      copyFileSync(join(source, name), join(staging, name));
      giveMadeToOwnerOf(folder, join(staging, name));
      syncAtOnce(join(staging, name));
    }
    // The database last: without it there is no key-holder, so that what was interrupted can be done again.
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

/**
 * Throws where there is more than an interrupted restore of the same backup has left. The write-ahead log of a database that is gone
 * counts too: SQLite would play it over the one that is restored, and make the other key-holder of it.
 */
async function refuseOthers(folder: string, files: KeyHolderManifest['files']): Promise<void> {
  const others: string[] = [];
  for (const name of readdirSync(folder)) {
    const isOther = isAuditFile(name)
      ? files.find((file) => file.name === name)?.sha256 !== (await sumOf(join(folder, name))).sha256
      : name.startsWith(DATABASE_NAME);
    if (isOther) others.push(name);
  }
  const [first, ...more] = others;
  if (first === undefined) return;
  throw new StartError(
    `There is a key-holder in ${folder} already, or the rest of one (${first}${more.length > 0 ? ` and ${more.length} more` : ''}); a backup is restored into an empty folder. If a start before the restore made it, remove it and try again.`,
  );
}
