// Processes and folder of a benchmark run, which are always cleaned up.
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync, statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { cpuSecondsOf } from './cpu.ts';

/** Far more than a start takes, even on a busy machine. */
const START_MS = 60_000;
const END_MS = 5_000;
const BENCH = join(import.meta.dirname, '..');
const TMPFS = 0x01021994;
/** The program of `npm start`. */
export const LIMEN = '../apps/server/bin/start.js';
const inherited = { PATH: process.env['PATH'], SystemRoot: process.env['SystemRoot'] };

interface StartOptions {
  args?: string[];
  nodeArgs?: string[];
  environment?: Record<string, string>;
}

export interface Server {
  url: string;
  pid: number;
  /** URL of the inspector, with `--inspect`. */
  inspector: string | undefined;
}

export interface Stage {
  folder: string;
  start(script: string, options?: StartOptions & { ipc?: boolean }): ChildProcess;
  /** Starts a server and waits for its listening line. */
  startServer(script: string, options?: StartOptions): Promise<Server>;
  /** CPU seconds of the run's own processes so far. */
  cpuSeconds(): number;
  end(): Promise<void>;
}

/** Aborts a run after `maxSeconds`. */
export function openStage(maxSeconds: number): Stage {
  const folder = mkdtempSync(join(tmpdir(), 'limen-bench-'));
  if (process.platform === 'linux' && statfsSync(folder).type === TMPFS) {
    console.warn(`${folder} is in memory, where an fsync costs nothing: set TMPDIR to a folder on a disk.`);
  }
  const children: ChildProcess[] = [];

  /** `script` is relative to this folder's parent. */
  function start(
    script: string,
    { args = [], nodeArgs = [], environment = {}, ipc = false }: StartOptions & { ipc?: boolean } = {},
  ) {
    const child = spawn(process.execPath, [...nodeArgs, join(BENCH, script), ...args], {
      cwd: folder,
      // Keeps little of the caller's environment, because a RATE_LIMIT or DATABASE_URL would
      // distort the results. `test` avoids loading face models.
      env: { ...inherited, NODE_ENV: 'test', ...environment },
      stdio: ['pipe', 'pipe', 'pipe', ...(ipc ? (['ipc'] as const) : [])],
      // JSON would turn NaN into null.
      serialization: 'advanced',
    });
    child.stderr?.on('data', (text) => {
      if (!/^(Debugger |For help, see|Starting inspector)/m.test(String(text))) process.stderr.write(text);
    });
    children.push(child);
    return child;
  }

  async function end(): Promise<void> {
    clearTimeout(limit);
    await Promise.all(children.map(stop));
    rmSync(folder, { recursive: true, force: true });
  }

  function giveUp(reason: string): void {
    console.error(`\n${reason}`);
    void end().finally(() => process.exit(1));
  }
  const limit = setTimeout(() => giveUp(`The run did not end within ${maxSeconds} s.`), maxSeconds * 1000);
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => giveUp(`Stopped by ${signal}.`));
  // Last resort, when asynchronous code no longer runs.
  process.on('exit', () => {
    for (const child of children) child.kill('SIGKILL');
    rmSync(folder, { recursive: true, force: true });
  });

  return {
    folder,
    start,
    startServer: (script, options) => untilListening(start(script, options), script),
    cpuSeconds: () => [process, ...children].reduce((sum, { pid }) => sum + (cpuSecondsOf(pid!) ?? 0), 0),
    end,
  };
}

async function untilListening(child: ChildProcess, name: string): Promise<Server> {
  let inspector: string | undefined;
  child.stderr?.on('data', (text) => {
    inspector ??= /ws:\/\/\S+/.exec(String(text))?.[0];
  });
  const url = await new Promise<string>((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error(`${name} did not listen within ${START_MS} ms`)), START_MS);
    child.once('exit', (code) => reject(new Error(`${name} ended with exit code ${code}`)));
    const lines = createInterface({ input: child.stdout! });
    lines.on('line', (line) => {
      const address = /^listening on (\S+)/.exec(line)?.[1];
      if (address === undefined) return;
      clearTimeout(timer);
      lines.close();
      resolve(address);
    });
  });
  // Reads and discards its log, as a log collector would read it.
  child.stdout?.resume();
  return { url, pid: child.pid!, inspector };
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = new Promise((resolve) => child.once('exit', resolve));
  child.kill('SIGTERM');
  const timer = setTimeout(() => child.kill('SIGKILL'), END_MS);
  await ended;
  clearTimeout(timer);
}
