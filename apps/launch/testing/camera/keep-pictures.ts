// Keeps the test camera's pictures between test runs: to find and seat a person takes a while, and is always the same.
import { createHash, randomUUID } from 'node:crypto';
import { mkdir, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const CACHE = join(import.meta.dirname, '../../../../node_modules/.cache/limen-test-camera');
/** Pictures by sources that have changed since. */
const OLD_MS = 7 * 24 * 60 * 60 * 1000;

const HERE = import.meta.dirname;
/** All that has a say in what the pictures are: our code, the models with their runtime, and what brings samples. */
const SOURCES = [
  ...['sitters.ts', 'test-camera.ts', '../pictures.ts', '../models.ts'].map((name) => join(HERE, name)),
  join(HERE, '../../../../packages/face-models/manifest.json'),
  fileURLToPath(import.meta.resolve('@vladmandic/face-api/package.json')),
];
const SOURCE_FOLDERS = ['apps/launch/src/face', 'packages/face-geometry/src', 'packages/inference/src'].map((folder) =>
  join(HERE, '../../../..', folder),
);

interface Wanted {
  /** Which pictures, as a text. */
  name: string;
  /** Files of the caller's that go into them. */
  files?: readonly string[];
  /** For tests. */
  folder?: string;
}

/** What was made for the same name from the same files, or what `make` makes. It must be plain JSON. */
export async function keepPictures<T>(
  { name, files = [], folder = CACHE }: Wanted,
  make: () => Promise<T>,
): Promise<T> {
  const path = join(folder, `${await hashAll(name, files)}.json`);
  const kept = await readFile(path, 'utf8').catch(() => undefined);
  // Whole or not there: it is put in place by its name.
  if (kept !== undefined) return JSON.parse(kept) as T;
  const made = await make();
  await mkdir(folder, { recursive: true });
  const draft = join(folder, `.${randomUUID()}`);
  await writeFile(draft, JSON.stringify(made));
  await rename(draft, path);
  await removeOld(folder);
  return made;
}

async function hashAll(name: string, files: readonly string[]): Promise<string> {
  const hash = createHash('sha256').update(name);
  const inFolders = await Promise.all(
    SOURCE_FOLDERS.map(async (folder) =>
      (await readdir(folder, { recursive: true })).map((entry) => join(folder, entry)),
    ),
  );
  const sources = inFolders.flat().filter((path) => path.endsWith('.ts') && !path.endsWith('.test.ts'));
  for (const path of [...SOURCES, ...sources.sort(), ...files]) {
    const content = await readFile(path);
    hash.update(`\0${content.length}\0`).update(content);
  }
  return hash.digest('hex');
}

async function removeOld(folder: string): Promise<void> {
  for (const name of await readdir(folder)) {
    const path = join(folder, name);
    const found = await stat(path).catch(() => undefined);
    if (found && found.mtimeMs < Date.now() - OLD_MS) await rm(path, { force: true });
  }
}
