// The image at run time: built from a Debian root, read-only, as an unprivileged user, without
// capabilities.
import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { canRunContainers, ensureImage, podman } from '@limen/testing/containers.ts';
import { freePort } from '@limen/testing/postgres-cluster.ts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const ROOT = join(import.meta.dirname, '..');
const NAME = `limen-test-${process.pid}`;
const MAX_BYTES = 250_000_000;

describe.skipIf(!canRunContainers())('the image', () => {
  let image: string;
  let url: string;

  beforeAll(async () => {
    image = ensureImage();
    const port = await freePort();
    url = `http://127.0.0.1:${port}`;
    const limits = ['--ulimit', 'nofile=4096:4096', '--ulimit', 'nproc=4096:4096'];
    // Podman would make /tmp writable, which Docker does not.
    const root = ['--read-only', '--read-only-tmpfs=false'];
    const locked = [...root, '--cap-drop', 'all', '--security-opt', 'no-new-privileges', '--network', 'host'];
    const settings = {
      PORT: String(port),
      MASTER_KEY: randomBytes(32).toString('base64'),
      PUBLIC_URL: 'https://id.example.org',
      REQUIRE_API_KEY: 'strings,sanctions',
    };
    const environment = Object.entries(settings).flatMap(([name, value]) => ['-e', `${name}=${value}`]);
    const begun = podman(
      'run',
      '-d',
      '--name',
      NAME,
      ...limits,
      ...locked,
      '-v',
      `${NAME}:/data`,
      ...environment,
      image,
    );
    expect(begun.status, begun.output).toBe(0);
  }, 900_000);

  afterAll(() => {
    podman('rm', '-f', NAME);
    podman('volume', 'rm', NAME);
  });

  it('is small, has no shell, and matches its Dockerfile', () => {
    expect(Number(podman('image', 'inspect', image, '--format', '{{.Size}}').stdout)).toBeLessThan(MAX_BYTES);
    expect(podman('exec', NAME, '/bin/sh', '-c', 'true').status).not.toBe(0);
    const { Config } = JSON.parse(podman('image', 'inspect', image).stdout)[0];
    const dockerfile = readFileSync(join(ROOT, 'deploy/image/Dockerfile'), 'utf8').split(/^FROM scratch$/m)[1]!;
    const told = (word: string) => new RegExp(`^${word} (.*)$`, 'm').exec(dockerfile)![1]!;
    expect(Config.User).toBe(told('USER'));
    expect(Config.WorkingDir).toBe(told('WORKDIR'));
    expect(Config.Env).toEqual(told('ENV').split(' '));
    expect(Config.Entrypoint).toEqual(JSON.parse(told('ENTRYPOINT')));
    expect(Object.keys(Config.Volumes)).toEqual([told('VOLUME')]);
    expect(Config.StopSignal).toBe(told('STOPSIGNAL'));
  });

  it('lists its content with versions', () => {
    const program = "console.log(require('node:fs').readFileSync('/app/sbom.cdx.json', 'utf8'))";
    const { bomFormat, components } = JSON.parse(podman('exec', NAME, 'node', '-e', program).stdout);
    expect(bomFormat).toBe('CycloneDX');
    const names = components.map(({ name }: { name: string }) => name);
    // The second is also a development dependency of another package.
    expect(names).toEqual(expect.arrayContaining(['fastify', 'ajv']));
    for (const absent of ['vitest', 'zxing-wasm']) expect(names).not.toContain(absent);
  });

  it('contains no development tools', () => {
    const program = "console.log(require('node:fs').readdirSync('/app').join())";
    const folders = podman('exec', NAME, 'node', '-e', program).stdout.trim().split(',');
    expect(folders).toContain('apps');
    expect(folders).not.toContain('tools');
  });

  it('becomes ready with its bundled models and passes its own doctor', async () => {
    const isReady = async () => {
      const reply = await fetch(`${url}/ready`).catch(() => undefined);
      return reply?.status === 200 && /"models":"ready"/.test(await reply.text());
    };
    await expect.poll(isReady, { timeout: 120_000, interval: 500 }).toBe(true);
    expect((await fetch(`${url}/launch`)).status).toBe(200);
    expect(podman('exec', NAME, 'node', 'apps/server/bin/is-healthy.js').status).toBe(0);
    expect(podman('exec', NAME, 'node', 'apps/server/bin/limen.js', 'doctor').output).toContain('No problems');
  });

  it('runs as an unprivileged user and can only write to its volume', () => {
    const program = `
      const { writeFileSync } = require('node:fs');
      const tried = ['/app/x', '/etc/x', '/tmp/x', '/data/x'].map((file) => { try { writeFileSync(file, ''); return 'written'; } catch { return 'refused'; } });
      console.log(process.getuid(), tried.join(' '));`;
    expect(podman('exec', NAME, 'node', '-e', program).stdout).toBe('10001 refused refused refused written');
  });

  it('exits cleanly when stopped', () => {
    podman('stop', '-t', '20', NAME);
    expect(podman('inspect', NAME, '--format', '{{.State.ExitCode}}').stdout).toBe('0');
  });
});
