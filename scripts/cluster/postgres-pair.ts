// A primary and a replica that streams from it, without losing what was acknowledged: a commit waits until the replica has it.
import { execFile } from 'node:child_process';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import pg from 'pg';
import {
  asServer,
  createServer,
  createServerFolder,
  freePort,
  initialise,
  type PostgresServer,
} from '../postgres-cluster.ts';

interface Place {
  folder: string;
  server: PostgresServer;
}

export interface PostgresPair {
  /** Where the primary is now. */
  primaryPort(): number;
  primary(): PostgresServer;
  replica(): PostgresServer | undefined;
  /** Stops the primary, and makes the replica the primary; there is no replica then. */
  promote(signal?: 'SIGKILL' | 'SIGINT'): Promise<void>;
  /** A copy of the primary that follows it; commits wait for it from then on. */
  addReplica(): Promise<void>;
  stop(): Promise<void>;
}

const run = promisify(execFile);
const LOOK_MS = 50;

export async function startPostgresPair(binaries: string, databases: readonly string[]): Promise<PostgresPair> {
  let primary = await createPlace(binaries);
  let replica: Place | undefined;
  initialise(binaries, join(primary.folder, 'data'));
  await primary.server.start();
  for (const name of databases) await ask(primary.server, `create database ${name}`);

  async function addReplica(): Promise<void> {
    replica = await createPlace(binaries);
    const from = ['-h', '127.0.0.1', '-p', String(primary.server.port), '-U', 'limen'];
    const to = ['-D', join(replica.folder, 'data'), '-R', '-X', 'stream', '-c', 'fast'];
    await run(join(binaries, 'pg_basebackup'), [...from, ...to], { ...asServer(replica.folder) });
    await replica.server.start();
    await untilIt(async () => (await ask(primary.server, 'select 1 from pg_stat_replication')).length > 0);
    await waitForReplica('*');
  }

  /** Which replicas a commit waits for. */
  async function waitForReplica(names: '*' | ''): Promise<void> {
    await ask(primary.server, `alter system set synchronous_standby_names = '${names}'`);
    await ask(primary.server, 'select pg_reload_conf()');
  }

  await addReplica();
  return {
    primaryPort: () => primary.server.port,
    primary: () => primary.server,
    replica: () => replica?.server,
    addReplica,
    async promote(signal = 'SIGINT') {
      if (!replica) throw new Error('there is no replica');
      const old = primary;
      // First, and for good: two primaries would each take writes that the other does not have.
      await old.server.end(signal);
      await ask(replica.server, 'select pg_promote()');
      primary = replica;
      replica = undefined;
      // The copy has the old one's settings, and would wait for a replica that is not there.
      await waitForReplica('');
      removeFolder(old.folder);
    },
    async stop() {
      // The replica first: it would complain about a primary that is gone.
      for (const place of [replica, primary]) {
        await place?.server.end('SIGQUIT');
        if (place) removeFolder(place.folder);
      }
    },
  };
}

async function createPlace(binaries: string): Promise<Place> {
  const folder = createServerFolder();
  return {
    folder,
    server: createServer(binaries, join(folder, 'data'), await freePort(), { synchronous_commit: 'on' }),
  };
}

async function ask(server: PostgresServer, statement: string): Promise<unknown[]> {
  const client = new pg.Client({ connectionString: server.url });
  client.on('error', () => {}); // told by the query
  await client.connect();
  try {
    return (await client.query(statement)).rows;
  } finally {
    await client.end().catch(() => {});
  }
}

async function untilIt(holds: () => Promise<boolean>): Promise<void> {
  while (!(await holds())) await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
}

/** Children of a server that was killed may still write there. */
function removeFolder(folder: string): void {
  rmSync(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 });
}
