// Requirements of tests, benchmarks and evaluations beyond npm: found on the machine, or installed
// if possible.

import { findPostgres } from '@limen/testing/postgres-cluster.ts';
import { findZoneFont } from '../packages/documents/testing/font/index.ts';
import { findPgvectorRoot, makePgvectorRoot } from './pgvector-root.ts';
import {
  findCaddy,
  findChromium,
  findFaketime,
  findFirefox,
  findHaproxy,
  findPgBackRest,
  findPgBouncer,
  findPodman,
  findPodmanCompose,
  findProgram,
  findPromtool,
  findWebKit,
  installDebianPackage,
} from './system-packages.ts';

const THINGS = {
  postgres: { find: findPostgres, debianPackage: 'postgresql', lack: 'no PostgreSQL server binaries were found' },
  chromium: {
    find: findChromium,
    debianPackage: 'chromium',
    // Only together with it, so that an existing Chromium requires no further installation.
    beside: ['chromium-headless-shell'],
    lack: 'no Chromium was found',
  },
  firefox: { find: findFirefox, debianPackage: 'firefox-esr', lack: 'no Firefox was found' },
  webkit: {
    find: findWebKit,
    debianPackage: 'webkit2gtk-driver',
    beside: ['xvfb'],
    lack: 'WebKitWebDriver, its MiniBrowser or Xvfb was not found',
  },
  podman: {
    find: findPodman,
    debianPackage: 'podman',
    beside: ['buildah', 'mmdebstrap', 'runc'],
    lack: 'podman and buildah were not found',
  },
  podmanCompose: {
    find: findPodmanCompose,
    debianPackage: 'podman-compose',
    beside: ['netavark', 'aardvark-dns', 'catatonit', 'iproute2'],
    lack: 'podman-compose, or what podman’s networks take, was not found',
  },
  pgvector: {
    find: findPgvectorRoot,
    debianPackage: 'mmdebstrap',
    make: makePgvectorRoot,
    lack: 'a root with Debian 13’s PostgreSQL and pgvector could not be made',
  },
  promtool: { find: findPromtool, debianPackage: 'prometheus', lack: 'promtool was not found' },
  pgbouncer: { find: findPgBouncer, debianPackage: 'pgbouncer', lack: 'PgBouncer was not found' },
  pgbackrest: { find: findPgBackRest, debianPackage: 'pgbackrest', lack: 'pgBackRest was not found' },
  haproxy: { find: findHaproxy, debianPackage: 'haproxy', lack: 'HAProxy was not found' },
  caddy: { find: findCaddy, debianPackage: 'caddy', lack: 'Caddy was not found' },
  faketime: { find: findFaketime, debianPackage: 'libfaketime', lack: 'libfaketime was not found' },
  php: { find: () => findProgram('php'), debianPackage: 'php-cli', lack: 'PHP was not found' },
  ruby: { find: () => findProgram('ruby'), debianPackage: 'ruby', lack: 'Ruby was not found' },
  go: { find: () => findProgram('go'), debianPackage: 'golang-go', lack: 'Go was not found' },
  java: { find: () => findProgram('javac'), debianPackage: 'default-jdk-headless', lack: 'no Java compiler was found' },
  mono: {
    find: () => findProgram('mcs'),
    debianPackage: 'mono-mcs',
    beside: ['mono-runtime'],
    lack: 'Mono’s C# compiler was not found',
  },
  zoneFont: { find: findZoneFont, debianPackage: 'fonts-ocr-b', lack: 'the font OCR-B was not found' },
};

type Thing = keyof typeof THINGS;

interface ThingParts {
  find(): string | undefined;
  debianPackage: string;
  /** Installed with it. */
  beside?: readonly string[];
  /** Setup after the installation. */
  make?(): void;
}

/** Returns its location, or undefined if it is missing and cannot be installed. */
export function provideRequirement(thing: Thing): string | undefined {
  const { find, debianPackage, beside, make }: ThingParts = THINGS[thing];
  const found = find();
  if (found !== undefined) return found;
  if (!installDebianPackage(debianPackage)) return undefined;
  for (const more of beside ?? []) installDebianPackage(more);
  make?.();
  return find();
}

/** Returns the line that explains what is skipped without it. */
export function sayLeftOut(what: string, thing: Thing): string {
  const { debianPackage, lack } = THINGS[thing];
  return `SKIPPED: ${what} (${lack}; install Debian’s ${debianPackage} package)`;
}

/** For commands that need it: prints the reason and exits. */
export function provideRequirementOrExit(thing: Thing, command: string): string {
  const found = provideRequirement(thing);
  if (found !== undefined) return found;
  console.log(sayLeftOut(`all of ${command}`, thing));
  process.exit(0);
}
