// Test projects: pure tests once, tests in a browser once and one file at a time, tests of anything that touches the
// database on each engine.
import { defineConfig } from 'vitest/config';
import { PATIENCE_MS } from './testing/patience.ts';
import { onlyWhenLong } from './testing/rounds.ts';

const everything = ['{apps,packages,scripts,tests}/**/*.test.ts'];
const onDatabase = ['{apps,packages,tests}/**/*.db.test.ts'];
const inBrowser = ['{apps,packages}/**/*.browser.test.ts'];
/**
 * Crowds of uploads, kills by the dozen, the drawn person frame by frame, the drawn documents for their own sake, and
 * sign-ins of every kind in a browser: the journeys, the routes' other tests, crash.db and the reading of documents have
 * the essence.
 */
const onlyInLong = [
  'apps/server/src/features/sanctions/routes.load.test.ts',
  'apps/launch/src/face/movement/animated.test.ts',
  'apps/launch/src/models/{face,document}-engine.browser.test.ts',
  'apps/launch/testing/camera/test-camera.browser.test.ts',
  'apps/launch/journeys/verification-more.browser.test.ts',
  'packages/documents/testing/{specimens,distort}/**/*.test.ts',
  'packages/documents/training/model.test.ts',
  'apps/launch/src/face/read/glasses.test.ts',
  'packages/face-models/src/convert-model.test.ts',
  'apps/server/src/node-crash.db.test.ts',
  'tests/webhooks-crash.db.test.ts',
];
const exclude = ['**/node_modules/**', ...onlyWhenLong([], onlyInLong)];
/**
 * What these look at hardly depends on the engine, or others look at it on both: the short run has them on SQLite, the
 * long one on both.
 */
const engineBlind = [
  'apps/server/src/{main,crash,node-crash}.db.test.ts',
  'apps/server/src/cli/**/*.db.test.ts',
  'apps/server/src/platform/http/**/*.db.test.ts',
  'apps/server/src/features/front-door/**/*.db.test.ts',
  'apps/server/src/features/launch/**/*.db.test.ts',
  'apps/server/src/features/sanctions/**/*.db.test.ts',
  'apps/server/src/features/demo/**/*.db.test.ts',
  'apps/server/src/features/strings/routes.db.test.ts',
  'packages/sdk/src/**/*.db.test.ts',
  'tests/readme.db.test.ts',
  'apps/server/src/features/device/{bypass,updates,routes.document}.db.test.ts',
  'apps/server/src/features/age-sessions/routes.bearer.db.test.ts',
  'apps/server/src/core/people/index/memory-index.db.test.ts',
  'apps/server/src/features/verification-sessions/{routes,privacy,key-holder-down,passkeys,webhooks,vouching}.db.test.ts',
  'apps/server/src/features/verification-sessions/{evidence,behaviour,simulate}.db.test.ts',
  'apps/server/src/core/tokens/{renew,token-memory}.db.test.ts',
  'apps/server/src/core/passkeys/passkeys.db.test.ts',
  'apps/server/src/client-credentials.db.test.ts',
  'apps/server/src/features/device/routes.{answer,claim}.db.test.ts',
  'apps/server/src/features/webhook-deliveries/routes.db.test.ts',
  'apps/server/src/features/biometric-node/routes.200.{enroll,predict}.db.test.ts',
];
const timeouts = {
  ...{ testTimeout: onlyWhenLong(3_600_000, 60_000), hookTimeout: 60_000 },
  // A second, as it is otherwise, is not enough on a machine that is busy with other tests.
  expect: { poll: { timeout: PATIENCE_MS } },
};
/** Modules are loaded once per worker, not once per file: a fifth of the whole time. Tests leave nothing behind. */
const shared = { ...timeouts, isolate: false };

function engineProject(name: string, env: Record<string, string>, leftOut: string[] = []) {
  const left = [...exclude, ...leftOut];
  return { test: { name, include: onDatabase, exclude: left, env: { ...env, LIMEN_TEST_ENGINE: name }, ...shared } };
}

const postgresUrl = process.env['LIMEN_TEST_POSTGRES_URL'];

export default defineConfig({
  test: {
    // More than cores: many tests wait for processes and disks.
    maxWorkers: 3,
    projects: [
      { test: { name: 'unit', include: everything, exclude: [...exclude, ...onDatabase, ...inBrowser], ...shared } },
      // Several pages at work with a camera and models take each other's time, until none of them keeps up.
      { test: { name: 'browser', include: inBrowser, exclude, fileParallelism: false, ...shared } },
      engineProject('sqlite', {}),
      ...(postgresUrl
        ? [engineProject('postgres', { LIMEN_TEST_POSTGRES_URL: postgresUrl }, onlyWhenLong([], engineBlind))]
        : []),
    ],
  },
});
