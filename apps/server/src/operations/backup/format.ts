// The format of a backup: a folder with a file per table, and a manifest that is written last.
//
// Rows are stored as queries return them, which is the same on both engines, so that each can restore backups of the
// other. Sealed values stay sealed, under the same keys.
import Type, { type Static } from 'typebox';
import type { Schema } from '../../platform/database/schema.ts';
import type { SnapshotRow } from '../../platform/database/snapshot.ts';
import type { BackupKind } from '../../platform/files/dated-backups.ts';
import { compileCheck } from '../../platform/json/compile-check.ts';
import type { Sealer } from '../../platform/sealing/sealer.ts';
import { TABLE_NAMES } from '../../tables.ts';

/** Sign-ins and invitations would be valid again, and the other tables belong to an installation. */
const LEFT_OUT: ReadonlySet<keyof Schema> = new Set([
  'operator_sessions',
  'operator_invites',
  'shared_lists',
  'shared_list_parts',
  'processes',
  'clock',
]);

/** Tables of a backup. Each one follows those that it refers to. */
export const BACKUP_TABLES = TABLE_NAMES.filter((table) => !LEFT_OUT.has(table));

export class BackupError extends Error {
  override readonly name = 'BackupError';
}

export const MANIFEST_FILE = 'backup.json';

export const BACKUPS: BackupKind = {
  prefix: 'limen-backup-',
  manifest: MANIFEST_FILE,
  isBackupFile: (name) => name === MANIFEST_FILE || /^[a-z_]+\.jsonl\.gz$/.test(name),
};

export function tableFile(table: string): string {
  return `${table}.jsonl.gz`;
}

const Sha256 = Type.String({ pattern: '^[0-9a-f]{64}$' });
const Count = Type.Integer({ minimum: 0 });

const BackupManifest = Type.Object(
  {
    format: Type.Literal(1),
    limen: Type.String(),
    engine: Type.Union([Type.Literal('sqlite'), Type.Literal('postgres')]),
    takenAt: Type.String(),
    migratedTo: Type.String(),
    tables: Type.Array(
      Type.Object({ table: Type.String(), rows: Count, bytes: Count, sha256: Sha256 }, { additionalProperties: false }),
    ),
    /** MAC of the other fields, with a key of the database */
    mac: Sha256,
  },
  { additionalProperties: false },
);
export type BackupManifest = Static<typeof BackupManifest>;

const isManifest = compileCheck(BackupManifest);

export function writeManifest(contents: Omit<BackupManifest, 'mac'>, sealer: Sealer): string {
  return `${JSON.stringify({ ...contents, mac: computeMac(contents, sealer) }, null, 2)}\n`;
}

/** Returns undefined if the text is not a manifest. */
export function readManifest(text: string): BackupManifest | undefined {
  try {
    const manifest: unknown = JSON.parse(text);
    return isManifest(manifest) ? manifest : undefined;
  } catch {
    return undefined;
  }
}

export function isGenuine({ mac, ...contents }: BackupManifest, sealer: Sealer): boolean {
  return mac === computeMac(contents, sealer);
}

function computeMac(contents: Omit<BackupManifest, 'mac'>, sealer: Sealer): string {
  return sealer.digest('backup', JSON.stringify(contents)).toString('hex');
}

/** Writes the values in the order of the columns, bytes as `{"b":"…"}` in base64. */
export function writeRow(row: SnapshotRow, columns: readonly string[]): string {
  const values = columns.map((column) => {
    const value = row[column];
    return value instanceof Uint8Array ? { b: Buffer.from(value).toString('base64') } : value;
  });
  return JSON.stringify(values);
}

export function readRow(line: string, columns: readonly string[]): SnapshotRow {
  const values = JSON.parse(line) as unknown[];
  const readValue = (value: unknown) =>
    typeof value === 'object' && value !== null ? Buffer.from((value as { b: string }).b, 'base64') : value;
  return Object.fromEntries(columns.map((column, at) => [column, readValue(values[at])]));
}
