// Builds pages or the service in a process of its own: what builds them should not stay in the memory of a service.
import { spawn } from 'node:child_process';
import { join } from 'node:path';

const BUILDER = join(import.meta.dirname, 'build.ts');

/** Returns an exit code. */
export function runBuilder(names: readonly string[]): Promise<number> {
  const child = spawn(process.execPath, [BUILDER, '--quiet', '--quick', ...names], {
    // What it says is for people; standard output is the service's own.
    stdio: ['ignore', 'ignore', 'inherit'],
    env: { ...process.env, NODE_ENV: 'production' },
  });
  return new Promise((resolve) => {
    child.once('error', () => resolve(1));
    child.once('close', (code) => resolve(code ?? 1));
  });
}
