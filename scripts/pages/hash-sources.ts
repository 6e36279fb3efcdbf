// One hash of everything that goes into a page: a page is built again exactly when it changed.
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import { type PageSource, ROOT } from './page-list.ts';

/** Folders that no page is made of. What begins with a dot is left out too. */
const LEFT_OUT = new Set(['dist', 'journeys', 'node_modules', 'testing']);
const TEST = /\.test\.tsx?$/;

/** The lockfile stands for all that npm brings, this folder for the way it is built. */
export function hashSources({ sources, folder }: PageSource, root = ROOT): string {
  const hash = createHash('sha256');
  const files = [...sources.flatMap((source) => listFiles(source)), ...listFiles(import.meta.dirname)];
  const lockfile = join(root, 'package-lock.json');
  if (existsSync(lockfile)) files.push(lockfile);
  for (const file of files.sort()) {
    const content = readFileSync(file);
    const name = relative(folder, file).split(sep).join('/');
    hash.update(`${name}\0${content.length}\0`).update(content);
  }
  return hash.digest('hex');
}

function listFiles(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    if (entry.name.startsWith('.')) return [];
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return LEFT_OUT.has(entry.name) ? [] : listFiles(path);
    return entry.isFile() && !TEST.test(entry.name) ? [path] : [];
  });
}
