// Runs the `limen` command, as a process or in this one, and the real server, with only the given
// environment.
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { onTestFinished } from 'vitest';
import { createTestDatabase, type TestDatabase } from '#testing/database/test-database.ts';
import { COMPILED } from '#testing/processes/listening-process.ts';
import { createTerminal } from '../src/command-line/terminal/terminal.ts';
import { runCli } from '../src/commands.ts';
import { systemClock } from '../src/platform/base/clock.ts';

const bin = (name: string) => fileURLToPath(new URL(`../bin/${name}`, import.meta.url));

export interface EndedCommand {
  code: number | null;
  stdout: string;
  stderr: string;
}

interface RunOptions {
  environment?: Record<string, string>;
  input?: string;
  /** Whether standard output is a screen */
  isScreen?: boolean;
  /** Closes the reading end of standard output at once, as `| head` would. */
  closeOutput?: boolean;
}

export function runLimen(args: string[], options: RunOptions = {}): Promise<EndedCommand> {
  const { environment = {}, input = '', closeOutput = false } = options;
  const child = spawn(process.execPath, [bin('limen.js'), ...args], { env: { ...COMPILED, ...environment } });
  child.stdin.on('error', () => {}); // A command that does not read its input may end before the write.
  child.stdin.end(input);
  if (closeOutput) child.stdout.destroy();
  return new Promise((resolve) => {
    let stdout = '';
    let stderr = '';
    child.stdout.setEncoding('utf8').on('data', (text) => (stdout += text));
    child.stderr.setEncoding('utf8').on('data', (text) => (stderr += text));
    child.on('close', (code) => resolve({ code, stdout, stderr }));
  });
}

/**
 * Runs a command inside this process without its entry point, in a tenth of the time. Other tests
 * start a process to cover the entry point.
 */
export async function runLimenHere(args: string[], options: RunOptions = {}): Promise<EndedCommand> {
  const { cli, output } = createTestCli(options);
  return { code: await runCli(args, cli), ...output };
}

/** Creates a command's context that records its output in `output`. */
export function createTestCli({ environment = {}, input = '', isScreen = false }: RunOptions = {}) {
  const output = { stdout: '', stderr: '' };
  const terminal = createTerminal({
    out: { write: (text) => (output.stdout += text) },
    err: { write: (text) => (output.stderr += text) },
    colour: false,
    isScreen,
    readInput: async () => input,
  });
  return { cli: { environment, clock: systemClock, terminal }, output };
}

/** Starts the server. Resolves with its address, or with its exit if it refused to start. */
export async function startServer(environment: Record<string, string>): Promise<{ address: string } | EndedCommand> {
  const child = spawn(process.execPath, [bin('start.js')], {
    env: { ...COMPILED, PORT: '0', NODE_ENV: 'test', ...environment },
  });
  let stdout = '';
  let stderr = '';
  child.stderr.setEncoding('utf8').on('data', (text) => (stderr += text));
  const ended = new Promise<EndedCommand>((resolve) => child.on('close', (code) => resolve({ code, stdout, stderr })));
  const listening = new Promise<{ address: string }>((resolve) => {
    child.stdout.setEncoding('utf8').on('data', (text) => {
      stdout += text;
      const address = /^listening on (\S+)$/m.exec(stdout)?.[1];
      if (address) resolve({ address });
    });
  });
  onTestFinished(async () => {
    child.kill('SIGTERM');
    await ended;
  });
  return Promise.race([listening, ended]);
}

/** Creates an empty database for one test, removed when the test ends. */
export async function prepareDatabase(): Promise<TestDatabase> {
  const place = await createTestDatabase({ empty: true });
  onTestFinished(() => place.dispose());
  return place;
}

/** Returns the acts in the audit log and their targets, read on the command line. */
export async function listActs(
  environment: Record<string, string>,
): Promise<[act: string, about: string | undefined][]> {
  const lines = (await runLimenHere(['audit', 'export'], { environment })).stdout.trim().split('\n');
  const written = lines.map((line) => JSON.parse(line)).filter(({ act }) => act !== undefined);
  for (const { operator, from } of written) {
    if (operator.name !== 'command line' || typeof from !== 'string') throw new Error(`done by ${operator.name}`);
  }
  return written.map(({ act, about }) => [act, about]);
}

/**
 * Returns name, mode and content of every file below a folder. Equal results mean that nothing
 * changed.
 */
export function pictureOf(folder: string): Record<string, string> {
  if (!existsSync(folder)) return {};
  const entries = readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((name): [string, string] => {
    const path = join(folder, name);
    const { mode } = statSync(path);
    const content = statSync(path).isDirectory() ? '' : createHash('sha256').update(readFileSync(path)).digest('hex');
    return [name, `${mode.toString(8)} ${content}`];
  });
  return Object.fromEntries(entries);
}
