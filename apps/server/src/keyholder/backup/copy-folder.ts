// A backup of a key-holder's folder while it runs, and back.
import { copyFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { makeBackupFolder } from '../../platform/backup-folder.ts';
import { syncAtOnce } from '../../platform/durable-files.ts';
import { StartError } from '../../platform/errors.ts';
import { makeFolder } from '../../platform/make-folder.ts';
import { giveMadeToOwnerOf } from '../../platform/same-owner.ts';
import { isAuditFile } from '../audit/audit-chain.ts';
import { keyHolderFile } from '../store/file-store.ts';
import { rewrapDataKey } from '../store/vault.ts';
import { checkBackup, DATABASE_NAME, finishBackup } from './backup-files.ts';

const BUSY_TIMEOUT_MS = 5_000;

/** Gives the names of the files. With `rewrap`, the copy is for another master key than the folder. */
export function backUpFolder(
  folder: string,
  target: string,
  now: number,
  rewrap?: { present: Uint8Array; next: Uint8Array },
): string[] {
  makeBackupFolder(target);
  const db = new DatabaseSync(keyHolderFile(folder), { timeout: BUSY_TIMEOUT_MS });
  try {
    // Nobody writes meanwhile, so that the audit ends where the database says.
    db.exec('begin immediate');
    const reader = new DatabaseSync(keyHolderFile(folder), { readOnly: true });
    try {
      reader.prepare('vacuum into ?').run(join(target, DATABASE_NAME));
    } finally {
      reader.close();
    }
    if (rewrap) rewrapCopy(join(target, DATABASE_NAME), rewrap);
    for (const name of readdirSync(folder).filter(isAuditFile)) copyFileSync(join(folder, name), join(target, name));
    db.exec('rollback');
  } finally {
    db.close();
  }
  return finishBackup(target, now);
}

function rewrapCopy(file: string, keys: { present: Uint8Array; next: Uint8Array }): void {
  const db = new DatabaseSync(file);
  try {
    db.exec('pragma secure_delete = on');
    const { wrapped } = db.prepare('select wrapped from vault').get() as { wrapped: Uint8Array };
    db.prepare('update vault set wrapped = ?').run(rewrapDataKey(wrapped, keys, 'folder'));
  } finally {
    db.close();
  }
}

/** Into a folder in which no key-holder has been. Gives when the backup was taken. */
export function restoreFolder(source: string, folder: string): string {
  const manifest = checkBackup(source);
  makeFolder(folder);
  if (readdirSync(folder).some((name) => name === DATABASE_NAME || isAuditFile(name)))
    throw new StartError(
      `There is a key-holder in ${folder} already; a backup is restored into an empty folder. If a start before the restore made it, remove it and try again.`,
    );
  // The database last: without it there is no key-holder, so that what was interrupted can be done again.
  const isDatabase = ({ name }: { name: string }) => Number(name === DATABASE_NAME);
  for (const { name } of manifest.files.toSorted((one, other) => isDatabase(one) - isDatabase(other))) {
    copyFileSync(join(source, name), join(folder, name));
    giveMadeToOwnerOf(folder, join(folder, name));
    syncAtOnce(join(folder, name));
  }
  syncAtOnce(folder);
  return manifest.takenAt;
}
