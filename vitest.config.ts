// Three test projects: pure tests once, tests of anything that touches the database on each engine.
import { defineConfig } from 'vitest/config';
import { onlyWhenLong } from './apps/server/testing/rounds.ts';

const everything = ['{apps,packages,scripts,tests}/**/*.test.ts'];
const onDatabase = ['{apps,packages,tests}/**/*.db.test.ts'];
const exclude = ['**/node_modules/**'];
const timeouts = { testTimeout: onlyWhenLong(3_600_000, 60_000), hookTimeout: 60_000 };

function engineProject(name: string, env: Record<string, string>) {
  return { test: { name, include: onDatabase, exclude, env: { ...env, LIMEN_TEST_ENGINE: name }, ...timeouts } };
}

const postgresUrl = process.env['LIMEN_TEST_POSTGRES_URL'];

export default defineConfig({
  test: {
    // More than cores: many tests wait for processes and disks.
    maxWorkers: 3,
    projects: [
      { test: { name: 'unit', include: everything, exclude: [...exclude, ...onDatabase], ...timeouts } },
      engineProject('sqlite', {}),
      ...(postgresUrl ? [engineProject('postgres', { LIMEN_TEST_POSTGRES_URL: postgresUrl })] : []),
    ],
  },
});
