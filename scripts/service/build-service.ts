// Makes a few files out of the service's many and of what npm brought: see apps/server/src/built-service.ts. What runs is
// the same, unshortened; where a file looks for something beside itself, it still looks beside its source.
import { randomUUID } from 'node:crypto';
import { mkdirSync, readdirSync, rmSync, statSync } from 'node:fs';
import { dirname, join, relative, resolve, sep } from 'node:path';
import { type Plugin, rolldown } from 'rolldown';
import { PROGRAMS, putInForce, SERVICE_FOLDER } from '../../apps/server/src/built-service.ts';
import { keepDemoIndex } from '../../apps/server/src/core/datasets/demo-dataset.ts';
import { ROOT } from '../pages/page-list.ts';
import { beginStamps, noteSources } from './note-sources.ts';

const BUILDS = join(ROOT, SERVICE_FOLDER);
const KEPT_BUILDS = 5;
/**
 * Programs that share their files. What `limen` loads command by command would split the service into eighty files, and finding and
 * linking those takes a sixteenth of its start; so the service has its files for itself.
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
    for (const programs of TOGETHER) await buildPrograms(programs, made, stamps);
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

async function buildPrograms(
  programs: readonly (keyof typeof PROGRAMS)[],
  folder: string,
  stamps: Map<string, string>,
): Promise<void> {
  const bundle = await rolldown({
    input: Object.fromEntries(programs.map((name) => [name, join(ROOT, PROGRAMS[name])])),
    platform: 'node',
    // Asked for by a library that does without it.
    external: ['pg-native'],
    transform: { define: { BUILT_FOLDER: 'import.meta.dirname' } },
    plugins: [noteSources(stamps), keepPlaces()],
    logLevel: 'warn',
  });
  try {
    await bundle.write({
      dir: folder,
      format: 'esm',
      // Threads are entries too, and each of the two has its own.
      entryFileNames: ({ name }) => (Object.hasOwn(PROGRAMS, name) ? '[name].js' : '[name]-[hash].js'),
      chunkFileNames: '[name]-[hash].js',
      // In the order in which the sources would run: some libraries set up what others need.
      strictExecutionOrder: true,
    });
  } finally {
    await bundle.close();
  }
}

/** Threads become programs of their own; everything else that lies beside a source is found from the folder of the build. */
function keepPlaces(): Plugin {
  return {
    name: 'keep-places',
    transform: {
      filter: { code: /import\.meta\.(url|dirname|filename)/ },
      handler(code, id) {
        const here = JSON.stringify(fromBuild(id));
        const folder = JSON.stringify(`/${fromBuild(dirname(id))}`);
        const withThreads = code.replace(THREAD, (_, name: string) => {
          const thread = this.emitFile({ type: 'chunk', id: resolve(dirname(id), `${name}.ts`) });
          return `new URL(import.meta.ROLLUP_FILE_URL_${thread})`;
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
