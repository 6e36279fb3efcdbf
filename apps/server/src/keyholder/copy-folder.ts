// A backup of a key-holder's folder while it runs, and back. Its master key is not in it.
import { createHash } from 'node:crypto';
import { copyFileSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import Type, { type Static } from 'typebox';
import { syncAtOnce } from '../platform/durable-files.ts';
import { StartError } from '../platform/errors.ts';
import { compileCheck } from '../platform/json/compile-check.ts';
import { isAuditFile } from './audit/audit-chain.ts';
import { keyHolderFile } from './store.ts';

const BUSY_TIMEOUT_MS = 5_000;
const MANIFEST_FILE = 'key-holder-backup.json';
const DATABASE_NAME = 'keyholder.sqlite';

const Manifest = Type.Object(
  {
    format: Type.Literal(1),
    takenAt: Type.String(),
    files: Type.Array(Type.Object({ name: Type.String(), sha256: Type.String() }, { additionalProperties: false })),
  },
  { additionalProperties: false },
);
const isManifest = compileCheck(Manifest);

/** The target must be new or empty; without its manifest, which is written last, it is no backup. Gives the names of the files. */
export function backUpFolder(folder: string, target: string, now: number): string[] {
  mkdirSync(target, { recursive: true, mode: 0o700 });
  if (readdirSync(target).length > 0)
    throw new StartError(`${target} is not empty; a backup needs a folder of its own.`);
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
    for (const name of readdirSync(folder).filter(isAuditFile)) copyFileSync(join(folder, name), join(target, name));
    db.exec('rollback');
  } finally {
    db.close();
  }
  const names = readdirSync(target);
  const files = names.map((name) => ({ name, sha256: digestOf(join(target, name)) }));
  const manifest = { format: 1, takenAt: new Date(now).toISOString(), files } satisfies Static<typeof Manifest>;
  writeFileSync(join(target, MANIFEST_FILE), `${JSON.stringify(manifest, null, 2)}\n`, { mode: 0o600 });
  for (const name of [...names, MANIFEST_FILE]) syncAtOnce(join(target, name));
  syncAtOnce(target);
  return names;
}

/** Into a folder in which no key-holder has been. Gives when the backup was taken. */
export function restoreFolder(source: string, folder: string): string {
  const manifest = readManifest(source);
  const damaged = manifest.files.find(({ name, sha256 }) => digestOf(join(source, name)) !== sha256);
  if (damaged) throw new StartError(`The file ${damaged.name} is not as it was written; take another backup.`);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  if (readdirSync(folder).some((name) => name === DATABASE_NAME || isAuditFile(name)))
    throw new StartError(`There is a key-holder in ${folder} already; a backup is restored into an empty folder.`);
  // The database last: without it there is no key-holder, so that what was interrupted can be done again.
  const isDatabase = ({ name }: { name: string }) => Number(name === DATABASE_NAME);
  for (const { name } of manifest.files.toSorted((one, other) => isDatabase(one) - isDatabase(other))) {
    copyFileSync(join(source, name), join(folder, name));
    syncAtOnce(join(folder, name));
  }
  syncAtOnce(folder);
  return manifest.takenAt;
}

function readManifest(source: string): Static<typeof Manifest> {
  const refused = () =>
    new StartError(`There is no backup of a key-holder in ${source}: ${MANIFEST_FILE} is missing or damaged.`);
  let manifest: unknown;
  try {
    manifest = JSON.parse(readFileSync(join(source, MANIFEST_FILE), 'utf8'));
  } catch {
    throw refused();
  }
  const isName = (name: string) => name === DATABASE_NAME || isAuditFile(name);
  if (!isManifest(manifest) || !manifest.files.every(({ name }) => isName(name))) throw refused();
  return manifest;
}

function digestOf(file: string): string {
  try {
    return createHash('sha256').update(readFileSync(file)).digest('hex');
  } catch {
    return '';
  }
}
