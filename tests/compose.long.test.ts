// The compose file under podman-compose, with Debian's PostgreSQL and Caddy instead of the public
// images, and the commands of docs/deployment.md as printed. Implements what podman-compose lacks:
// network addresses.
import { randomBytes } from 'node:crypto';
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import { request } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import {
  canRunContainers,
  ensureImage,
  insist,
  keepAddressOf,
  NETWORK_TOOLS,
  nameWithLack,
  networkEnvironment,
  type Ran,
  run,
} from '@limen/testing/containers.ts';
import { freePort } from '@limen/testing/postgres-cluster.ts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { replaceAll } from '../testing/cluster/proxies.ts';

const ROOT = join(import.meta.dirname, '..');
const COMPOSE = join(ROOT, 'deploy/compose');
const PROJECT = `limen-compose-${process.pid}`;
const IMAGES = { postgres: `localhost/${PROJECT}-postgres`, caddy: `localhost/${PROJECT}-caddy` };
const DOMAIN = 'id.example.org';
const READY_MS = 240_000;
const canRun = canRunContainers('podman-compose', ...NETWORK_TOOLS);
const COMMAND_LINE = ['node', 'apps/server/bin/limen.js'];

/** Equivalent of the public image with the same settings. */
const START_POSTGRES = `#!/bin/sh
set -eu
data=/var/lib/postgresql/data
run=/var/run/postgresql
PATH=$(echo /usr/lib/postgresql/*/bin):$PATH
mkdir -p $run
chown postgres: $data $run
as='setpriv --reuid postgres --regid postgres --init-groups'
if [ ! -e $data/PG_VERSION ]; then
  (umask 077; echo "$POSTGRES_PASSWORD" > $run/password)
  chown postgres: $run/password
  $as initdb -D $data -U "$POSTGRES_USER" -E UTF8 --locale=C.UTF-8 --auth-local=trust --auth-host=scram-sha-256 --pwfile=$run/password
  rm $run/password
  echo 'host all all all scram-sha-256' >> $data/pg_hba.conf
  echo "CREATE DATABASE \\"$POSTGRES_DB\\"" | $as postgres --single -D $data postgres
fi
exec $as postgres -D $data -c "listen_addresses=*"
`;

/** One root for both, which differ in their command. */
const BUILD = `
container=$(buildah from scratch)
trap 'buildah rm "$container" > /dev/null' EXIT
root=$(buildah mount "$container")
mmdebstrap --variant=minbase --include=postgresql,caddy bookworm "$root"
install -m 0755 "$1" "$root/usr/local/bin/start-postgres"
buildah umount "$container"
buildah config --entrypoint '["start-postgres"]' --stop-signal SIGINT "$container"
buildah commit -q "$container" "$2"
buildah rm "$container"
container=$(buildah from "$2")
buildah config --env XDG_DATA_HOME=/data --env XDG_CONFIG_HOME=/config --stop-signal SIGTERM \\
  --entrypoint '["caddy","run","--config","/etc/caddy/Caddyfile","--adapter","caddyfile"]' "$container"
buildah commit -q "$container" "$3"
`;

