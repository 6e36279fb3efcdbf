// Hashes all sources of a page. A page is rebuilt if and only if the hash changed.
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import { type PageSource, ROOT } from './page-list.ts';

/** Folders that no page uses. Dot files are also ignored. */
const LEFT_OUT = new Set(['dist', 'journeys', 'node_modules', 'testing']);
const TEST = /\.test\.tsx?$/;

export function hashSources(page: PageSource, root = ROOT): string {
  const hash = createHash('sha256');
  for (const file of listSources(page, root)) {
    const content = readFileSync(file);
    const name = relative(page.folder, file).split(sep).join('/');
    hash.update(`${name}\0${content.length}\0`).update(content);
  }
  return hash.digest('hex');
}

/** A stamp without reading the files: an equal stamp means an equal hash. */
export function stampSources(page: PageSource, root = ROOT): string {
  const hash = createHash('sha256');
  for (const file of listSources(page, root)) {
    const { size, mtimeMs } = statSync(file);
    hash.update(`${relative(page.folder, file)}\0${size}\0${mtimeMs}\0`);
  }
  return hash.digest('hex');
}

/** The lockfile represents all npm packages, and this folder the build itself. */
function listSources({ sources }: PageSource, root: string): string[] {
  const files = [...sources.flatMap((source) => listFiles(source)), ...listFiles(import.meta.dirname)];
  const lockfile = join(root, 'package-lock.json');
  if (existsSync(lockfile)) files.push(lockfile);
  return files.sort();
}

function listFiles(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    if (entry.name.startsWith('.')) return [];
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return LEFT_OUT.has(entry.name) ? [] : listFiles(path);
    return entry.isFile() && !TEST.test(entry.name) ? [path] : [];
  });
}
