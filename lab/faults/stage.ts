// The stage of faults: a cluster with proxies between its parts, a machine with an adjustable
// clock, and disks that can fill up.
import { existsSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startTcpProxy, type TcpProxy } from '../../apps/server/testing/processes/tcp-proxy.ts';
import { provideRequirement } from '../../scripts/bring-up.ts';
import { createFakeClock } from '../../scripts/fake-clock.ts';
import { type ClusterPrograms, type RunningCluster, startCluster } from '../../testing/cluster/start-cluster.ts';

/** The process with the adjustable clock. */
const CLOCKED = 3;
const DISK_MB = 400;

export interface Stage {
  cluster: RunningCluster;
  /** From one service process to its database. */
  databaseWires: readonly TcpProxy[];
  /** From all service processes to one key-holder. */
  keyHolderWires: readonly TcpProxy[];
  /** Shifts one machine's clock by these seconds. Undefined if unsupported here. */
  setClock: ((bySeconds: number) => void) | undefined;
  /** The process on that machine. */
  clockedUrl: string;
  hasSmallDisks: boolean;
  stop(): Promise<void>;
}

export async function openStage(programs: ClusterPrograms): Promise<Stage> {
  const databaseWires: TcpProxy[] = [];
  const keyHolderWires: TcpProxy[] = [];
  const library = provideRequirement('faketime');
  const clockFile = join(tmpdir(), `limen-clock-${process.pid}`);
  const clock = library === undefined ? undefined : createFakeClock(library, clockFile);
  const hasSmallDisks = process.getuid?.() === 0 && existsSync('/usr/bin/mount');
  const cluster = await startCluster({
    programs,
    environment: (nth) => ({ NODE_ENV: 'test', LOG_LEVEL: 'warn', ...(nth === CLOCKED && clock?.environment) }),
    keyHolderEnvironment: {
      KEYHOLDER_MATCH_THRESHOLD: '0.48',
      // The load comes from one person at one address.
      KEYHOLDER_ANSWERS_PER_HOUR: '100000000',
      KEYHOLDER_ANSWERS_PER_ADDRESS: '10000000',
      KEYHOLDER_ANSWERS_PER_PERSON: '10000000',
    },
    diskMb: hasSmallDisks ? DISK_MB : undefined,
    async wire(to, port) {
      const wire = await startTcpProxy({ host: '127.0.0.1', port });
      (to.startsWith('keyholder') ? keyHolderWires : databaseWires).push(wire);
      return wire.port;
    },
  });
  return {
    cluster,
    databaseWires,
    keyHolderWires,
    setClock: clock?.set,
    clockedUrl: cluster.serviceUrls[CLOCKED - 1]!,
    hasSmallDisks,
    async stop() {
      await cluster.stop();
      for (const wire of [...databaseWires, ...keyHolderWires]) await wire.close();
      rmSync(clockFile, { force: true });
    },
  };
}
