// A PostgreSQL primary with synchronous streaming replication: a commit waits until the replica has
// it.
import { execFile, execFileSync } from 'node:child_process';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import {
  asServer,
  createServer,
  createServerFolder,
  freePort,
  initialize,
  type PostgresServer,
  unprivileged,
} from '@limen/testing/postgres-cluster.ts';
import { askPostgres } from './ask-postgres.ts';

interface Place {
  folder: string;
  server: PostgresServer;
  /** Whether the folder is a separate file system. */
  isMounted: boolean;
}

export interface PostgresPair {
  /** Current address of the primary. */
  primaryPort(): number;
  primary(): PostgresServer;
  /** Kills the primary, with its data. */
  primaryFolder(): string;
  replica(): PostgresServer | undefined;
  /** Stops the primary and promotes the replica. There is no replica afterwards. */
  promote(signal?: 'SIGKILL' | 'SIGINT'): Promise<void>;
  /** Creates a replica from a copy of the primary. Commits wait for it from then on. */
  addReplica(): Promise<void>;
  stop(): Promise<void>;
  /** Immediately, for a process that is exiting. */
  abandon(): void;
}

const run = promisify(execFile);
const LOOK_MS = 50;

/** `diskMb`: gives each a file system of this size, which can fill up. Requires root. */
export async function startPostgresPair(
  binaries: string,
  databases: readonly string[],
  diskMb?: number,
): Promise<PostgresPair> {
  let primary = await createPlace(binaries, diskMb);
  let replica: Place | undefined;
  initialize(binaries, join(primary.folder, 'data'));
  await primary.server.start();
  for (const name of databases) await askPostgres(primary.server.url, `create database ${name}`);

  async function addReplica(): Promise<void> {
    replica = await createPlace(binaries, diskMb);
    const from = ['-h', '127.0.0.1', '-p', String(primary.server.port), '-U', 'limen'];
    const to = ['-D', join(replica.folder, 'data'), '-R', '-X', 'stream', '-c', 'fast'];
    await run(join(binaries, 'pg_basebackup'), [...from, ...to], { ...asServer(replica.folder) });
    await replica.server.start();
    await untilIt(async () => (await askPostgres(primary.server.url, 'select 1 from pg_stat_replication')).length > 0);
    await waitForReplica('*');
  }

  /** Replicas for which a commit waits. */
  async function waitForReplica(names: '*' | ''): Promise<void> {
    await askPostgres(primary.server.url, `alter system set synchronous_standby_names = '${names}'`);
    await askPostgres(primary.server.url, 'select pg_reload_conf()');
  }

  await addReplica();
  return {
    primaryPort: () => primary.server.port,
    primary: () => primary.server,
    primaryFolder: () => primary.folder,
    replica: () => replica?.server,
    addReplica,
    async promote(signal = 'SIGINT') {
      if (!replica) throw new Error('there is no replica');
      const old = primary;
      // First and permanently, because two primaries would accept diverging writes.
      await old.server.end(signal);
      await askPostgres(replica.server.url, 'select pg_promote()');
      primary = replica;
      replica = undefined;
      // The copy has the old settings and would wait for a missing replica.
      await waitForReplica('');
      remove(old);
    },
    abandon() {
      for (const place of [replica, primary]) {
        place?.server.abandon();
        if (place) remove(place);
      }
    },
    async stop() {
      // The replica first, because it would complain about a missing primary.
      for (const place of [replica, primary]) {
        await place?.server.end('SIGQUIT');
        if (place) remove(place);
      }
    },
  };
}

/** Keeps the WAL small enough to fit. */
const ON_SMALL_DISK = { max_wal_size: '96MB', min_wal_size: '32MB', wal_keep_size: '16MB' };

async function createPlace(binaries: string, diskMb: number | undefined): Promise<Place> {
  const folder = createServerFolder();
  const isMounted = diskMb !== undefined;
  if (isMounted) {
    const { uid = 0, gid = 0 } = unprivileged() ?? {};
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${diskMb}m,uid=${uid},gid=${gid},mode=0700`, 'tmpfs', folder]);
  }
  const settings = {
    synchronous_commit: 'on',
    // Commits wait for the replica, so it must not take five seconds to reconnect to its primary.
    wal_retrieve_retry_interval: '250ms',
    ...(isMounted && ON_SMALL_DISK),
  };
  const server = createServer(binaries, join(folder, 'data'), await freePort(), settings);
  return { folder, server, isMounted };
}

async function untilIt(holds: () => Promise<boolean>): Promise<void> {
  while (!(await holds())) await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
}

/** Children of a killed server may still be running. */
function remove({ folder, isMounted }: Place): void {
  if (isMounted) execFileSync('umount', ['--lazy', folder]);
  rmSync(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 });
}
