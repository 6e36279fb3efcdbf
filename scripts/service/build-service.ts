// Bundles the service's many files and its npm packages into a few files, without minifying them:
// see apps/server/src/operations/start/built-program.ts. A file that looks for something next to
// itself still looks next to its source.
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
 * Programs that share their files. What `limen` loads command by command would split the service into eighty files, and what its threads
 * load into twenty-four; finding and linking those takes a sixteenth of its start. So the service has its files for itself, and so have
 * the threads, whoever starts them.
 */
const TOGETHER: readonly (keyof typeof PROGRAMS)[][] = [
  ['main', 'require-settings'],
  ['cli', 'keyholder'],
];
const THREAD = /new URL\('(\.[^']+)\.ts', import\.meta\.url\)/g;

/** Returns what was made, in words. */
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

/** Adds to `threads` those that these programs start, by name. */
async function buildPrograms(
  programs: ReadonlyMap<string, string>,
  folder: string,
  stamps: Map<string, string>,
  threads: Map<string, string>,
): Promise<void> {
  const bundle = await rolldown({
    input: Object.fromEntries(programs),
    platform: 'node',
    // Asked for by a library that does without it.
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
      // In the order in which the sources would run: some libraries set up what others need.
      strictExecutionOrder: true,
    });
  } finally {
    await bundle.close();
  }
}

/** Threads become programs of their own; everything else that lies beside a source is found from the folder of the build. */
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

/** A service that runs may still start threads of the build that it was started from. */
function removeOldest(): void {
  const builds = readdirSync(BUILDS, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => join(BUILDS, name))
    .map((path) => ({ path, madeAt: statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0 }))
    .toSorted((one, other) => other.madeAt - one.madeAt);
  for (const { path } of builds.slice(KEPT_BUILDS)) rmSync(path, { recursive: true, force: true });
}
