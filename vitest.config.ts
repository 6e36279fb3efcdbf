// Test projects: pure tests once, tests in a browser once, those with a camera one file at a time, tests of anything that
// touches the database on each engine.
import { defineConfig } from 'vitest/config';
import { LongFilesFirst } from './testing/long-files-first.ts';
import { PATIENCE_MS } from './testing/patience.ts';
import { onlyWhenLong } from './testing/rounds.ts';

// The name of a test file says how it runs:
//   x.test.ts          pure
//   x.db.test.ts       on each database
//   x.sqlite.test.ts   on a database, but hardly about which: the short run has it on SQLite, the long one on both
//   x.browser.test.ts  in a real browser
//   x.….long.test.ts   in the long run only: the short one has the essence elsewhere
const everything = ['{apps,lab,packages,scripts,testing,tests,tools}/**/*.test.ts'];
const onDatabase = ['{apps,lab,packages,tests,tools}/**/*.{db,sqlite}{,.long}.test.ts'];
const inBrowser = ['{apps,packages,tools}/**/*.browser{,.long}.test.ts'];
/** Pages without a camera and models, which can run several at once. */
const pages = [
  '{apps/console,apps/server,tools/demo}/**/*.browser{,.long}.test.ts',
  'apps/launch/src/ui/**/*.browser{,.long}.test.ts',
];
const exclude = ['**/node_modules/**', ...onlyWhenLong([], ['**/*.long.test.ts'])];
const engineBlind = ['**/*.sqlite{,.long}.test.ts'];
const timeouts = {
  // Only what hangs is ended by it: a machine may be slow, and several tests share it.
  testTimeout: onlyWhenLong(3_600_000, 240_000),
  hookTimeout: 240_000,
  // A second, as it is otherwise, is not enough on a machine that is busy with other tests.
  expect: { poll: { timeout: PATIENCE_MS } },
};
/**
 * Modules are loaded once per worker, not once per file: a fifth of the whole time. Tests leave nothing behind. And Node loads
 * them as it does in production: those that Vite rewrites take a quarter more of the processor, most of it while they run.
 */
const shared = {
  ...timeouts,
  isolate: false,
  experimental: { viteModuleRunner: false, nodeLoader: false },
};

function engineProject(name: string, env: Record<string, string>, leftOut: string[] = []) {
  const left = [...exclude, ...leftOut];
  return { test: { name, include: onDatabase, exclude: left, env: { ...env, LIMEN_TEST_ENGINE: name }, ...shared } };
}

const postgresUrl = process.env['LIMEN_TEST_POSTGRES_URL'];
/** Chromium's headless shell, for pages without a camera. */
const shell = process.env['LIMEN_TEST_SHELL'];

export default defineConfig({
  test: {
    // More than cores: many tests wait for processes and disks.
    maxWorkers: 3,
    sequence: { sequencer: LongFilesFirst },
    projects: [
      {
        test: {
          name: 'unit',
          include: everything,
          exclude: [...exclude, ...onDatabase, ...inBrowser],
          globalSetup: onlyWhenLong(['./testing/one-image.ts'], []),
          ...shared,
        },
      },
      { test: { name: 'pages', include: pages, exclude, env: shell ? { LIMEN_TEST_CHROMIUM: shell } : {}, ...shared } },
      // Several pages at work with a camera and models take each other's time, until none of them keeps up. In a run with
      // others they come after those.
      {
        test: {
          name: 'browser',
          include: inBrowser,
          exclude: [...exclude, ...pages],
          fileParallelism: false,
          sequence: { groupOrder: 1 },
          ...shared,
        },
      },
      engineProject('sqlite', {}),
      ...(postgresUrl
        ? [engineProject('postgres', { LIMEN_TEST_POSTGRES_URL: postgresUrl }, onlyWhenLong([], engineBlind))]
        : []),
    ],
  },
});
