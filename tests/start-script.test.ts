// `npm start` as a service manager runs it: a signal to npm reaches the service, and its exit code comes back.
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';

it.skipIf(process.platform === 'win32')('stops with 0 when npm is told to', async () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'limen-npm-'));
  onTestFinished(() => rmSync(dataDir, { recursive: true, force: true }));
  const npm = spawn('npm', ['start'], {
    env: { PATH: process.env['PATH'], NODE_ENV: 'test', DATA_DIR: dataDir, PORT: '0' },
  });
  onTestFinished(() => void npm.kill('SIGKILL'));
  let output = '';
  npm.stdout.on('data', (chunk) => {
    output += chunk;
  });
  await expect.poll(() => output, { timeout: 20_000 }).toContain('listening on ');
  const ended = new Promise((resolve) => npm.once('close', resolve));
  npm.kill('SIGTERM');
  expect(await ended).toBe(0);
  expect(output).toContain('"msg":"stopped"');
});
