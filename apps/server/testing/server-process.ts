// The service as its users run it: a process of its own, with a real port, real signals and a real end.
import { type ChildProcess, spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { onTestFinished } from 'vitest';

const START = fileURLToPath(new URL('../bin/start.js', import.meta.url));

export interface ServerProcess {
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

interface Running {
  child: ChildProcess;
  output: { stdout: string; stderr: string };
  ended: Promise<number | null>;
}

function launch(environment: Record<string, string>): Running {
  // A port of 0 lets the system choose, and `test` fetches no models; nothing else of this process's environment is
  // passed on.
  const child = spawn(process.execPath, [START], { env: { PORT: '0', NODE_ENV: 'test', ...environment } });
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

/** Starts the service and waits until it listens. */
export async function startServer(environment: Record<string, string>): Promise<ServerProcess> {
  const { child, output, ended } = launch(environment);
  const address = await new Promise<string>((resolve, reject) => {
    const look = () => {
      const found = /^listening on (\S+)$/m.exec(output.stdout)?.[1];
      if (found) resolve(found);
    };
    child.stdout?.on('data', look);
    child.once('close', (code) => reject(new Error(`the service ended with ${code}: ${output.stderr}`)));
  });
  return {
    address,
    child,
    stdout: () => output.stdout,
    stderr: () => output.stderr,
    async stop(signal) {
      child.kill(signal);
      return ended;
    },
  };
}

/** Starts the service where it is expected to refuse. */
export async function runToEnd(environment: Record<string, string>): Promise<EndedProcess> {
  const { output, ended } = launch(environment);
  const code = await ended;
  return { code, ...output };
}
