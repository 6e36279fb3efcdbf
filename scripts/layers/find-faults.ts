// Holds the imports of the repository against the rooms, and looks for circles.
import { dirname } from 'node:path';
import { findCircles } from './find-circles.ts';
import type { Import } from './read-imports.ts';
import { ROOMS, type Room, TESTS_OF_PACKAGES } from './rooms.ts';

/** Where every folder needs a room. Files beside them join the rooms together. */
const HOUSED = /^(apps\/[^/]+\/src\/[^/]+(?:\/[^/]+)?(?=\/)|packages\/[^/]+\/src(?=\/))/;
/** Programs for the people who build Limen; they may use each other. */
const WORKSHOPS = ['lab', 'scripts', 'tools'];
const TEST = /\.test\.tsx?$|(^|\/)testing\//;

/** A sentence for each import that is not allowed. */
export function findStrayImports(imports: readonly Import[]): string[] {
  return imports.flatMap((one) => {
    if (isToolInProduct(one))
      return [`${one.from}:${one.line} → ${one.to}\n  Products do not import development tools.`];
    if (one.to === CONFIG && !TEST.test(one.from) && !READS_CONFIG.test(one.from))
      return [
        `${one.from}:${one.line} → ${one.to}\n  Only settings.ts and commands know the settings: pass what you need.`,
      ];
    const room = TEST.test(one.from) ? testRoomOf(one.from) : roomOf(one.from);
    return !room || isAllowed(room, one) ? [] : [`${one.from}:${one.line} → ${one.to}\n  ${room.because}`];
  });
}

/** A sentence for each folder that has no room: whatever stands there could lead anywhere. */
export function findRoomless(files: readonly string[]): string[] {
  const folders = files.filter((file) => !TEST.test(file) && !roomOf(file)).map((file) => HOUSED.exec(file)?.[0]);
  return [...new Set(folders.filter((folder) => folder !== undefined))].map(
    (folder) => `${folder} has no entry in scripts/layers/rooms.ts: say there what it may lead to.`,
  );
}

/** A sentence for each circle of files, types included. Starting a thread by its address counts as an import. */
export function findJoinedFiles(imports: readonly Import[]): string[] {
  return findCircles(edgesOf(imports)).map(
    (circle) => `these files import each other in a circle:\n  ${circle.join('\n  ')}`,
  );
}

/**
 * Folders side by side, each with all that is below it, in which different files lead both ways: whoever moves into one
 * moves into both. At run time only, as the parts of one folder may name each other's types; a file that stands above
 * folders joins them, so it counts for none of them. Tests may reach what they like.
 */
export function findJoinedFolders(imports: readonly Import[]): string[] {
  const between = imports.flatMap((one) => {
    const pair =
      one.isTypeOnly || TEST.test(one.from) || one.from === DEMO_LOADER || !isOfRepository(one.to)
        ? undefined
        : partWays(one);
    return pair ? [{ ...pair, because: `${one.from}:${one.line} → ${one.to}` }] : [];
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

/** The two folders at which the ways to both files part; undefined where one file stands above the other. */
function partWays({ from, to }: Pick<Import, 'from' | 'to'>): Pick<Import, 'from' | 'to'> | undefined {
  const [one, other] = [dirname(from).split('/'), dirname(to).split('/')];
  const shared = one.findIndex((name, i) => name !== other[i]);
  if (shared === -1 || shared >= other.length) return undefined;
  return { from: one.slice(0, shared + 1).join('/'), to: other.slice(0, shared + 1).join('/') };
}

const CONFIG = 'apps/server/src/config.ts';
/** Files of products that may; other folders may as well. */
const READS_CONFIG =
  /^apps\/server\/src\/([^/]+\.ts$|(command-line|operations)\/|[^/]+\/settings\.ts$|.*\/cli\/|.*cli\.ts$)|^(?!apps\/|packages\/)/;

/** Loads the demo in development, if it is there. */
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
  // Styles, texts and manifests hold no code.
  const isCode = !/\.(css|json|svg)$/.test(to);
  return !isCode || [own, ...room.may].some((place) => place !== undefined && isWithin(to, place));
}

function isLibraryAllowed({ libraries }: Room, name: string): boolean {
  // A style sheet or a file of the package itself is no library.
  return libraries === undefined || libraries.includes(name) || name.startsWith('.');
}

/** Returns the room's folder above this file: `packages/gallery` for a pattern that stands for any package. */
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
