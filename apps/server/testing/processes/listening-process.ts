// The service or the key-holder as a real process, with a real port, signals and exit.
import { type ChildProcess, spawn } from 'node:child_process';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';

/** Shares compiled code among the many processes. */
export const COMPILED = {
  NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'] ?? join(tmpdir(), 'limen-test-compiled'),
};

export interface ListeningProcess {
  /** Address that the process reports */
  address: string;
  child: ChildProcess;
  stdout(): string;
  stderr(): string;
  /** Sends the signal and resolves with the exit code (null when the signal itself ended it). */
  stop(signal: NodeJS.Signals): Promise<number | null>;
}

export interface EndedProcess {
  code: number | null;
  stdout: string;
  stderr: string;
}

function launch(file: string, environment: Record<string, string>) {
  // `test` fetches no models. Nothing else of this environment is inherited.
  const child = spawn(process.execPath, [file], { env: { NODE_ENV: 'test', ...COMPILED, ...environment } });
  const output = { stdout: '', stderr: '' };
  child.stdout.on('data', (chunk) => (output.stdout += chunk));
  child.stderr.on('data', (chunk) => (output.stderr += chunk));
  const ended = new Promise<number | null>((resolve) => child.once('close', resolve));
  onTestFinished(async () => {
    child.kill('SIGKILL');
    await ended;
  });
  return { child, output, ended };
}

/** Starts the process and waits until it listens. */
export async function startListening(file: string, environment: Record<string, string>): Promise<ListeningProcess> {
  const { child, output, ended } = launch(file, environment);
  const address = await new Promise<string>((resolve, reject) => {
    child.stdout.on('data', () => {
      const found = /^listening on (\S+)$/m.exec(output.stdout)?.[1];
      if (found) resolve(found);
    });
    child.once('close', (code) => reject(new Error(`${file} ended with ${code}: ${output.stderr}`)));
  });
  return {
    address,
    child,
    stdout: () => output.stdout,
    stderr: () => output.stderr,
    stop(signal) {
      child.kill(signal);
      return ended;
    },
  };
}

/** Runs a process that is expected to refuse its start. */
export async function runUntilEnd(file: string, environment: Record<string, string>): Promise<EndedProcess> {
  const { output, ended } = launch(file, environment);
  const code = await ended;
  return { code, ...output };
}