describe.skipIf(!canRun)(nameWithLack('the compose file', canRun), () => {
  const plan = parse(readFileSync(join(COMPOSE, 'compose.yml'), 'utf8'), { merge: true });
  const secrets: Record<string, string> = {};
  let folder = '';
  let port = 0;
  let environment: Record<string, string> = {};

  const podman = (...args: string[]): Ran => run('podman', args, { env: environment });
  const compose = (...args: string[]): Ran =>
    run('podman-compose', ['-p', PROJECT, ...args], { cwd: folder, env: environment });
  const nameOf = (service: string) => `${PROJECT}_${service}_1`;
  const inside = (service: string, ...command: string[]) => podman('exec', nameOf(service), ...command);
  const isHealthy = (service: string) => podman('healthcheck', 'run', nameOf(service)).status === 0;

  function up(): void {
    compose('up', '-d', '--no-build');
    for (const name of Object.keys(plan.networks)) {
      const [network] = JSON.parse(insist(podman('network', 'inspect', `${PROJECT}_${name}`)).stdout);
      keepAddressOf(network.network_interface);
    }
  }

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), `${PROJECT}-`));
    environment = networkEnvironment(folder);
    const image = ensureImage();
    writeFileSync(join(folder, 'start-postgres'), START_POSTGRES);
    insist(run('sh', ['-euc', BUILD, 'sh', join(folder, 'start-postgres'), IMAGES.postgres, IMAGES.caddy]));
    port = await freePort();
    const changed = replaceAll(readFileSync(join(COMPOSE, 'compose.yml'), 'utf8'), [
      [/^ {4}image: limen$/gm, `    image: ${image}`],
      [/^ {4}build: .*\n/gm, ''],
      [/^ {4}image: postgres:\S+$/m, `    image: ${IMAGES.postgres}`],
      [/^ {4}image: caddy:\S+$/m, `    image: ${IMAGES.caddy}`],
      [/^ {4}ports: .*$/m, `    ports: ["127.0.0.1:${port}:443"]`],
    ]);
    writeFileSync(join(folder, 'compose.yml'), changed);
    // Certificates of its own authority, because no public one is available for this name.
    const caddyfile = readFileSync(join(COMPOSE, 'Caddyfile'), 'utf8');
    writeFileSync(join(folder, 'Caddyfile'), `{\n\tlocal_certs\n\tskip_install_trust\n}\n${caddyfile}`);
    copyFileSync(join(COMPOSE, 'example.env'), join(folder, '.env'));
    const example = readFileSync(join(folder, '.env'), 'utf8');
    const filled = replaceAll(example, [[/^(\w+)=$/gm, '$1=<secret>']]).replace(/^(\w+)=<secret>$/gm, (_, name) => {
      secrets[name] = randomBytes(32).toString(name === 'POSTGRES_PASSWORD' ? 'hex' : 'base64');
      return `${name}=${secrets[name]}`;
    });
    expect(filled).toContain(`DOMAIN=${DOMAIN}\n`);
    writeFileSync(join(folder, '.env'), filled, { mode: 0o600 });
    const [, subnet] = /:-(.*)\}$/.exec(plan.networks.front.ipam.config[0].subnet)!;
    insist(podman('network', 'create', '--subnet', subnet!, `${PROJECT}_front`));
    up();
  }, 900_000);

  afterAll(() => {
    if (folder === '') return;
    for (const service of Object.keys(plan.services)) podman('rm', '-f', '-t', '0', nameOf(service));
    for (const name of Object.keys(plan.networks)) podman('network', 'rm', '-f', `${PROJECT}_${name}`);
    for (const name of Object.keys(plan.volumes)) podman('volume', 'rm', '-f', `${PROJECT}_${name}`);
    podman('rmi', '-f', IMAGES.caddy, IMAGES.postgres);
    rmSync(folder, { recursive: true, force: true });
  }, 120_000);

  /** Through Caddy, by its public name, verifying its certificate. */
  function ask(path: string, options: { method?: string; headers?: Record<string, string>; body?: string } = {}) {
    const { body, ...rest } = options;
    const own = { host: '127.0.0.1', port, path, ca: authority(), servername: DOMAIN, agent: false };
    const headers = { ...options.headers, host: DOMAIN };
    return new Promise<IncomingMessage>((resolve, reject) => {
      request({ ...own, ...rest, headers }, resolve)
        .once('error', reject)
        .end(body);
    });
  }
  function authority(): string {
    const file = join(folder, 'root.crt');
    if (!existsSync(file)) insist(podman('cp', `${nameOf('caddy')}:/data/caddy/pki/authorities/local/root.crt`, file));
    return readFileSync(file, 'utf8');
  }
  const askJson = async (...asked: Parameters<typeof ask>) => {
    const reply = await ask(...asked);
    return { status: reply.statusCode, body: JSON.parse(await text(reply)) };
  };
  const untilReady = async () => {
    for (const service of ['postgres', 'limen', 'limen2'])
      await expect.poll(() => isHealthy(service), { timeout: READY_MS, interval: 500, message: service }).toBe(true);
    const isReady = async () => askJson('/ready').catch(() => undefined);
    await expect
      .poll(isReady, { timeout: READY_MS, interval: 500 })
      .toMatchObject({ status: 200, body: { status: 'ready', checks: { keyholder: 'ready' } } });
    for (const service of ['limen', 'limen2']) {
      const doctor = () => inside(service, ...COMMAND_LINE, 'doctor').output;
      await expect.poll(doctor, { timeout: READY_MS, interval: 500, message: service }).toContain('No problems');
      expect(doctor()).toContain('the one at tls://keyholder:8443 answers');
    }
  };

  it('starts with both processes behind Caddy with certificates', { timeout: 3 * READY_MS }, async () => {
    await untilReady();
    const page = await ask('/launch');
    expect(page.statusCode).toBe(200);
    page.destroy();
  });

  it('confines its processes', () => {
    const program = `
      const status = fs.readFileSync('/proc/1/status', 'utf8');
      const told = (name) => new RegExp('^' + name + ':\\\\s*(\\\\S+)', 'm').exec(status)[1];
      const write = (file) => { try { fs.writeFileSync(file, ''); fs.rmSync(file); return 'written'; } catch ({ code }) { return code; } };
      console.log(told('Uid'), told('CapBnd'), told('NoNewPrivs'), ['/x', '/app/x', '/data/x'].map(write).join(' '));`;
    for (const service of ['limen', 'limen2', 'keyholder'])
      expect(inside(service, 'node', '-e', program).stdout).toBe(`10001 ${'0'.repeat(16)} 1 EROFS EROFS written`);
  });

  it('lets only the service reach the key-holder, and no one from outside the database', () => {
    const networks = (service: string): Record<string, { IPAddress: string }> =>
      JSON.parse(insist(podman('inspect', nameOf(service), '--format', '{{json .NetworkSettings.Networks}}')).stdout);
    const keyHolder = networks('keyholder')[`${PROJECT}_keys`]!.IPAddress;
    const database = networks('postgres')[`${PROJECT}_back`]!.IPAddress;
    const reaches = (from: string, host: string, at: number) =>
      inside(from, 'timeout', '5', 'bash', '-c', `exec 3<> /dev/tcp/${host}/${at}`).status === 0;
    expect(reaches('caddy', 'limen', 8080)).toBe(true);
    expect(reaches('postgres', database, 5432)).toBe(true);
    for (const from of ['caddy', 'postgres'])
      for (const host of ['keyholder', keyHolder]) expect(reaches(from, host, 8443), `${from} ${host}`).toBe(false);
    for (const host of ['postgres', database]) expect(reaches('caddy', host, 5432), host).toBe(false);
    for (const service of ['keyholder', 'postgres', 'limen', 'limen2'])
      expect(podman('port', nameOf(service)).stdout).toBe('');
  });

  let written: { headers: Record<string, string>; id: string };

  it(
    'keeps stored data, whichever process stored it',
    async () => {
      const made = inside('limen', ...COMMAND_LINE, 'keys', 'create', '--label', 'Web shop');
      expect(made.status, made.output).toBe(0);
      const headers = { 'x-api-key': /\blimen_\S+/.exec(made.stdout)![0], 'content-type': 'application/json' };
      const reply = await askJson('/strings', { method: 'POST', headers, body: JSON.stringify({ value: 'kept' }) });
      expect(reply).toMatchObject({ status: 201, body: { value: 'kept' } });
      written = { headers, id: reply.body.id };
      for (const other of ['limen', 'limen2']) {
        insist(podman('stop', '-t', '40', nameOf(other)));
        expect(podman('inspect', nameOf(other), '--format', '{{.State.ExitCode}}').stdout).toBe('0');
        const isThere = () => askJson(`/strings/${written.id}`, { headers }).catch(() => undefined);
        await expect.poll(isThere, { timeout: READY_MS, interval: 500 }).toMatchObject({ body: { value: 'kept' } });
        insist(podman('start', nameOf(other)));
        await expect.poll(() => isHealthy(other), { timeout: READY_MS, interval: 500 }).toBe(true);
      }
    },
    3 * READY_MS,
  );

  it('is backed up by the documented commands', { timeout: READY_MS }, () => {
    const section = readFileSync(join(ROOT, 'docs/deployment.md'), 'utf8')
      .split(/^## /m)
      .find((one) => one.startsWith('Compose'))!;
    const [, backup] = section.matchAll(/^```sh\n(.*?)^```$/gms);
    for (const name of ['backups', 'elsewhere']) mkdirSync(join(folder, name));
    const script = replaceAll(backup![1]!, [
      [/docker compose exec /g, `podman-compose -p ${PROJECT} exec -T `],
      // It has no "cp".
      [/docker compose cp /g, `podman cp ${PROJECT}_`],
      [/(?<=podman cp \S+?):/g, '_1:'],
      [/ \/(?=backups|elsewhere)/g, ` ${folder}/`],
    ]);
    insist(run('sh', ['-euc', script], { cwd: folder, env: environment }));
    const restored = (at: string, ...args: string[]) => {
      const env = {
        MASTER_KEY: secrets['MASTER_KEY']!,
        KEYHOLDER_MASTER_KEY: secrets['KEYHOLDER_MASTER_KEY']!,
        DATA_DIR: at,
      };
      const ran = run('node', ['apps/server/bin/limen.js', ...args], { env });
      expect(ran.status, ran.output).toBe(0);
    };
    const drill = join(folder, 'drill');
    mkdirSync(drill, { mode: 0o700 });
    const [day] = /\d{4}-\d\d-\d\d/.exec(script)!;
    restored(drill, 'restore', '--check', join(folder, 'backups', day));
    restored(drill, 'restore', join(folder, 'backups', day));
    restored(drill, 'keyholder', 'restore', join(folder, 'elsewhere', day), '--to', join(drill, 'keys'));
    for (const service of ['limen', 'keyholder'])
      expect(
        inside(service, 'node', '-p', "fs.readdirSync('/data').filter((name) => name.startsWith('backup')).length")
          .stdout,
      ).toBe('0');
  });

  it('has all data after being taken down and up again', { timeout: 3 * READY_MS }, async () => {
    compose('down', '-t', '40');
    expect(podman('ps', '-aq', '--filter', `name=${PROJECT}_`).stdout).toBe('');
    up();
    await untilReady();
    expect(await askJson(`/strings/${written.id}`, { headers: written.headers })).toMatchObject({
      body: { value: 'kept' },
    });
  });
});
