// The pages to build, and their source folders in the workspace.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';

export const ROOT = join(import.meta.dirname, '../..');

export interface PageSource {
  name: string;
  /** Contains `vite.config.ts` and `index.html`. The page is built into its `dist`. */
  folder: string;
  /** All source folders of the page, its own first. */
  sources: readonly string[];
}

export function distOf({ folder }: Pick<PageSource, 'folder'>): string {
  return join(folder, 'dist');
}

/** Existing pages. */
export function listPages(root = ROOT): PageSource[] {
  const folders = findWorkspaces(root);
  return ['apps/launch', 'tools/demo', 'apps/console']
    .map((path) => ({ name: basename(path), folder: join(root, path) }))
    .filter(({ folder }) => existsSync(join(folder, 'vite.config.ts')))
    .map((page) => ({ ...page, sources: withDependencies(page.folder, folders) }));
}

function findWorkspaces(root: string): Map<string, string> {
  const folders = ['apps', 'packages', 'tools']
    .map((parent) => join(root, parent))
    .filter((parent) => existsSync(parent))
    .flatMap((parent) => readdirSync(parent).map((name) => join(parent, name)));
  return new Map(folders.filter(hasManifest).map((folder) => [String(readManifest(folder).name), folder]));
}

function withDependencies(folder: string, workspaces: ReadonlyMap<string, string>): string[] {
  const found = new Set([folder]);
  for (const place of found) {
    if (!hasManifest(place)) continue;
    for (const name of Object.keys(readManifest(place).dependencies ?? {})) {
      const dependency = workspaces.get(name);
      if (dependency) found.add(dependency); // and is visited in turn
    }
  }
  return [...found];
}

const hasManifest = (folder: string) => existsSync(join(folder, 'package.json'));

function readManifest(folder: string): { name?: string; dependencies?: Record<string, string> } {
  return JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
}
