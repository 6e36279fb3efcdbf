// The service as one program: `npm run build` makes a few files out of its thousand, which Node reads in a quarter of the
// time. Whoever starts it asks here which to take: those, unless a source was changed since or one of them is not whole, and
// else the sources.
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
/** Holds a folder for each build, from the root of the project. */
export const SERVICE_FOLDER = 'apps/server/dist';
/** Names the build in force. */
export const BUILD_RECORD = 'build.json';

/** What is started by name. */
export const PROGRAMS = {
  main: 'apps/server/src/main.ts',
  cli: 'apps/server/src/limen.ts',
  keyholder: 'apps/server/src/faces/keyholder/main.ts',
  'require-settings': 'apps/server/src/operations/start/require-settings.ts',
} as const;

interface ServiceRecord {
  /** Of the build, in the folder of all builds. */
  folder: string;
  /** Every file that went in, from the root of the project, with its stamp. */
  sources: Record<string, string>;
  /** Every file that was made, with its size. */
  files: Record<string, number>;
}

/** The folder of the build that was made of the sources as they are; undefined where there is none. */
export function findBuild(root = ROOT): string | undefined {
  try {
    const { folder, sources, files } = readRecord(root);
    const made = join(root, SERVICE_FOLDER, folder);
    // A thousand of them at each start: `join` would take as long as looking at the file.
    const isCurrent = Object.entries(sources).every(([path, stamp]) => stampOf(`${root}/${path}`) === stamp);
    const isWhole = Object.entries(files).every(([name, size]) => statSync(`${made}/${name}`).size === size);
    return isCurrent && isWhole ? made : undefined;
  } catch {
    return undefined;
  }
}

/**
 * In one step: whoever starts meanwhile takes the build before, or this one. Everything is on the disk by then, so that after a power
 * cut the record does not name files that are empty.
 */
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

/** In an image nobody edits sources, and their times are whatever copying made of them: the build holds without a look. */
export function acceptBuild(root: string): void {
  putInForce(root, readRecord(root).folder, new Map());
}

function readRecord(root: string): ServiceRecord {
  return JSON.parse(readFileSync(join(root, SERVICE_FOLDER, BUILD_RECORD), 'utf8')) as ServiceRecord;
}

/** Tells a file that was changed without reading it. */
export function stampOf(path: string): string {
  const { size, mtimeMs } = statSync(path);
  return `${size} ${mtimeMs}`;
}

let found: string | undefined;

/** Looked for once: what is started one after the other is of one build. */
export function currentBuild(): string | undefined {
  found ??= findBuild();
  return found;
}

/** Its exports; most programs have none and simply run. */
export async function loadProgram(name: keyof typeof PROGRAMS): Promise<unknown> {
  const build = currentBuild();
  const file = build ? join(build, `${name}.js`) : join(ROOT, PROGRAMS[name]);
  return import(pathToFileURL(file).href);
}
