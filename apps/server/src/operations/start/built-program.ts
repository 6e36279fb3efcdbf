// Chooses between the built program and the sources. `npm run build` bundles a thousand files into a few, which Node loads
// in a quarter of the time. The build is used unless a source has changed since or one of its files is incomplete.
import {
  closeSync,
  fsyncSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

const ROOT = join(import.meta.dirname, '../../../../..');
/** Folder of all builds, relative to the root of the project */
export const SERVICE_FOLDER = 'apps/server/dist';
/** File that names the current build */
export const BUILD_RECORD = 'build.json';

export const PROGRAMS = {
  main: 'apps/server/src/main.ts',
  cli: 'apps/server/src/limen.ts',
  keyholder: 'apps/server/src/faces/keyholder/main.ts',
  'require-settings': 'apps/server/src/operations/start/require-settings.ts',
} as const;

interface ServiceRecord {
  /** Name below the folder of all builds */
  folder: string;
  sources: Record<string, string>;
  files: Record<string, number>;
}

/** Returns the folder of a complete build of the present sources, if there is one. */
export function findBuild(root = ROOT): string | undefined {
  try {
    const { folder, sources, files } = readRecord(root);
    const made = join(root, SERVICE_FOLDER, folder);
    // `join` would double the time for these thousand files.
    const isCurrent = Object.entries(sources).every(([path, stamp]) => readStamp(`${root}/${path}`) === stamp);
    const isWhole = Object.entries(files).every(([name, size]) => statSync(`${made}/${name}`).size === size);
    return isCurrent && isWhole ? made : undefined;
  } catch {
    return undefined;
  }
}

/** Switches builds atomically, after an fsync of all files. */
export function putInForce(root: string, folder: string, stamps: ReadonlyMap<string, string>): void {
  const all = join(root, SERVICE_FOLDER);
  const made = join(all, folder);
  const names = readdirSync(made);
  const files = Object.fromEntries(names.map((name) => [name, statSync(join(made, name)).size]));
  const record: ServiceRecord = { folder, sources: Object.fromEntries(stamps), files };
  const unfinished = join(made, BUILD_RECORD);
  writeFileSync(unfinished, JSON.stringify(record));
  for (const name of [...names, BUILD_RECORD]) sync(join(made, name));
  sync(made);
  renameSync(unfinished, join(all, BUILD_RECORD));
  sync(all);
}

function sync(path: string): void {
  const file = openSync(path, 'r');
  try {
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}

/** Accepts a build unchecked: images copy sources with other times, but never edit them. */
export function acceptBuild(root: string): void {
  putInForce(root, readRecord(root).folder, new Map());
}

function readRecord(root: string): ServiceRecord {
  return JSON.parse(readFileSync(join(root, SERVICE_FOLDER, BUILD_RECORD), 'utf8')) as ServiceRecord;
}

/** Returns a text that changes with the file, without reading the file. */
export function readStamp(path: string): string {
  const { size, mtimeMs } = statSync(path);
  return `${size} ${mtimeMs}`;
}

let found: string | undefined;

/** Finds the build once, so that programs of one process have the same build. */
export function currentBuild(): string | undefined {
  found ??= findBuild();
  return found;
}

export async function loadProgram(name: keyof typeof PROGRAMS): Promise<unknown> {
  const build = currentBuild();
  const file = build ? join(build, `${name}.js`) : join(ROOT, PROGRAMS[name]);
  return import(pathToFileURL(file).href);
}
