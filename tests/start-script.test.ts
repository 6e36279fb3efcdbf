// `npm start` under a service manager: signals reach the service, its exit code is returned, and
// settings are checked first.
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { text } from 'node:stream/consumers';
import { expect, it, onTestFinished } from 'vitest';

it.skipIf(process.platform === 'win32')('exits with 0 when npm is stopped', async () => {
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
  await expect.poll(() => output).toContain('listening on ');
  const ended = new Promise((resolve) => npm.once('close', resolve));
  npm.kill('SIGTERM');
  expect(await ended).toBe(0);
  expect(output).toContain('"msg":"stopped"');
});

it('reports invalid settings before checking the pages', async () => {
  // Reading the pages' location means that the check has started.
  const watch = `data:text/javascript,${encodeURIComponent(`
    import { registerHooks } from 'node:module';
    registerHooks({
      resolve(name, context, next) {
        if (name.includes('prepare-pages')) console.error('the pages are looked at');
        return next(name, context);
      },
    });
  `)}`;
  const script = resolve(import.meta.dirname, '../apps/server/bin/start.js');
  const start = (environment: Record<string, string>) => {
    const env = { PATH: process.env['PATH'], NODE_ENV: 'test', ...environment };
    const child = spawn(process.execPath, ['--import', watch, script], { env });
    onTestFinished(() => void child.kill('SIGKILL'));
    return Promise.all([text(child.stderr), new Promise((resolve) => child.once('close', resolve))]);
  };
  const [wrong, code] = await start({ LIGHT_CHALLENGE: 'bright', PORT: 'many' });
  expect(code).toBe(1);
  expect(wrong).toMatch(/LIGHT_CHALLENGE/);
  expect(wrong).toMatch(/PORT/);
  expect(wrong).not.toContain('the pages are looked at');
  const [right] = await start({ HOST: 'nowhere.invalid' });
  expect(right).toContain('the pages are looked at');
});

it('starts the built service', async () => {
  const watch = `data:text/javascript,${encodeURIComponent(`
    import { registerHooks } from 'node:module';
    registerHooks({
      load(url, context, next) {
        if (url.endsWith('.ts')) console.error('source ' + url);
        return next(url, context);
      },
    });
  `)}`;
  const script = resolve(import.meta.dirname, '../apps/server/bin/start.js');
  const env = { PATH: process.env['PATH'], NODE_ENV: 'test', HOST: 'nowhere.invalid' };
  const child = spawn(process.execPath, ['--import', watch, script], { env });
  onTestFinished(() => void child.kill('SIGKILL'));
  const said = await text(child.stderr);
  expect(said).toContain('HOST is not an address');
  expect(said).toContain('built-program.ts');
  expect(said).not.toContain('apps/server/src/app.ts');
});
