// A process as its users run it, with a real port, real signals and a real end: the service, or the key-holder.
import { type ChildProcess, spawn } from 'node:child_process';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';

/** Code is compiled once, not by each of the many processes. */
export const COMPILED = {
  NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'] ?? join(tmpdir(), 'limen-test-compiled'),
};

export interface ListeningProcess {
  /** What it says that it listens on. */
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
  // `test` fetches no models; nothing else of this process's environment is passed on.
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

/** Starts it and waits until it listens. */
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

/** Starts it where it is expected to refuse. */
export async function runUntilEnd(file: string, environment: Record<string, string>): Promise<EndedProcess> {
  const { output, ended } = launch(file, environment);
  const code = await ended;
  return { code, ...output };
}
