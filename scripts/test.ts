// `npm test`: checks the code, builds the pages, prepares the tests' requirements, runs the tests
// on both databases and counts. Arguments are passed to vitest (npm test -- strings --project
// sqlite); then only the tests run.
import { spawn } from 'node:child_process';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Cluster, startCluster } from '@limen/testing/postgres-cluster.ts';
import { findClusterPrograms } from '../testing/cluster/find-programs.ts';
import { provideRequirement, sayLeftOut } from './bring-up.ts';
import { keepTemporaryFilesInMemory } from './memory-folder.ts';
import { startPgvectorCluster } from './pgvector-root.ts';
import { runVitest, type TestRun } from './run-vitest.ts';
import { findHeadlessShell } from './system-packages.ts';

const long = process.argv.includes('--long');
const passedOn = process.argv.slice(2).filter((argument) => argument !== '--long');
const skipped: string[] = [];
// On disk, for reuse by the next run.
const compiled = join(tmpdir(), 'limen-test-compiled');
keepTemporaryFilesInMemory();

// In parallel with the checks, which occasionally leave a core idle. Models are prepared once for
// all tests; without a network, the affected tests report it. A selection of tests may not need
// pages.
const isWhole = passedOn.length === 0;
const [built, checked] = await Promise.all([
  run(['scripts/build.ts', '--quiet', '--quick']),
  isWhole ? run(['scripts/check.ts']) : 0,
  isWhole ? run(['scripts/prepare-models.ts']) : 0,
]);
if (isWhole && built + checked !== 0) process.exit(1);
const cluster = await bringUpPostgres();
const chromium = provideRequirement('chromium');
if (!chromium) skipped.push(sayLeftOut('tests in a real browser', 'chromium'));
const shell = findHeadlessShell();
const firefox = long ? provideRequirement('firefox') : undefined;
if (long && !firefox) skipped.push(sayLeftOut('journeys in Firefox', 'firefox'));
const webkit = provideRequirement('webkit');
if (!webkit) skipped.push(sayLeftOut('journeys in WebKit', 'webkit'));
if (!provideRequirement('zoneFont')) skipped.push(sayLeftOut('reading of drawn documents', 'zoneFont'));
if (long && !provideRequirement('podman')) skipped.push(sayLeftOut('the image', 'podman'));
if (long && !provideRequirement('podmanCompose')) skipped.push(sayLeftOut('compose and Kubernetes', 'podmanCompose'));
const pgvector = long ? await bringUpPgvector() : undefined;
const clusterFound = long ? findClusterPrograms('the cluster and its faults') : undefined;
if (clusterFound && 'lack' in clusterFound) skipped.push(clusterFound.lack);
if (long && !provideRequirement('caddy')) skipped.push(sayLeftOut('Caddy in front of the service', 'caddy'));
if (long && !provideRequirement('faketime')) skipped.push(sayLeftOut('clocks that are wrong', 'faketime'));
if (long && !provideRequirement('promtool')) skipped.push(sayLeftOut('alert rules by Prometheus itself', 'promtool'));
for (const language of long ? (['php', 'ruby', 'go', 'java', 'mono'] as const) : [])
  if (!provideRequirement(language)) skipped.push(sayLeftOut('a webhook example', language));
if (long && !provideRequirement('pgbackrest')) skipped.push(sayLeftOut('the recovery of any moment', 'pgbackrest'));
const environment = {
  // Halves the start time of the tests' worker threads.
  NODE_COMPILE_CACHE: compiled,
  ...(cluster ? { LIMEN_TEST_POSTGRES_URL: cluster.url } : {}),
  ...(pgvector ? { LIMEN_TEST_PGVECTOR_URL: pgvector.url } : {}),
  ...(chromium ? { LIMEN_TEST_CHROMIUM: chromium } : {}),
  ...(firefox ? { LIMEN_TEST_FIREFOX: firefox } : {}),
  ...(webkit ? { LIMEN_TEST_WEBKIT: webkit } : {}),
  // The long run has the full browser for all of them.
  ...(shell && !long ? { LIMEN_TEST_SHELL: shell } : {}),
  ...(long ? { LIMEN_TEST_LONG: '1' } : {}),
};
const runs = await Promise.all(isWhole ? runEverything() : [runVitest(passedOn, { environment })]);
await cluster?.stop();
await pgvector?.stop();
// Repeated at the end, so that failures are easy to find.
for (const { ok, complaints } of runs) if (!ok) console.log(complaints);
skipped.push(...new Set(runs.flatMap(({ lacking }) => lacking.map((name) => `SKIPPED: ${name}`))));
for (const line of skipped) console.log(line);
const count = (of: 'passed' | 'failed' | 'pending') => runs.reduce((sum, counts) => sum + counts[of], 0);
const [passed, failed, pending] = [count('passed'), count('failed'), count('pending')];
if (pending > 0 && skipped.length === 0)
  console.log('Skipped tests concern only the other database or another runtime, or are those of npm run test:long.');
console.log(`${passed} passed, ${failed} failed, ${pending} skipped`);
process.exit(runs.every(({ ok }) => ok) && passed > 0 ? 0 : 1);

/**
 * A browser with a camera handles one file at a time and uses about a core. If delayed, it only
 * draws more frames, so it runs first. The others share the rest and mostly wait.
 */
function runEverything(): Promise<TestRun>[] {
  const others = ['unit', 'pages', 'sqlite', ...(cluster ? ['postgres'] : [])];
  return [
    runVitest(['--maxWorkers=4', ...others.map((name) => `--project=${name}`)], { environment, isPatient: true }),
    runVitest(['--project=browser'], { environment, showLater: true }),
  ];
}

function run(args: string[]): Promise<number> {
  const child = spawn(process.execPath, args, { stdio: 'inherit' });
  return new Promise((resolve) => child.once('close', (code) => resolve(code ?? 1)));
}

async function bringUpPostgres(): Promise<Cluster | undefined> {
  const binaries = provideRequirement('postgres');
  if (!binaries) {
    skipped.push(sayLeftOut('all tests on PostgreSQL', 'postgres'));
    return undefined;
  }
  const started = await startCluster(binaries);
  console.log(`Test cluster: ${started.version}`);
  return started;
}

/** Without one, PGlite is used instead. */
async function bringUpPgvector(): Promise<Cluster | undefined> {
  const root = provideRequirement('pgvector');
  if (root === undefined) {
    skipped.push(sayLeftOut('faces in pgvector on a server of its own', 'pgvector'));
    return undefined;
  }
  const started = await startPgvectorCluster(root);
  console.log(`Test cluster with pgvector: ${started.version}`);
  return started;
}
