// Bundles the service's files and npm packages into a few files, unminified: see
// apps/server/src/operations/start/built-program.ts. Files located relative to a source are still
// found next to that source.
import { randomUUID } from 'node:crypto';
import { mkdirSync, readdirSync, rmSync, statSync } from 'node:fs';
import { basename, dirname, join, relative, resolve, sep } from 'node:path';
import { type Plugin, rolldown } from 'rolldown';
import { PROGRAMS, putInForce, SERVICE_FOLDER } from '../../apps/server/src/operations/start/built-program.ts';
import { keepDemoIndex } from '../../apps/server/src/screening/lists/demo.ts';
import { ROOT } from '../pages/page-list.ts';
import { beginStamps, noteSources } from './note-sources.ts';

const BUILDS = join(ROOT, SERVICE_FOLDER);
const KEPT_BUILDS = 5;
/**
 * Programs that share files. The modules that `limen` loads per command would split the service
 * into eighty files, and those of its threads into twenty-four. Resolving and linking them takes a
 * sixteenth of its start. So the service and the threads have separate files.
 */
const TOGETHER: readonly (keyof typeof PROGRAMS)[][] = [
  ['main', 'require-settings'],
  ['cli', 'keyholder'],
];
const THREAD = /new URL\('(\.[^']+)\.ts', import\.meta\.url\)/g;

/** Returns a description of the result. */
export async function buildService(): Promise<string> {
  const stamps = beginStamps();
  const folder = randomUUID();
  const made = join(BUILDS, folder);
  mkdirSync(made, { recursive: true });
  try {
    const threads = new Map<string, string>();
    for (const programs of TOGETHER) {
      const entries = programs.map((name): [string, string] => [name, join(ROOT, PROGRAMS[name])]);
      await buildPrograms(new Map(entries), made, stamps, threads);
    }
    const built = new Map(threads);
    await buildPrograms(built, made, stamps, threads);
    if (threads.size > built.size) throw new Error('A thread that only threads start would not be built.');
    const files = readdirSync(made);
    const bytes = files.reduce((sum, file) => sum + statSync(join(made, file)).size, 0);
    await keepDemoIndex(made);
    putInForce(ROOT, folder, stamps);
    removeOldest();
    return `${files.length} files of ${stamps.size} sources, ${(bytes / 1e6).toFixed(1)} MB`;
  } catch (error) {
    rmSync(made, { recursive: true, force: true });
    throw error;
  }
}

/** Adds the threads that these programs start to `threads`, by name. */
async function buildPrograms(
  programs: ReadonlyMap<string, string>,
  folder: string,
  stamps: Map<string, string>,
  threads: Map<string, string>,
): Promise<void> {
  const bundle = await rolldown({
    input: Object.fromEntries(programs),
    platform: 'node',
    // Required by a library that works without it.
    external: ['pg-native'],
    transform: { define: { BUILT_FOLDER: 'import.meta.dirname', BUILT_URL: 'import.meta.url' } },
    plugins: [noteSources(stamps), keepPlaces(threads)],
    logLevel: 'warn',
  });
  try {
    await bundle.write({
      dir: folder,
      format: 'esm',
      entryFileNames: '[name].js',
      chunkFileNames: '[name]-[hash].js',
      // In source order, because some libraries prepare what others need.
      strictExecutionOrder: true,
    });
  } finally {
    await bundle.close();
  }
}

/** Threads become separate programs. Other adjacent files are located from the build. */
function keepPlaces(threads: Map<string, string>): Plugin {
  return {
    name: 'keep-places',
    transform: {
      filter: { code: /import\.meta\.(url|dirname|filename)/ },
      handler(code, id) {
        const here = JSON.stringify(fromBuild(id));
        const folder = JSON.stringify(`/${fromBuild(dirname(id))}`);
        const withThreads = code.replace(THREAD, (_, name: string) => {
          const path = resolve(dirname(id), `${name}.ts`);
          const thread = `${basename(dirname(path))}-${basename(name)}`;
          if ((threads.get(thread) ?? path) !== path) throw new Error(`Two threads are called ${thread}.`);
          threads.set(thread, path);
          return `new URL('./${thread}.js', BUILT_URL)`;
        });
        return withThreads
          .replace(/import\.meta\.url/g, `new URL(${here}, import.meta.url).href`)
          .replace(/import\.meta\.dirname/g, `(import.meta.dirname + ${folder})`);
      },
    },
  };
}

function fromBuild(path: string): string {
  return relative(join(BUILDS, 'any'), path).split(sep).join('/');
}

/** A running service may still start threads of its previous build. */
function removeOldest(): void {
  const builds = readdirSync(BUILDS, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => join(BUILDS, name))
    .map((path) => ({ path, madeAt: statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0 }))
    .toSorted((a, b) => b.madeAt - a.madeAt);
  for (const { path } of builds.slice(KEPT_BUILDS)) rmSync(path, { recursive: true, force: true });
}
