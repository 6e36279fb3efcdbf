// `npm test`: checks the code, builds the pages, brings up what the tests need, runs them on both databases and counts.
// Arguments are passed on to vitest (npm test -- strings --project sqlite); then only the tests run.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Cluster, findPostgres, startCluster } from './postgres-cluster.ts';
import { findChromium, installDebianPackage } from './system-packages.ts';

const long = process.argv.includes('--long');
const passedOn = process.argv.slice(2).filter((argument) => argument !== '--long');
const skipped: string[] = [];

if (passedOn.length === 0 && run(['scripts/check.ts']) !== 0) process.exit(1);
// Some tests of one's choice may do without.
if (run(['scripts/build-pages.ts', '--quiet']) !== 0 && passedOn.length === 0) process.exit(1);
const cluster = await bringUpPostgres();
const chromium = bringUpChromium();
const results = join(mkdtempSync(join(tmpdir(), 'limen-results-')), 'results.json');
const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${results}`];
const status = run(['node_modules/vitest/vitest.mjs', 'run', ...reporters, ...passedOn], {
  ...(cluster ? { LIMEN_TEST_POSTGRES_URL: cluster.url } : {}),
  ...(chromium ? { LIMEN_TEST_CHROMIUM: chromium } : {}),
  ...(long ? { LIMEN_TEST_LONG: '1' } : {}),
});
await cluster?.stop();
for (const reason of skipped) console.log(`SKIPPED: ${reason}`);
const { passed, failed, pending } = countTests();
if (pending > 0 && skipped.length === 0)
  console.log('Skipped tests concern only the other database or another runtime.');
console.log(`${passed} passed, ${failed} failed, ${pending} skipped`);
process.exit(status === 0 && passed > 0 ? 0 : 1);

function run(args: string[], environment: Record<string, string> = {}): number {
  return spawnSync(process.execPath, args, { stdio: 'inherit', env: { ...process.env, ...environment } }).status ?? 1;
}

async function bringUpPostgres(): Promise<Cluster | undefined> {
  if (!findPostgres()) installDebianPackage('postgresql');
  const binaries = findPostgres();
  if (!binaries) {
    skipped.push('all tests on PostgreSQL (no PostgreSQL server binaries found; install Debian’s postgresql package)');
    return undefined;
  }
  const started = await startCluster(binaries);
  console.log(`Test cluster: ${started.version}`);
  return started;
}

function bringUpChromium(): string | undefined {
  if (!findChromium()) installDebianPackage('chromium');
  const path = findChromium();
  if (!path) skipped.push('tests in a real browser (no Chromium found; install Debian’s chromium package)');
  return path;
}

function countTests(): { passed: number; failed: number; pending: number } {
  try {
    const report = JSON.parse(readFileSync(results, 'utf8'));
    return { passed: report.numPassedTests, failed: report.numFailedTests, pending: report.numPendingTests };
  } catch {
    return { passed: 0, failed: 1, pending: 0 }; // vitest did not get as far as a report
  } finally {
    rmSync(join(results, '..'), { recursive: true, force: true });
  }
}
