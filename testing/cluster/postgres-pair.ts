// A primary and a replica that streams from it, without losing what was acknowledged: a commit waits until the replica has it.
import { execFile, execFileSync } from 'node:child_process';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import {
  asServer,
  createServer,
  createServerFolder,
  freePort,
  initialise,
  type PostgresServer,
  unprivileged,
} from '@limen/testing/postgres-cluster.ts';
import { askPostgres } from './ask-postgres.ts';

interface Place {
  folder: string;
  server: PostgresServer;
  /** Whether the folder is a file system of its own. */
  isMounted: boolean;
}

export interface PostgresPair {
  /** Where the primary is now. */
  primaryPort(): number;
  primary(): PostgresServer;
  /** Of the primary, with its data. */
  primaryFolder(): string;
  replica(): PostgresServer | undefined;
  /** Stops the primary, and makes the replica the primary; there is no replica then. */
  promote(signal?: 'SIGKILL' | 'SIGINT'): Promise<void>;
  /** A copy of the primary that follows it; commits wait for it from then on. */
  addReplica(): Promise<void>;
  stop(): Promise<void>;
  /** The same at once, for a process that is ending itself. */
  abandon(): void;
}

const run = promisify(execFile);
const LOOK_MS = 50;

/** `diskMb`: each on a file system of its own of this size, which can be full; needs root. */
export async function startPostgresPair(
  binaries: string,
  databases: readonly string[],
  diskMb?: number,
): Promise<PostgresPair> {
  let primary = await createPlace(binaries, diskMb);
  let replica: Place | undefined;
  initialise(binaries, join(primary.folder, 'data'));
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

  /** Which replicas a commit waits for. */
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
      // First, and for good: two primaries would each take writes that the other does not have.
      await old.server.end(signal);
      await askPostgres(replica.server.url, 'select pg_promote()');
      primary = replica;
      replica = undefined;
      // The copy has the old one's settings, and would wait for a replica that is not there.
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
      // The replica first: it would complain about a primary that is gone.
      for (const place of [replica, primary]) {
        await place?.server.end('SIGQUIT');
        if (place) remove(place);
      }
    },
  };
}

/** Its log is kept small, so that it fits. */
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
    // Commits wait for the replica: so one that lost its primary for a moment must not take five seconds until it looks again.
    wal_retrieve_retry_interval: '250ms',
    ...(isMounted && ON_SMALL_DISK),
  };
  const server = createServer(binaries, join(folder, 'data'), await freePort(), settings);
  return { folder, server, isMounted };
}

async function untilIt(holds: () => Promise<boolean>): Promise<void> {
  while (!(await holds())) await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
}

/** Children of a server that was killed may still be there. */
function remove({ folder, isMounted }: Place): void {
  if (isMounted) execFileSync('umount', ['--lazy', folder]);
  rmSync(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 });
}
