// PgBouncer, HAProxy and Caddy with the shipped configuration files (deploy/cluster,
// deploy/compose), on addresses of this machine.
import { chmodSync, chownSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { unprivileged } from '@limen/testing/postgres-cluster.ts';
import { createMember, type Member } from './processes.ts';

const DEPLOY = join(import.meta.dirname, '../../deploy/cluster');
const CADDYFILE = join(import.meta.dirname, '../../deploy/compose/Caddyfile');
const HERE = '127.0.0.1';

export interface PgBouncer extends Member {
  /** Switches the primary to this port. */
  pointTo(port: number): void;
}

interface PgBouncerPlan {
  binary: string;
  folder: string;
  port: number;
  primaryPort: number;
}

export function createPgBouncer({ binary, folder, port, primaryPort }: PgBouncerPlan): PgBouncer {
  const [file, users] = [join(folder, 'pgbouncer.ini'), join(folder, 'userlist.txt')];
  const write = (primary: number) =>
    writeReadable(
      file,
      replaceAll(readFileSync(join(DEPLOY, 'pgbouncer.ini'), 'utf8'), [
        [/host=\S+ port=\d+/g, `host=${HERE} port=${primary}`],
        [/^listen_addr = .*$/m, `listen_addr = ${HERE}`],
        [/^listen_port = .*$/m, `listen_port = ${port}`],
        // Accepts everyone on this machine's loopback address, as its servers do.
        [/^auth_type = .*$/m, 'auth_type = trust'],
        [/^auth_file = .*$/m, `auth_file = ${users}`],
      ]),
    );
  writeReadable(users, '"limen" ""\n');
  write(primaryPort);
  const plan = {
    name: 'pgbouncer',
    command: binary,
    args: [file],
    environment: {},
    identity: unprivileged(), // it refuses to run as root
    isReady: () => answers(port),
  };
  const member = createMember(plan, folder);
  return {
    ...member,
    pointTo(primary) {
      write(primary);
      member.signal('SIGHUP');
    },
  };
}

interface HaproxyPlan {
  binary: string;
  folder: string;
  port: number;
  servicePorts: readonly number[];
}

export function createHaproxy({ binary, folder, port, servicePorts }: HaproxyPlan): Member {
  const file = join(folder, 'haproxy.cfg');
  const identity = unprivileged();
  const control = join(folder, 'haproxy');
  mkdirSync(control);
  if (identity) chownSync(control, identity.uid, identity.gid);
  const servers = servicePorts.map((servicePort, index) => `    server limen${index + 1} ${HERE}:${servicePort}`);
  const tracking = servers.map((line, index) => `${line} track limen/limen${index + 1}\n`);
  const text = replaceAll(readFileSync(join(DEPLOY, 'haproxy.cfg'), 'utf8'), [
    [/\/run\/haproxy\/limen\.sock/g, join(control, 'limen.sock')],
    // Only root may change user and root folder.
    [/^ {4}(chroot|user|group) .*\n/gm, ''],
    [/^ {4}bind .*$/m, `    bind ${HERE}:${port}`],
    [/(^ {4}server \S+ \S+\n)+/m, `${servers.join('\n')}\n`],
    [/(^ {4}server \S+ \S+ track .*\n)+/m, tracking.join('')],
  ]);
  writeReadable(file, text);
  const plan = {
    name: 'haproxy',
    command: binary,
    args: ['-f', file],
    environment: {},
    identity,
    isReady: () => answers(port),
  };
  return createMember(plan, folder);
}

interface CaddyPlan {
  binary: string;
  folder: string;
  port: number;
  /** Port that redirects to the other one. */
  plainPort: number;
  servicePorts: readonly number[];
}

export interface Caddy extends Member {
  /** Certificate of the authority that it creates for names of this machine. */
  authorityFile: string;
}

export function createCaddy({ binary, folder, port, plainPort, servicePorts }: CaddyPlan): Caddy {
  const file = join(folder, 'Caddyfile');
  const authorityFile = join(folder, 'caddy/pki/authorities/local/root.crt');
  const upstreams = servicePorts.map((servicePort) => `${HERE}:${servicePort}`);
  const text = replaceAll(readFileSync(CADDYFILE, 'utf8'), [
    [/^\treverse_proxy .* \{$/m, `\treverse_proxy ${upstreams.join(' ')} {`],
  ]);
  const settings = [`http_port ${plainPort}`, `https_port ${port}`, 'admin off', 'skip_install_trust'];
  writeReadable(file, `{\n\t${settings.join('\n\t')}\n}\n${text}`);
  const plan = {
    name: 'caddy',
    command: binary,
    args: ['run', '--config', file, '--adapter', 'caddyfile'],
    environment: { DOMAIN: 'localhost', HOME: folder, XDG_DATA_HOME: folder, XDG_CONFIG_HOME: folder },
    isReady: async () => existsSync(authorityFile) && (await answers(port)),
  };
  return { ...createMember(plan, folder), authorityFile };
}

/** Throws if a shipped file no longer contains the text to replace. */
export function replaceAll(text: string, changes: readonly [RegExp, string][]): string {
  return changes.reduce((changed, [from, to]) => {
    if (!from.test(changed)) throw new Error(`A file in deploy lacks ${from}.`);
    from.lastIndex = 0;
    return changed.replace(from, to);
  }, text);
}

/** For another user. */
export function writeReadable(file: string, text: string): void {
  writeFileSync(file, text);
  chmodSync(file, 0o644);
}

function answers(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, HERE);
    socket.once('connect', () => resolve(true)).once('error', () => resolve(false));
    socket.once('connect', () => socket.destroy());
  });
}
