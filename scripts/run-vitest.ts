// Runs vitest and counts what came of it.
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { setPriority, tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { readResults, type TestResults } from './read-results.ts';

export interface TestRun extends TestResults {
  ok: boolean;
  /** What vitest complained of: failed tests, and errors outside of any, which no count shows. */
  complaints: string;
}

interface VitestOptions {
  environment: Record<string, string>;
  /** Shown when it is over, so that it does not mix with another run beside it. */
  showLater?: boolean;
  /** Lets a run beside it go first. */
  isPatient?: boolean;
}

/** Characters: enough for a handful of failures with their stacks. */
const MAX_COMPLAINTS = 20_000;
/** Of 19 (lowest) to 0 (usual), which anybody may choose for what they started. */
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
    return { passed: 0, failed: 1, pending: 0, lacking: [] }; // vitest did not get as far as a report
  }
}
