// The key-holder as its users run it: a process of its own, with a real port, real signals and a real end.
import { type ChildProcess, spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { onTestFinished } from 'vitest';

const START = fileURLToPath(new URL('../../../bin/keyholder.js', import.meta.url));

export interface KeyHolderProcess {
  url: string;
  child: ChildProcess;
  stdout(): string;
  stderr(): string;
  /** Sends the signal and resolves with the exit code (null when the signal itself ended it). */
  stop(signal: NodeJS.Signals): Promise<number | null>;
}

export interface EndedKeyHolder {
  code: number | null;
  stderr: string;
}

function launch(environment: Record<string, string>) {
  const child = spawn(process.execPath, [START], { env: { KEYHOLDER_PORT: '0', NODE_ENV: 'test', ...environment } });
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
export async function startKeyHolder(environment: Record<string, string>): Promise<KeyHolderProcess> {
  const { child, output, ended } = launch(environment);
  const url = await new Promise<string>((resolve, reject) => {
    child.stdout.on('data', () => {
      const found = /^listening on (\S+)$/m.exec(output.stdout)?.[1];
      if (found) resolve(found);
    });
    child.once('close', (code) => reject(new Error(`the key-holder ended with ${code}: ${output.stderr}`)));
  });
  return {
    url,
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
export async function runKeyHolderToEnd(environment: Record<string, string>): Promise<EndedKeyHolder> {
  const { output, ended } = launch(environment);
  return { code: await ended, stderr: output.stderr };
}
