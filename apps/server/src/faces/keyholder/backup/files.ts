// The format of a key-holder's backup, restorable into both kinds of state: rows in a SQLite file, audit files, and a manifest.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import Type, { type Static } from 'typebox';
import { StartError } from '../../../platform/base/errors.ts';
import { fillBackupFolder } from '../../../platform/files/backup-folder.ts';
import type { BackupKind } from '../../../platform/files/dated-backups.ts';
import { computeSum, syncAtOnce, writeDurably } from '../../../platform/files/durable.ts';
import { compileCheck } from '../../../platform/json/compile-check.ts';
import { isAuditFile } from '../audit/chain.ts';

const MANIFEST_FILE = 'key-holder-backup.json';
export const DATABASE_NAME = 'keyholder.sqlite';

export const KEYHOLDER_BACKUPS: BackupKind = {
  prefix: 'limen-keyholder-backup-',
  manifest: MANIFEST_FILE,
  // The database of an interrupted backup may have a journal.
  isBackupFile: (name) => name === MANIFEST_FILE || name.startsWith(DATABASE_NAME) || isAuditFile(name),
};

const KeyHolderManifest = Type.Object(
  {
    format: Type.Literal(1),
    takenAt: Type.String(),
    files: Type.Array(
      Type.Object(
        { name: Type.String(), sha256: Type.String({ pattern: '^[0-9a-f]{64}$' }) },
        { additionalProperties: false },
      ),
    ),
  },
  { additionalProperties: false },
);
export type KeyHolderManifest = Static<typeof KeyHolderManifest>;
const isManifest = compileCheck(KeyHolderManifest);

/** Writes the files with `write`, and then the manifest, without which they are no backup. Returns their names. */
export function writeBackup(target: string, now: number, write: () => Promise<void>): Promise<string[]> {
  return fillBackupFolder(target, async () => {
    await write();
    const files: KeyHolderManifest['files'] = [];
    for (const name of readdirSync(target).filter(isBackupFile)) {
      syncAtOnce(join(target, name));
      const { sha256 } = await computeSum(join(target, name));
      files.push({ name, sha256 });
    }
    const manifest = { format: 1, takenAt: new Date(now).toISOString(), files } satisfies KeyHolderManifest;
    await writeDurably(join(target, MANIFEST_FILE), [Buffer.from(`${JSON.stringify(manifest, null, 2)}\n`)]);
    syncAtOnce(target);
    return files.map(({ name }) => name);
  });
}

export async function checkBackup(source: string): Promise<KeyHolderManifest> {
  const manifest = readManifest(source);
  for (const { name, sha256 } of manifest.files) {
    const sum = await computeSum(join(source, name)).catch((error: NodeJS.ErrnoException) => {
      throw new StartError(`The file ${name} of the backup is missing or cannot be read (${error.code}).`);
    });
    if (sum.sha256 !== sha256)
      throw new StartError(`The file ${name} was changed after the backup was taken; take another backup.`);
  }
  return manifest;
}

function readManifest(source: string): KeyHolderManifest {
  let manifest: unknown;
  try {
    manifest = JSON.parse(readFileSync(join(source, MANIFEST_FILE), 'utf8'));
  } catch {
    // Reported below.
  }
  const names = isManifest(manifest) ? manifest.files.map(({ name }) => name) : [];
  if (names.every(isBackupFile) && names.includes(DATABASE_NAME)) return manifest as KeyHolderManifest;
  throw new StartError(`There is no backup of a key-holder in ${source}: ${MANIFEST_FILE} is missing or damaged.`);
}

function isBackupFile(name: string): boolean {
  return name === DATABASE_NAME || isAuditFile(name);
}
