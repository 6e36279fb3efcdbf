// Runs vitest and counts the results.
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { setPriority, tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { readResults, type TestResults } from './read-results.ts';

export interface TestRun extends TestResults {
  ok: boolean;
  /** Failed tests, and errors outside of tests, which no count includes. */
  complaints: string;
}

interface VitestOptions {
  environment: Record<string, string>;
  /** Shown at the end, to avoid mixing with a parallel run. */
  showLater?: boolean;
  /** Lowers the priority relative to a parallel run. */
  isPatient?: boolean;
}

/** Maximum characters: enough for several failures with their stacks. */
const MAX_COMPLAINTS = 20_000;
/** From 19 (lowest) to 0 (default), which needs no privileges for child processes. */
const LOWER_PRIORITY = 10;

export async function runVitest(
  args: string[],
  { environment, showLater = false, isPatient = false }: VitestOptions,
): Promise<TestRun> {
  const folder = mkdtempSync(join(tmpdir(), 'limen-results-'));
  const results = join(folder, 'results.json');
  try {
    const reporters = [
      '--reporter=default',
      '--reporter=./scripts/report-failures.ts',
      '--reporter=json',
      `--outputFile.json=${results}`,
    ];
    const child = spawn(process.execPath, ['node_modules/vitest/vitest.mjs', 'run', ...reporters, ...args], {
      stdio: ['inherit', showLater ? 'pipe' : 'inherit', 'pipe'],
      env: { ...process.env, ...environment },
    });
    if (isPatient && child.pid) setPriority(child.pid, LOWER_PRIORITY);
    const said = child.stdout ? buffer(child.stdout) : undefined;
    let complaints = '';
    child.stderr!.setEncoding('utf8').on('data', (text: string) => {
      complaints = (complaints + text).slice(-MAX_COMPLAINTS);
      if (!showLater) process.stderr.write(text);
    });
    const status = await new Promise<number>((resolve) => child.once('close', (code) => resolve(code ?? 1)));
    if (said) process.stdout.write(await said);
    return { ok: status === 0, complaints, ...readReport(results) };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function readReport(path: string): TestResults {
  try {
    return readResults(readFileSync(path, 'utf8'));
  } catch {
    return { passed: 0, failed: 1, pending: 0, lacking: [] }; // vitest failed before writing a report
  }
}
