// A complete cluster on this machine: PostgreSQL with a replica, PgBouncer, two key-holders, three
// service processes, HAProxy.
import { randomBytes } from 'node:crypto';
import { chmodSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '@limen/testing/postgres-cluster.ts';
import { type PostgresPair, startPostgresPair } from './postgres-pair.ts';
import { createMember, type Member } from './processes.ts';
import { createHaproxy, createPgBouncer, type PgBouncer } from './proxies.ts';

const SERVER = join(import.meta.dirname, '../../apps/server/bin');
const MODELS = join(import.meta.dirname, '../../data/models');
const LISTENS = /^listening on /m;

/** Paths of the programs. */
export interface ClusterPrograms {
  postgres: string;
  pgbouncer: string;
  haproxy: string;
}

export interface ClusterOptions {
  programs: ClusterPrograms;
  services?: number;
  keyHolders?: number;
  /** Environment per service process, such as NODE_ENV. `nth` starts at 1. */
  environment?: (nth: number) => Readonly<Record<string, string>>;
  keyHolderEnvironment?: Readonly<Record<string, string>>;
  /** Puts a proxy before a port of one or all service processes. Returns its port. */
  wire?: (to: `database of limen${number}` | `keyholder${number}`, port: number) => Promise<number>;
  /** Puts PostgreSQL's folders on file systems of this size. Requires root. */
  diskMb?: number | undefined;
}

export interface RunningCluster {
  /** URL of the front proxy. */
  url: string;
  apiKey: string;
  /** URLs of the service processes. */
  serviceUrls: readonly string[];
  folder: string;
  services: readonly Member[];
  keyHolders: readonly Member[];
  postgres: PostgresPair;
  pgbouncer: PgBouncer;
  haproxy: Member;
  /** Environment of each service process. */
  environment: Readonly<Record<string, string>>;
  /** Environment of each key-holder. */
  keyHolderEnvironment: Readonly<Record<string, string>>;
  /** Kills the primary, promotes the replica, and reconfigures PgBouncer. */
  promote(signal?: 'SIGKILL' | 'SIGINT'): Promise<void>;
  stop(): Promise<void>;
}

export async function startCluster(options: ClusterOptions): Promise<RunningCluster> {
  const { programs, wire = async (_, port) => port } = options;
  const folder = mkdtempSync(join(tmpdir(), 'limen-cluster-'));
  chmodSync(folder, 0o755); // PgBouncer runs as a separate user
  const began: Member[] = [];
  let postgres: PostgresPair | undefined;

  /** Signals must not leave a dozen processes and file systems behind. */
  function abandon(): void {
    for (const member of began) member.signal('SIGKILL');
    postgres?.abandon();
    rmSync(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 });
  }
  process.once('exit', abandon);

  async function stop(): Promise<void> {
    process.off('exit', abandon);
    // The front proxy first, so that no request reaches an exiting process.
    for (const member of began.toReversed()) await member.stop();
    await postgres?.stop();
    rmSync(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 });
  }

  async function start(member: Member): Promise<void> {
    began.push(member);
    await member.start();
  }

  try {
    postgres = await startPostgresPair(programs.postgres, ['limen', 'keyholder'], options.diskMb);
    const pair = postgres;
    const port = await freePort();
    const pgbouncer = createPgBouncer({ binary: programs.pgbouncer, folder, port, primaryPort: pair.primaryPort() });
    await start(pgbouncer);
    const databaseAt = (at: number, name: string) => `postgres://limen@127.0.0.1:${at}/${name}`;

    const secret = randomBytes(32).toString('base64');
    const base = { PATH: process.env['PATH'] ?? '', HOME: process.env['HOME'] ?? folder, ...compileCache() };
    const keyHolders: Member[] = [];
    const keyHolderUrls: string[] = [];
    const masterKey = randomBytes(32).toString('base64');
    const keyHolderEnvironment = {
      ...base,
      KEYHOLDER_DATABASE_URL: databaseAt(port, 'keyholder'),
      KEYHOLDER_MASTER_KEY: masterKey,
      KEYHOLDER_SECRET: secret,
      ...options.keyHolderEnvironment,
    };
    for (let nth = 1; nth <= (options.keyHolders ?? 2); nth += 1) {
      const ownPort = await freePort();
      const environment = { ...keyHolderEnvironment, KEYHOLDER_PORT: String(ownPort) };
      keyHolders.push(nodeMember(`keyholder${nth}`, 'keyholder.js', environment, folder));
      keyHolderUrls.push(`tls://127.0.0.1:${await wire(`keyholder${nth}`, ownPort)}`);
    }
    for (const member of keyHolders) await start(member);

    const frontPort = await freePort();
    const url = `http://127.0.0.1:${frontPort}`;
    const apiKey = randomBytes(24).toString('base64url');
    const shared = {
      ...base,
      NODE_ENV: 'development',
      MASTER_KEY: randomBytes(32).toString('base64'),
      KEYHOLDER_URL: keyHolderUrls.join(','),
      KEYHOLDER_SECRET: secret,
      DEV_API_KEY: apiKey,
      PUBLIC_URL: url,
      TRUST_PROXY: '127.0.0.1',
      MODELS_DIR: MODELS, // downloaded once instead of by each
    };
    const services: Member[] = [];
    const servicePorts: number[] = [];
    for (let nth = 1; nth <= (options.services ?? 3); nth += 1) {
      const ownPort = await freePort();
      const dataDir = join(folder, `limen${nth}`);
      mkdirSync(dataDir);
      const environment = {
        ...shared,
        PORT: String(ownPort),
        DATA_DIR: dataDir,
        DATABASE_URL: databaseAt(await wire(`database of limen${nth}`, port), 'limen'),
        ...options.environment?.(nth),
      };
      services.push(nodeMember(`limen${nth}`, 'start.js', environment, folder));
      servicePorts.push(ownPort);
    }
    // The first builds the pages and creates the tables, which the others reuse.
    await start(services[0]!);
    await Promise.all(services.slice(1).map(start));
    const haproxy = createHaproxy({ binary: programs.haproxy, folder, port: frontPort, servicePorts });
    await start(haproxy);
    await untilReady(url);
    return {
      url,
      apiKey,
      serviceUrls: servicePorts.map((at) => `http://127.0.0.1:${at}`),
      folder,
      services,
      keyHolders,
      postgres,
      pgbouncer,
      haproxy,
      environment: { ...shared, DATABASE_URL: databaseAt(port, 'limen'), DATA_DIR: join(folder, 'limen1') },
      keyHolderEnvironment,
      async promote(signal) {
        await pair.promote(signal);
        pgbouncer.pointTo(pair.primaryPort());
      },
      stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

function nodeMember(name: string, file: string, environment: Record<string, string>, folder: string): Member {
  const plan = { name, command: process.execPath, args: [join(SERVER, file)], environment, says: LISTENS };
  return createMember(plan, folder);
}

/** Compiled once instead of by each process. */
function compileCache(): Record<string, string> {
  return { NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'] ?? join(tmpdir(), 'limen-test-compiled') };
}

async function untilReady(url: string): Promise<void> {
  for (let tries = 0; tries < 300; tries += 1) {
    const reply = await fetch(`${url}/ready`).catch(() => undefined);
    if (reply?.ok) return;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  throw new Error('The cluster was not ready within 30 s.');
}
