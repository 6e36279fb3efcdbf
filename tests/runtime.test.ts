// With an old Node, npm's Node takes over, or a single clear sentence explains what to do.
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { PATIENCE } from '@limen/testing/patience.ts';
import { onlyWhenLong } from '@limen/testing/rounds.ts';
import { describe, expect, it, onTestFinished } from 'vitest';
import { VERSION } from '../apps/server/src/platform/base/version.ts';

const oldNode = ['/usr/local/bin/node', '/usr/bin/node'].find(
  (path) =>
    existsSync(path) && Number(/^v(\d+)/.exec(execFileSync(path, ['--version'], { encoding: 'utf8' }))?.[1]) < 24,
);

const run = (...args: string[]) => spawnSync(oldNode ?? '', args, { encoding: 'utf8', env: {} });

it.skipIf(!oldNode)('hands over to npm’s Node and returns its exit code', () => {
  expect(run('apps/server/bin/limen.js', '--version')).toMatchObject({ status: 0, stdout: `${VERSION}\n`, stderr: '' });
  expect(run('apps/server/bin/limen.js', 'nonsense').status).toBe(2);
});

it.skipIf(!oldNode)('passes on all arguments', () => {
  const folder = mkdtempSync(join(tmpdir(), 'limen-runtime-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const script = join(folder, 'print.mjs');
  writeFileSync(script, 'console.log(process.version, ...process.execArgv)');
  const { stdout } = run('--max-semi-space-size=16', 'scripts/run.js', script);
  expect(stdout).toMatch(/^v(2[4-9]|[3-9]\d)\S+ --max-semi-space-size=16\n$/);
});

describe.skipIf(!oldNode || process.platform !== 'linux')('the service that it hands over to', () => {
  it('exits when the old Node is killed', async () => {
    const { parent, address } = await startService();
    parent.kill('SIGKILL');
    // The service has the same output.
    await expect.poll(() => parent.stdout.closed, PATIENCE).toBe(true);
    await expect(fetch(address)).rejects.toThrow();
  });

  it.each(onlyWhenLong<('SIGTERM' | 'SIGINT')[]>(['SIGTERM', 'SIGINT'], ['SIGTERM']))(
    'finishes on %s with exit code 0',
    async (signal) => {
      const { parent } = await startService();
      const exited = once(parent, 'exit');
      parent.kill(signal);
      expect(await exited).toEqual([0, null]);
    },
  );

  it('receives SIGHUP from the old Node, and neither exits', async () => {
    const { parent, address, said } = await startService();
    parent.kill('SIGHUP');
    await expect.poll(said, PATIENCE).toContain('there is no certificate to reload');
    expect((await fetch(`${address}/health`)).status).toBe(200);
  });

  async function startService() {
    const dataDir = mkdtempSync(join(tmpdir(), 'limen-runtime-'));
    const env = { NODE_ENV: 'test', DATA_DIR: dataDir, HOST: '127.0.0.1', PORT: '0', SERVE: 'core' };
    const parent = spawn(oldNode!, ['apps/server/bin/serve.js'], { env, stdio: ['ignore', 'pipe', 'inherit'] });
    onTestFinished(() => rmSync(dataDir, { recursive: true, force: true }));
    let said = '';
    parent.stdout.on('data', (chunk) => (said += chunk));
    await expect.poll(() => said, PATIENCE).toMatch(/^listening on \S+$/m);
    const service = Number(readFileSync(`/proc/${parent.pid}/task/${parent.pid}/children`, 'utf8'));
    onTestFinished(async () => {
      if (parent.stdout.closed) return;
      const closed = once(parent.stdout, 'close');
      process.kill(service, 'SIGKILL');
      await closed;
    });
    return { parent, said: () => said, address: /^listening on (\S+)$/m.exec(said)![1]! };
  }
});

it.skipIf(!oldNode).each(['start.js', 'limen.js'])(
  'explains the requirement in one sentence if npm has none (%s)',
  (file) => {
    const folder = mkdtempSync(join(tmpdir(), 'limen-runtime-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    cpSync(resolve('apps/server/bin'), join(folder, 'a/b/bin'), { recursive: true });
    cpSync(resolve('apps/server/package.json'), join(folder, 'a/b/package.json'));
    const { status, stdout, stderr } = run(join(folder, 'a/b/bin', file));
    expect(status).toBe(1);
    expect(stdout).toBe('');
    expect(stderr).toMatch(/^Limen needs Node 24 or newer and found v\d+\.\d+\.\d+: [^\n]+\.\n$/);
  },
);
