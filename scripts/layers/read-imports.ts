// Reads a file's dependencies in the repository: imports, exports, type imports, and worker URLs.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize, relative, sep } from 'node:path';

export interface Import {
  from: string;
  /** A file of the repository, or the name of a library. */
  to: string;
  isTypeOnly: boolean;
  line: number;
}

const FROM = /^(?:import|export)\s+(type\s)?[^'"`;]*?from\s+['"]([^'"]+)['"]|^import\s+()['"]([^'"]+)['"]/gm;
const CALLED =
  /(?:\bimport(?:\.meta\.resolve)?|\bvi\.mock)\(\s*()['"`]([^'"`]+)['"`]|new URL\(\s*()['"`](\.[^'"`]+)['"`],\s*import\.meta\.url,?\s*\)/g;
/** A URL in a constant counts, wherever it is used. */
const KEPT = /()['"`](\.\.?\/[^'"`\s]+\.[cm]?tsx?)['"`]/g;
const INLINE_TYPE = /\bimport\(['"]([^'"]+)['"]\)\./g;
const SOURCE = /\.[cm]?tsx?$/;

/** Returns all sources below a folder, as paths from the root. */
export function listSources(root: string, folders: readonly string[]): string[] {
  return folders.flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
      .map((name) => join(folder, name).split(sep).join('/'))
      .filter((path) => SOURCE.test(path) && !/(^|\/)(node_modules|dist)\//.test(path)),
  );
}

/** Returns the dependencies of a file with this text. */
export function findImports(root: string, from: string, source: string): Import[] {
  const found: Import[] = [];
  const inline = new Set([...source.matchAll(INLINE_TYPE)].map(({ index }) => index));
  const read: { start: number; end: number }[] = [];
  for (const [pattern, isStatement] of [
    [FROM, true],
    [CALLED, false],
    [KEPT, false],
  ] as const) {
    for (const match of source.matchAll(pattern)) {
      if (read.some(({ start, end }) => start <= match.index && match.index < end)) continue;
      read.push({ start: match.index, end: match.index + match[0].length });
      const specifier = match[2] ?? match[4] ?? '';
      const isTypeOnly = isStatement ? match[1] !== undefined || namesOnlyTypes(match[0]) : inline.has(match.index);
      const line = source.slice(0, match.index).split('\n').length;
      found.push({ from, to: resolveSpecifier(root, from, specifier), isTypeOnly, line });
    }
  }
  return found;
}

/** `import { type A, type B } from` does not load anything either. */
function namesOnlyTypes(statement: string): boolean {
  const names = /\{([^}]*)\}/
    .exec(statement)?.[1]
    ?.split(',')
    .map((name) => name.trim());
  const isWhole = /^(import|export)\s*\{/.test(statement);
  return isWhole && (names ?? ['']).filter(Boolean).every((name) => name.startsWith('type '));
}

function resolveSpecifier(root: string, from: string, specifier: string): string {
  if (specifier.startsWith('.')) {
    const path = normalize(join(dirname(from), specifier.replace(/\?.*$/, '')))
      .split(sep)
      .join('/');
    return path.startsWith('..') ? specifier : path;
  }
  if (specifier.startsWith('#')) return resolveAlias(root, from, specifier);
  const [, name, rest] = /^@limen\/([^/]+)\/?(.*)$/.exec(specifier) ?? [];
  return name === undefined ? specifier : resolveWorkspace(root, name, rest ?? '');
}

function resolveWorkspace(root: string, name: string, entry: string): string {
  const folder = ['packages', 'apps'].map((parent) => `${parent}/${name}`).find((path) => existsSync(join(root, path)));
  if (folder === undefined) return `@limen/${name}`;
  const { exports } = JSON.parse(readFileSync(join(root, folder, 'package.json'), 'utf8'));
  const file = exports?.[entry === '' ? '.' : `./${entry}`];
  return typeof file === 'string' ? normalize(join(folder, file)) : folder;
}

/** `#testing/…` of the file's package. */
function resolveAlias(root: string, from: string, specifier: string): string {
  const folder = from.split('/').slice(0, 2).join('/');
  const manifest = join(root, folder, 'package.json');
  if (!existsSync(manifest)) return specifier;
  const { imports = {} } = JSON.parse(readFileSync(manifest, 'utf8'));
  for (const [alias, target] of Object.entries<string>(imports)) {
    const [head = ''] = alias.split('*');
    if (specifier.startsWith(head)) {
      return relative('.', join(folder, target.replace('*', specifier.slice(head.length))))
        .split(sep)
        .join('/');
    }
  }
  return specifier;
}
