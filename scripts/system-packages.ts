// Installs system packages if possible: as root on Debian and its derivatives.
import { spawnSync } from 'node:child_process';
import { existsSync, globSync } from 'node:fs';
import { join } from 'node:path';

let listsFetched = false;

/** Returns true if the package is installed afterwards. */
export function installDebianPackage(name: string): boolean {
  if (process.getuid?.() !== 0 || !existsSync('/usr/bin/apt-get')) return false;
  console.log(`Installing ${name} (Debian package) …`);
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  const run = (...args: string[]) =>
    spawnSync('apt-get', args, { env, stdio: ['ignore', 'ignore', 'inherit'] }).status === 0;
  if (!listsFetched) listsFetched = run('update', '-qq');
  return run('install', '-y', '-qq', '--no-install-recommends', name);
}

/** Looks for a program in the folders of `PATH`. */
export function findProgram(name: string): string | undefined {
  const folders = (process.env['PATH'] ?? '').split(':');
  return folders.map((folder) => join(folder, name)).find((path) => existsSync(path));
}

export function findChromium(): string | undefined {
  return ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'].find((path) => existsSync(path));
}

/** Chromium without its display parts: the same pages at half the cost. */
export function findHeadlessShell(): string | undefined {
  return ['/usr/bin/chromium-headless-shell'].find((path) => existsSync(path));
}

export function findFirefox(): string | undefined {
  return ['/usr/bin/firefox-esr', '/usr/bin/firefox'].find((path) => existsSync(path));
}

/** WebKit's driver, if the browser and a virtual screen are available. */
export function findWebKit(): string | undefined {
  const found = ['/usr/bin/WebKitWebDriver'].find((path) => existsSync(path));
  return existsSync('/usr/bin/Xvfb') && findMiniBrowser() !== undefined ? found : undefined;
}

export function findMiniBrowser(): string | undefined {
  return [...globSync('/usr/lib/*/webkit2gtk-4.*/MiniBrowser')].sort().at(-1);
}

/** Checks alert rules. Part of Prometheus. */
export function findPromtool(): string | undefined {
  return ['/usr/bin/promtool', '/usr/local/bin/promtool'].find((path) => existsSync(path));
}

/** Builds and runs images. Dependencies are installed too. */
export function findPodman(): string | undefined {
  return ['/usr/bin/podman'].find((path) => existsSync(path) && existsSync('/usr/bin/buildah'));
}

/** Includes name resolution for container networks. */
export function findPodmanCompose(): string | undefined {
  const needed = ['/usr/lib/podman/netavark', '/usr/lib/podman/aardvark-dns', '/usr/bin/catatonit', '/usr/bin/ip'];
  return ['/usr/bin/podman-compose'].find((path) => [path, ...needed].every((file) => existsSync(file)));
}

/** Programs of a cluster besides PostgreSQL. */
export function findPgBouncer(): string | undefined {
  return ['/usr/sbin/pgbouncer', '/usr/bin/pgbouncer'].find((path) => existsSync(path));
}

export function findHaproxy(): string | undefined {
  return ['/usr/sbin/haproxy', '/usr/local/sbin/haproxy'].find((path) => existsSync(path));
}

export function findCaddy(): string | undefined {
  return ['/usr/bin/caddy'].find((path) => existsSync(path));
}

/** Physical backups of PostgreSQL with WAL archiving. */
export function findPgBackRest(): string | undefined {
  return ['/usr/bin/pgbackrest'].find((path) => existsSync(path));
}

/** Library that gives a process a different time. */
export function findFaketime(): string | undefined {
  return globSync('/usr/lib/*/faketime/libfaketime.so.1')[0];
}
