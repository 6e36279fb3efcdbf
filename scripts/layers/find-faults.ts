// Checks the repository's imports against the rooms and finds circles.
import { dirname } from 'node:path';
import { findCircles } from './find-circles.ts';
import type { Import } from './read-imports.ts';
import { ROOMS, type Room, TESTS_OF_PACKAGES } from './rooms.ts';

/** Folders in which every subfolder needs a room. Files next to them connect the rooms. */
const HOUSED = /^(apps\/[^/]+\/src\/[^/]+(?:\/[^/]+)?(?=\/)|packages\/[^/]+\/src(?=\/))/;
/** Programs for Limen's developers, which may use each other. */
const WORKSHOPS = ['lab', 'scripts', 'tools'];
const TEST = /\.test\.tsx?$|(^|\/)testing\//;

/** Returns a sentence for each forbidden import. */
export function findStrayImports(imports: readonly Import[]): string[] {
  return imports.flatMap((fileImport) => {
    if (isToolInProduct(fileImport))
      return [`${fileImport.from}:${fileImport.line} → ${fileImport.to}\n  Products do not import development tools.`];
    if (fileImport.to === CONFIG && !TEST.test(fileImport.from) && !READS_CONFIG.test(fileImport.from))
      return [
        `${fileImport.from}:${fileImport.line} → ${fileImport.to}\n  Only settings.ts and commands know the settings: pass what you need.`,
      ];
    const room = TEST.test(fileImport.from) ? testRoomOf(fileImport.from) : roomOf(fileImport.from);
    return !room || isAllowed(room, fileImport)
      ? []
      : [`${fileImport.from}:${fileImport.line} → ${fileImport.to}\n  ${room.because}`];
  });
}

/** Returns a sentence for each folder without a room, because it could import anything. */
export function findRoomless(files: readonly string[]): string[] {
  const folders = files.filter((file) => !TEST.test(file) && !roomOf(file)).map((file) => HOUSED.exec(file)?.[0]);
  return [...new Set(folders.filter((folder) => folder !== undefined))].map(
    (folder) => `${folder} has no entry in scripts/layers/rooms.ts: say there what it may lead to.`,
  );
}

/** Returns a sentence for each circle of files. Types and thread URLs count as imports. */
export function findJoinedFiles(imports: readonly Import[]): string[] {
  return findCircles(edgesOf(imports)).map(
    (circle) => `these files import each other in a circle:\n  ${circle.join('\n  ')}`,
  );
}

/**
 * Finds sibling folders, including their subfolders, in which different files import each other's,
 * so that they depend on each other as a whole. Only at run time, because parts of one folder may
 * use each other's types. A file above folders connects them and counts for none. Tests may import
 * anything.
 */
export function findJoinedFolders(imports: readonly Import[]): string[] {
  const between = imports.flatMap((fileImport) => {
    const pair =
      fileImport.isTypeOnly ||
      TEST.test(fileImport.from) ||
      fileImport.from === DEMO_LOADER ||
      !isOfRepository(fileImport.to)
        ? undefined
        : partWays(fileImport);
    return pair ? [{ ...pair, because: `${fileImport.from}:${fileImport.line} → ${fileImport.to}` }] : [];
  });
  const circles = findCircles(edgesOf(between)).filter(
    (circle) => !circle.every((folder) => WORKSHOPS.includes(folder)),
  );
  return circles.map((circle) => {
    const ways = between.filter(({ from, to }) => circle.includes(from) && circle.includes(to));
    const list = ways.map(({ because }) => `\n  ${because}`).join('');
    return `these folders lead to each other in a circle: ${circle.join(', ')}${list}`;
  });
}

/** Returns the two folders in which the paths diverge. Undefined if one file is above the other. */
function partWays({ from, to }: Pick<Import, 'from' | 'to'>): Pick<Import, 'from' | 'to'> | undefined {
  const [fromPath, toPath] = [dirname(from).split('/'), dirname(to).split('/')];
  const shared = fromPath.findIndex((name, i) => name !== toPath[i]);
  if (shared === -1 || shared >= toPath.length) return undefined;
  return { from: fromPath.slice(0, shared + 1).join('/'), to: toPath.slice(0, shared + 1).join('/') };
}

const CONFIG = 'apps/server/src/config.ts';
/** Product files that may. Other folders may too. */
const READS_CONFIG =
  /^apps\/server\/src\/([^/]+\.ts$|(command-line|operations)\/|[^/]+\/settings\.ts$|.*\/cli\/|.*cli\.ts$)|^(?!apps\/|packages\/)/;

/** Loads the demo in development if it exists. */
const DEMO_LOADER = 'apps/server/src/main.ts';

function isToolInProduct({ from, to }: Import): boolean {
  const isDemo = from === DEMO_LOADER && to.startsWith('tools/demo/');
  return /^(apps|packages)\//.test(from) && !TEST.test(from) && /^(tools|lab)\//.test(to) && !isDemo;
}

function roomOf(file: string): Room | undefined {
  return ROOMS.find(({ folder }) => ownFolder(folder, file) !== undefined);
}

function testRoomOf(file: string): Room | undefined {
  return file.startsWith(`${TESTS_OF_PACKAGES.folder}/`) ? TESTS_OF_PACKAGES : undefined;
}

function isAllowed(room: Room, { from, to }: Import): boolean {
  const own = ownFolder(room.folder, from);
  if (!isOfRepository(to)) return isLibraryAllowed(room, to);
  // Styles, texts and manifests contain no code.
  const isCode = !/\.(css|json|svg)$/.test(to);
  return !isCode || [own, ...room.may].some((place) => place !== undefined && isWithin(to, place));
}

function isLibraryAllowed({ libraries }: Room, name: string): boolean {
  // A style sheet or a file of the package itself is not a library.
  return libraries === undefined || libraries.includes(name) || name.startsWith('.');
}

/** Returns the room's folder above this file, such as `packages/gallery`. */
function ownFolder(pattern: string, file: string): string | undefined {
  const form = pattern
    .replace(/\{([^}]*)\}/, (_, names: string) => `(?:${names.replaceAll(',', '|')})`)
    .replaceAll('*', '[^/]+');
  return new RegExp(`^${form}(?=/|$)`).exec(file)?.[0];
}

function isOfRepository(path: string): boolean {
  return /^(apps|packages|testing|scripts|lab|tests|tools)(\/|$)/.test(path);
}

function isWithin(path: string, place: string): boolean {
  return path === place || path.startsWith(`${place}/`);
}

function edgesOf(imports: readonly Pick<Import, 'from' | 'to'>[]): Map<string, string[]> {
  const edges = new Map<string, string[]>();
  for (const { from, to } of imports) edges.set(from, [...(edges.get(from) ?? []), to]);
  return edges;
}
