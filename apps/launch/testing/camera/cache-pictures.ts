// Caches the test camera's pictures between runs, because finding and seating a person is slow and
// deterministic.
import { createHash, randomUUID } from 'node:crypto';
import { mkdir, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const CACHE = join(import.meta.dirname, '../../../../node_modules/.cache/limen-test-camera');
/** Age at which pictures of changed sources are deleted. */
const OLD_MS = 7 * 24 * 60 * 60 * 1000;

const HERE = import.meta.dirname;
/** Everything that affects the pictures: code, models, runtime and the package with the samples. */
const SOURCES = [
  ...['sitters.ts', 'test-camera.ts', '../pictures.ts', '../models.ts'].map((name) => join(HERE, name)),
  join(HERE, '../../../../packages/face-models/manifest.json'),
  fileURLToPath(import.meta.resolve('@vladmandic/face-api/package.json')),
];
const SOURCE_FOLDERS = ['apps/launch/src/face', 'packages/face-geometry/src', 'packages/inference/src'].map((folder) =>
  join(HERE, '../../../..', folder),
);

interface PictureRequest {
  name: string;
  /** Additional source files of the caller. */
  files?: readonly string[];
  folder?: string;
}

/** Returns the cached result for the name and files, or that of `make`: plain JSON. */
export async function cachePictures<T>(
  { name, files = [], folder = CACHE }: PictureRequest,
  make: () => Promise<T>,
): Promise<T> {
  const path = join(folder, `${await hashAll(name, files)}.json`);
  const kept = await readFile(path, 'utf8').catch(() => undefined);
  // Renamed into place, so it is complete or absent.
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
