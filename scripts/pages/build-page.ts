// Builds a page with Vite in a temporary folder, compresses and records it, and then moves it into
// place.
import { randomUUID } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  ASSETS,
  BUILD_RECORD,
  type BuildRecord,
  type BuiltFile,
  PAGE,
  readBuildRecord,
} from '../../apps/server/src/platform/http/pages/files.ts';
import { compressFile, type Effort } from './compress-files.ts';
import { hashSources, stampSources } from './hash-sources.ts';
import { distOf, type PageSource } from './page-list.ts';

/** Plain names only, because they become part of a URL. */
const FILE_NAME = /^[\w-][\w.-]*$/;

const WORKPLACE = '.build-';
/** Maximum duration of a build. Older folders belong to interrupted builds. */
const LEFTOVER_MS = 60 * 60 * 1000;

/** A thorough build satisfies a quick request. */
export function isBuilt(page: PageSource, effort: Effort = 'quick'): boolean {
  const record = readBuildRecord(distOf(page));
  if (!record || (effort !== 'quick' && record.effort !== effort)) return false;
  return record.stamp === stampSources(page) || record.sources === hashSources(page);
}

interface BuildOptions {
  quiet?: boolean;
  /** Compression level of large files. */
  effort?: Effort;
}

/** Must run in a process with `NODE_ENV=production`, by which libraries select their code. */
export async function buildPage(
  page: PageSource,
  { quiet = true, effort = 'quick' }: BuildOptions = {},
): Promise<BuildRecord> {
  const sources = hashSources(page);
  const stamp = stampSources(page);
  removeLeftovers(page.folder);
  // Next to its destination, so that it can be moved, and also named `dist`, which all tools
  // ignore.
  const workplace = join(page.folder, `${WORKPLACE}${randomUUID()}`);
  const made = join(workplace, 'dist');
  mkdirSync(workplace);
  try {
    const { build } = await import('vite');
    await build({
      configFile: join(page.folder, 'vite.config.ts'),
      configLoader: 'native', // other loaders write files next to it
      envDir: false,
      ...(quiet && { logLevel: 'error' as const }),
      build: { outDir: made, emptyOutDir: true },
    });
    const record = await recordFiles(made, { sources, stamp }, effort);
    writeFileSync(join(made, BUILD_RECORD), JSON.stringify(record, null, 1));
    putInPlace(made, distOf(page), workplace, sources);
    return record;
  } finally {
    rmSync(workplace, { recursive: true, force: true });
  }
}

function removeLeftovers(folder: string): void {
  for (const name of readdirSync(folder).filter((entry) => entry.startsWith(WORKPLACE))) {
    const path = join(folder, name);
    const modified = statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? Number.POSITIVE_INFINITY;
    if (modified < Date.now() - LEFTOVER_MS) rmSync(path, { recursive: true, force: true });
  }
}

async function recordFiles(
  folder: string,
  known: Pick<BuildRecord, 'sources' | 'stamp'>,
  effort: Effort,
): Promise<BuildRecord> {
  const stray = readdirSync(folder).find((name) => name !== PAGE && name !== ASSETS);
  if (stray !== undefined) throw new Error(`The build made ${stray}, which would not be served.`);
  const names = existsSync(join(folder, ASSETS)) ? readdirSync(join(folder, ASSETS)) : [];
  const odd = names.find((name) => !FILE_NAME.test(name));
  if (odd !== undefined) throw new Error(`The build made ${odd}, which is no name for an address.`);
  const assets = await Promise.all(
    names.map(
      async (name): Promise<[string, BuiltFile]> => [name, await compressFile(join(folder, ASSETS, name), effort)],
    ),
  );
  return { ...known, effort, page: await compressFile(join(folder, PAGE), effort), assets: Object.fromEntries(assets) };
}

/** A concurrent build may do the same. One complete build remains. */
function putInPlace(made: string, dist: string, workplace: string, sources: string): void {
  for (let attempt = 0; ; attempt += 1) {
    try {
      const aside = mkdtempSync(join(workplace, 'replaced-'));
      renameSync(dist, join(aside, 'dist'));
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    }
    try {
      renameSync(made, dist);
      return;
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if ((code !== 'ENOTEMPTY' && code !== 'EEXIST' && code !== 'EPERM') || attempt === 20) throw error;
      if (readBuildRecord(dist)?.sources === sources) return; // the other build has the same result
    }
  }
}
