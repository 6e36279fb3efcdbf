// Notes what a build of the service is made of, each with its stamp from before it was read: whatever is edited later, while
// the build is still at work too, makes the next one due.
import { join, relative, sep } from 'node:path';
import type { Plugin } from 'rolldown';
import { readStamp } from '../../apps/server/src/operations/start/built-program.ts';
import { ROOT } from '../pages/page-list.ts';

/** Besides the modules: what builds them, what stands for everything that npm installed, and the list whose index is made along. */
const OTHER_SOURCES = [
  'scripts/build.ts',
  'scripts/service/build-service.ts',
  'scripts/service/note-sources.ts',
  'node_modules/.package-lock.json',
  'packages/screening/demo/demo.ftm.json',
];

/** By their paths from the root of the project. */
export function beginStamps(): Map<string, string> {
  return new Map(OTHER_SOURCES.map((path) => [path, readStamp(join(ROOT, path))]));
}

/** A source that goes into several bundles keeps its first stamp: the bundle that was made first has it as it was then. */
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
