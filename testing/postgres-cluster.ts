// A temporary PostgreSQL server for the tests, with the machine's own binaries.
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { chownSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { createServer as createListener } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

export interface Cluster {
  url: string;
  version: string;
  /** Ends the server with a signal (SIGKILL: a crash) and waits for it. */
  end(signal: 'SIGKILL' | 'SIGQUIT' | 'SIGINT'): Promise<void>;
  /** Restarts it with the same data and port. */
  restart(): Promise<void>;
  stop(): Promise<void>;
}

interface ClusterOptions {
  /** Whether acknowledged commits must survive a killed server. Tests without kills disable it. */
  durable?: boolean;
  /** Root folder of another system with the binaries, in which they run. Requires root. */
  root?: string;
  /** Additional server settings. */
  settings?: Record<string, string>;
}

/** With the id of its creator: a server that outlives it is stale. */
const FOLDER_PREFIX = 'limen-postgres-';
const FOLDER_NAME = new RegExp(`^${FOLDER_PREFIX}(\\d+)-`);

/** Returns the folder of the newest PostgreSQL on this machine, or undefined. */
export function findPostgres(): string | undefined {
  const debian = '/usr/lib/postgresql';
  const versions = existsSync(debian) ? readdirSync(debian).sort((a, b) => Number(b) - Number(a)) : [];
  const folders = [
    ...versions.map((version) => join(debian, version, 'bin')),
    ...(process.env['PATH'] ?? '').split(':'),
  ];
  return folders.find((folder) => existsSync(join(folder, 'initdb')) && existsSync(join(folder, 'postgres')));
}

export async function startCluster(binaries: string, options: ClusterOptions = {}): Promise<Cluster> {
  const { durable = false, root, settings } = options;
  const folder = createServerFolder(root);
  const data = join(folder, 'data');
  initialize(binaries, data, root);
  const more = { synchronous_commit: durable ? 'on' : 'off', ...settings };
  const server = createServer(binaries, data, await freePort(), more, root);
  await server.start();
  const [program, args, place] = commandFor({ binaries, data, root }, 'postgres', ['--version']);
  return {
    url: server.url,
    version: execFileSync(program, args, { ...place, stdio: ['ignore', 'pipe', 'ignore'], encoding: 'utf8' }).trim(),
    end: server.end,
    restart: server.restart,
    async stop() {
      await server.end('SIGINT'); // a fast shutdown: open connections are closed
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** A server on a data folder, running or not. */
export interface PostgresServer extends Pick<Cluster, 'url' | 'end' | 'restart'> {
  readonly port: number;
  start(): Promise<void>;
  isRunning(): boolean;
  pid(): number | undefined;
  /** Kills it without waiting, for a process that is exiting. */
  abandon(): void;
}

/** Folder for data and sockets, owned by the servers' user. */
export function createServerFolder(root?: string): string {
  const folder = mkdtempSync(
    join(root === undefined ? tmpdir() : join(root, 'tmp'), `${FOLDER_PREFIX}${process.pid}-`),
  );
  const identity = root === undefined ? unprivileged() : findUser(root);
  if (identity) chownSync(folder, identity.uid, identity.gid);
  return folder;
}

export function initialize(binaries: string, data: string, root?: string): void {
  const place = { binaries, data, root };
  const initdb = ['-U', 'limen', '--auth=trust', '-E', 'UTF8', '--locale=C.UTF-8', '--no-instructions'];
  execFileSync(...commandFor(place, 'initdb', ['-D', pathWithin(root, data), ...initdb]));
}

/** Command line of a PostgreSQL program. */
export function asServer(folder: string) {
  return { ...unprivileged(), cwd: folder, stdio: 'ignore' as const };
}

interface Place {
  binaries: string;
  data: string;
  root: string | undefined;
}

/** In another system's root, where programs only see its content. */
function commandFor(
  { binaries, data, root }: Place,
  program: string,
  args: string[],
): [string, string[], ReturnType<typeof asServer>] {
  const folder = dirname(data);
  if (root === undefined) return [join(binaries, program), args, asServer(folder)];
  const { uid, gid } = findUser(root);
  const chrootArgs = ['--userspec', `${uid}:${gid}`, root, join(binaries, program), ...args];
  return ['chroot', chrootArgs, { cwd: folder, stdio: 'ignore' }];
}

function pathWithin(root: string | undefined, path: string): string {
  return root === undefined ? path : path.slice(root.length);
}

export function createServer(
  binaries: string,
  data: string,
  port: number,
  more: Readonly<Record<string, string>>,
  root?: string,
): PostgresServer {
  const place = { binaries, data, root };
  const folder = pathWithin(root, dirname(data));
  const settings = { port, listen_addresses: '127.0.0.1', unix_socket_directories: folder, max_connections: 200 };
  // Nothing must survive a power failure, so fsync is off.
  const careless = { fsync: 'off', full_page_writes: 'off' };
  const allSettings = { ...settings, ...careless, ...more };
  const flags = Object.entries(allSettings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
  let server: ChildProcess | undefined;
  const isRunning = () => server !== undefined && server.exitCode === null && server.signalCode === null;
  const start = async () => {
    server = spawn(...commandFor(place, 'postgres', ['-D', pathWithin(root, data), ...flags]));
    const asking = ['-h', '127.0.0.1', '-p', String(port)];
    await untilReady(() => execFileSync(...commandFor(place, 'pg_isready', asking)), server);
  };
  return {
    url: `postgres://limen@127.0.0.1:${port}/postgres`,
    port,
    start,
    isRunning,
    pid: () => server?.pid,
    abandon: () => void (isRunning() && server!.kill('SIGQUIT')),
    async end(signal) {
      if (!isRunning()) return;
      const ended = new Promise((resolve) => server!.once('exit', resolve));
      server!.kill(signal);
      await ended;
    },
    async restart() {
      for (let tries = 1; ; tries += 1) {
        try {
          return await start();
        } catch (error) {
          // Children of a killed server take a moment to exit and hold its memory until then.
          if (tries === 100) throw error;
          await new Promise((resolve) => setTimeout(resolve, 100));
        }
      }
    },
  };
}

/** Servers that an earlier run left in its temporary folder (Linux). */
export function killServersIn(temporary: string): void {
  for (const { folder } of serverFoldersIn(temporary)) killServerIn(folder);
}

/** Servers in another system's root, which several runs share with their folders. */
export function removeLeftServers(root: string): void {
  for (const { folder, madeBy } of serverFoldersIn(join(root, 'tmp'))) {
    if (isAlive(madeBy)) continue;
    killServerIn(folder, root);
    rmSync(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
  }
}

function serverFoldersIn(temporary: string): { folder: string; madeBy: number }[] {
  return readdirSync(temporary).flatMap((name) => {
    const pid = FOLDER_NAME.exec(name)?.[1];
    return pid === undefined ? [] : [{ folder: join(temporary, name), madeBy: Number(pid) }];
  });
}

/** Waits until it has exited, because an exiting server may still write to its folder. */
function killServerIn(folder: string, root?: string): void {
  const data = join(folder, 'data');
  const noted = join(data, 'postmaster.pid');
  const pid = existsSync(noted) ? Number.parseInt(readFileSync(noted, 'utf8'), 10) : 0;
  const command = `/proc/${pid}/cmdline`;
  // The process id may have been reused. In another root, the folder has a different path.
  const named = pathWithin(root, data);
  const isThere = () => pid > 0 && existsSync(command) && readFileSync(command, 'utf8').includes(named);
  if (!isThere()) return;
  process.kill(pid, 'SIGQUIT');
  for (let tries = 0; isThere() && tries < 100; tries += 1)
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 50);
}

export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

/** PostgreSQL refuses to run as root. Debian's package creates a user for it. */
export function unprivileged(): { uid: number; gid: number } | undefined {
  if (process.getuid?.() !== 0) return undefined;
  const idOf = (flag: string, user: string) => Number(execFileSync('id', [flag, user], { encoding: 'utf8' }));
  for (const user of ['postgres', 'nobody']) {
    try {
      return { uid: idOf('-u', user), gid: idOf('-g', user) };
    } catch {
      // no such user
    }
  }
  return undefined;
}

export async function freePort(): Promise<number> {
  const server = createListener().listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  if (address === null || typeof address === 'string') throw new Error('no free port');
  return address.port;
}

/** The user that the package created there. */
function findUser(root: string): { uid: number; gid: number } {
  const users = readFileSync(join(root, 'etc/passwd'), 'utf8').split('\n');
  const [, , uid, gid] = users.find((line) => line.startsWith('postgres:'))?.split(':') ?? [];
  return { uid: Number(uid), gid: Number(gid) };
}

async function untilReady(ask: () => unknown, server: ChildProcess): Promise<void> {
  for (let tries = 0; tries < 150; tries++) {
    if (server.exitCode !== null) throw new Error(`PostgreSQL ended at once (exit code ${server.exitCode})`);
    try {
      ask();
      return;
    } catch {
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  }
  throw new Error('PostgreSQL did not become ready within 15 s');
}
