// Records the sources of a service build with stamps from before they were read. Any later edit,
// even during the build, makes it outdated.
import { join, relative, sep } from 'node:path';
import type { Plugin } from 'rolldown';
import { readStamp } from '../../apps/server/src/operations/start/built-program.ts';
import { ROOT } from '../pages/page-list.ts';

/** Besides the modules: build scripts, npm's lockfile, and the demo list. */
const OTHER_SOURCES = [
  'scripts/build.ts',
  'scripts/service/build-service.ts',
  'scripts/service/note-sources.ts',
  'node_modules/.package-lock.json',
  'packages/screening/demo/demo.ftm.json',
];

/** By path from the project's root. */
export function beginStamps(): Map<string, string> {
  return new Map(OTHER_SOURCES.map((path) => [path, readStamp(join(ROOT, path))]));
}

/** A source in several bundles keeps its first stamp. */
export function noteSources(stamps: Map<string, string>): Plugin {
  return {
    name: 'note-sources',
    load: {
      filter: { id: { exclude: [/node_modules/, /^\0/] } },
      handler(id) {
        const path = relative(ROOT, id).split(sep).join('/');
        if (!stamps.has(path)) stamps.set(path, readStamp(id));
      },
    },
  };
}
