// Builds pages or the service in a separate process, to keep the build tools out of a service's
// memory.
import { spawn } from 'node:child_process';
import { join } from 'node:path';

const BUILDER = join(import.meta.dirname, 'build.ts');

/** Returns an exit code. */
export function runBuilder(names: readonly string[]): Promise<number> {
  const child = spawn(process.execPath, [BUILDER, '--quiet', '--quick', ...names], {
    // Its output is for people; standard output belongs to the service.
    stdio: ['ignore', 'ignore', 'inherit'],
    env: { ...process.env, NODE_ENV: 'production' },
  });
  return new Promise((resolve) => {
    child.once('error', () => resolve(1));
    child.once('close', (code) => resolve(code ?? 1));
  });
}
