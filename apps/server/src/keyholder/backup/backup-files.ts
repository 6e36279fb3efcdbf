// What a backup of a key-holder is: its rows in a file, the lines of its audit in others, and a manifest, written last. It is the same
// wherever the state was, so that it can be put back into either. The master key is not in it.
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import Type, { type Static } from 'typebox';
import { syncAtOnce } from '../../platform/durable-files.ts';
import { StartError } from '../../platform/errors.ts';
import { compileCheck } from '../../platform/json/compile-check.ts';
import { isAuditFile } from '../audit/audit-chain.ts';

const MANIFEST_FILE = 'key-holder-backup.json';
export const DATABASE_NAME = 'keyholder.sqlite';

const Manifest = Type.Object(
  {
    format: Type.Literal(1),
    takenAt: Type.String(),
    files: Type.Array(Type.Object({ name: Type.String(), sha256: Type.String() }, { additionalProperties: false })),
  },
  { additionalProperties: false },
);
type Manifest = Static<typeof Manifest>;
const isManifest = compileCheck(Manifest);

/** Without its manifest it is no backup. Gives the names of the files. */
export function finishBackup(target: string, now: number): string[] {
  const names = readdirSync(target);
  const files = names.map((name) => ({ name, sha256: digestOf(join(target, name)) }));
  const manifest = { format: 1, takenAt: new Date(now).toISOString(), files } satisfies Manifest;
  writeFileSync(join(target, MANIFEST_FILE), `${JSON.stringify(manifest, null, 2)}\n`, { mode: 0o600 });
  for (const name of [...names, MANIFEST_FILE]) syncAtOnce(join(target, name));
  syncAtOnce(target);
  return names;
}

/** Throws where a file is not as it was written. */
export function checkBackup(source: string): Manifest {
  const manifest = readManifest(source);
  const damaged = manifest.files.find(({ name, sha256 }) => digestOf(join(source, name)) !== sha256);
  if (damaged) throw new StartError(`The file ${damaged.name} is not as it was written; take another backup.`);
  return manifest;
}

function readManifest(source: string): Manifest {
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
