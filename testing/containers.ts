// Containers for the tests: podman, including machines with cgroups v1, and the image of Limen,
// built once per run.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const ROOT = join(import.meta.dirname, '..');
const FOLDERS = ['/usr/bin', '/usr/sbin', '/usr/lib/podman'];
/** Set by testing/one-image.ts for all workers of a run, and removed there. */
const IMAGE_VARIABLE = 'LIMEN_TEST_IMAGE';
const MAX_OUTPUT = 2 ** 26;

export interface Ran {
  status: number | null;
  stdout: string;
  /** Standard error. */
  output: string;
}

interface Place {
  cwd?: string;
  env?: Record<string, string>;
}

export function run(command: string, args: readonly string[], { cwd = ROOT, env }: Place = {}): Ran {
  const options = { cwd, encoding: 'utf8' as const, maxBuffer: MAX_OUTPUT, env: { ...process.env, ...env } };
  const { status, stdout, stderr, error } = spawnSync(command, args, options);
  if (error) throw error;
  return { status, stdout: stdout.trim(), output: `${stdout}${stderr}` };
}

/** Throws with the output if it fails. */
export function insist(ran: Ran): Ran {
  if (ran.status !== 0) throw new Error(`ended with ${ran.status}:\n${ran.output}`);
  return ran;
}

export const podman = (...args: string[]) =>
  run('podman', ['--runtime', 'runc', '--cgroup-manager', 'cgroupfs', ...args]);

/** Returns whether containers can be built and run here: as root, with these programs. */
export function canRunContainers(...more: string[]): boolean {
  const needed = ['podman', 'buildah', 'mmdebstrap', 'runc', ...more];
  const isThere = (tool: string) => FOLDERS.some((folder) => existsSync(join(folder, tool)));
  return process.getuid?.() === 0 && needed.every(isThere);
}

/** Name of skipped tests, listed at the end of the run. */
export function nameWithLack(name: string, canRun: boolean): string {
  return canRun ? name : `${name} (skipped: it needs root, and podman with what its networks take)`;
}

/** Requirements of networks with names. */
export const NETWORK_TOOLS = ['netavark', 'aardvark-dns', 'catatonit', 'ip'];

/**
 * Environment in which podman, and its callers, have networks with name resolution. They are
 * registered in the folder only.
 */
export function networkEnvironment(folder: string): Record<string, string> {
  const networks = join(folder, 'networks');
  mkdirSync(networks);
  const file = join(folder, 'containers.conf');
  const lines = [
    '[containers]',
    'default_ulimits = ["nofile=4096:4096", "nproc=4096:4096"]',
    '[network]',
    'network_backend = "netavark"',
    `network_config_dir = ${JSON.stringify(networks)}`,
    '[engine]',
    'cgroup_manager = "cgroupfs"',
    'events_logger = "file"',
    'runtime = "runc"',
  ];
  writeFileSync(file, `${lines.join('\n')}\n`);
  return { CONTAINERS_CONF: file };
}

/**
 * Debian's netavark lets a network's bridge change its hardware address whenever a container starts
 * or stops. Until the others notice, their packets and DNS queries are lost. An explicitly set
 * address stays.
 */
export function keepAddressOf(bridge: string): void {
  const address = readFileSync(`/sys/class/net/${bridge}/address`, 'utf8').trim();
  insist(run('ip', ['link', 'set', 'dev', bridge, 'address', address]));
}

/** Returns its name once it exists. The first caller builds it, and the others wait. */
export function ensureImage(): string {
  const image = process.env[IMAGE_VARIABLE];
  if (image === undefined) throw new Error(`${IMAGE_VARIABLE} is not set: testing/one-image.ts has not run`);
  const build = 'podman image exists "$0" || exec sh deploy/image/build.sh "$0"';
  insist(run('flock', [lockOf(image), 'sh', '-c', build, image]));
  return image;
}

export function nameImage(): string {
  const image = `localhost/limen-under-test-${process.pid}`;
  process.env[IMAGE_VARIABLE] = image;
  return image;
}

export function lockOf(image: string): string {
  return join(tmpdir(), `${image.replace('/', '-')}.lock`);
}
