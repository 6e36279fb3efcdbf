// Kinds of faults. Each restores the initial state.
import { closeSync, openSync, rmSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { AT_FULL_SPEED, type TcpProxy } from '../../apps/server/testing/processes/tcp-proxy.ts';
import type { Member } from '../../testing/cluster/processes.ts';
import type { Stage } from './stage.ts';

/** Returns a number from 0 up to 1, determined by the seed. */
export type Random = () => number;

export interface FaultClass {
  name: string;
  /** Text for the table. */
  what: string;
  /** Maximum seconds until requests are answered again. */
  withinSeconds: number;
  /** False if it cannot be played here. */
  fits?(stage: Stage): boolean;
  play(stage: Stage, random: Random): Promise<void>;
}

const KILLED_SECONDS = 5;
const FAIL_OVER_SECONDS = 20;
/** Requests of a disconnected machine wait for the cut and the surrounding timeouts. */
const CUT_SECONDS = 20;

const oneOf = <T>(list: readonly T[], random: Random): T => list[Math.floor(random() * list.length)]!;
const between = (least: number, most: number, random: Random) => least + random() * (most - least);

/** As by a supervisor: killed at any moment and restarted shortly after. */
async function killAndRestart(member: Member, random: Random): Promise<void> {
  await pause(between(0, 500, random));
  await member.end('SIGKILL');
  await pause(between(0, 1_000, random));
  await member.start();
}

async function holdFor(wires: readonly TcpProxy[], ms: number): Promise<void> {
  for (const wire of wires) wire.hold();
  await pause(ms);
  for (const wire of wires) wire.release();
}

async function slowFor(wire: TcpProxy, to: Parameters<TcpProxy['slowDown']>[0]): Promise<void> {
  wire.slowDown(to);
  await pause(3_000);
  wire.slowDown(AT_FULL_SPEED);
}

export const FAULT_CLASSES: readonly FaultClass[] = [
  {
    name: 'service-killed',
    what: 'kill -9 of a process of the service',
    withinSeconds: KILLED_SECONDS,
    play: ({ cluster }, random) => killAndRestart(oneOf(cluster.services, random), random),
  },
  {
    name: 'keyholder-killed',
    what: 'kill -9 of a key-holder',
    withinSeconds: KILLED_SECONDS,
    play: ({ cluster }, random) => killAndRestart(oneOf(cluster.keyHolders, random), random),
  },
  {
    name: 'pooler-killed',
    what: 'kill -9 of PgBouncer, started again',
    withinSeconds: KILLED_SECONDS,
    play: ({ cluster }, random) => killAndRestart(cluster.pgbouncer, random),
  },
  {
    name: 'postgres-killed',
    what: 'kill -9 of the primary, started again',
    withinSeconds: KILLED_SECONDS,
    async play({ cluster }, random) {
      await pause(between(0, 500, random));
      await cluster.postgres.primary().end('SIGKILL');
      await cluster.postgres.primary().restart();
    },
  },
  {
    name: 'replica-killed',
    what: 'kill -9 of the replica, for which commits wait, started again',
    withinSeconds: KILLED_SECONDS,
    async play({ cluster }, random) {
      await pause(between(0, 500, random));
      await cluster.postgres.replica()!.end('SIGKILL');
      await cluster.postgres.replica()!.restart();
    },
  },
  {
    name: 'fail-over',
    what: 'kill -9 of the primary, the replica takes over',
    withinSeconds: FAIL_OVER_SECONDS,
    async play({ cluster }, random) {
      await pause(between(0, 500, random));
      await cluster.promote('SIGKILL');
      await pause(1_000); // without a listener
      await cluster.postgres.addReplica();
    },
  },
  {
    name: 'database-cut',
    what: 'a process of the service cut off from the database for 3 to 6 s',
    withinSeconds: CUT_SECONDS,
    play: ({ databaseWires }, random) => holdFor([oneOf(databaseWires, random)], between(3_000, 6_000, random)),
  },
  {
    name: 'database-broken',
    what: 'all connections of a process to the database broken off',
    withinSeconds: KILLED_SECONDS,
    async play({ databaseWires }, random) {
      await pause(between(0, 500, random));
      oneOf(databaseWires, random).cut();
      await pause(500);
    },
  },
  {
    name: 'database-slow',
    what: '40 ms more each way between a process and the database, and half a megabyte a second, for 3 s',
    withinSeconds: CUT_SECONDS,
    play: ({ databaseWires }, random) =>
      slowFor(oneOf(databaseWires, random), { delayMs: 40, bytesPerSecond: 524_288 }),
  },
  {
    name: 'keyholder-cut',
    what: 'all processes cut off from a key-holder for 8 s',
    withinSeconds: CUT_SECONDS,
    play: ({ keyHolderWires }, random) => holdFor([oneOf(keyHolderWires, random)], 8_000),
  },
  {
    name: 'keyholder-slow',
    what: '40 ms more each way to the key-holders, and half a megabyte a second, for 3 s',
    withinSeconds: CUT_SECONDS,
    async play({ keyHolderWires }) {
      await Promise.all(keyHolderWires.map((wire) => slowFor(wire, { delayMs: 40, bytesPerSecond: 524_288 })));
    },
  },
  {
    name: 'disk-full',
    what: 'the disk of the primary full for 3 s, then room again',
    withinSeconds: FAIL_OVER_SECONDS,
    fits: ({ hasSmallDisks }) => hasSmallDisks,
    async play({ cluster }) {
      const primary = cluster.postgres.primary();
      const filler = join(cluster.postgres.primaryFolder(), 'filler');
      fill(filler);
      await pause(3_000);
      rmSync(filler);
      // A server that cannot write its log exits, and its supervisor restarts it.
      await pause(500);
      if (!primary.isRunning()) await primary.restart();
    },
  },
  {
    name: 'clock-jump',
    what: 'the clock of one machine jumps by 5 to 20 minutes, either way, for 3 s',
    withinSeconds: KILLED_SECONDS,
    fits: ({ setClock }) => setClock !== undefined,
    async play({ setClock, clockedUrl }, random) {
      const seconds = Math.round(between(300, 1_200, random)) * (random() < 0.5 ? -1 : 1);
      setClock!(seconds);
      await pause(2_200); // the file and the clock of the Date header are checked once per second
      // Otherwise nothing would have been played.
      const dateHeader = Date.parse((await fetch(`${clockedUrl}/health`)).headers.get('date')!);
      if (Math.abs(dateHeader - Date.now()) < 200_000) throw new Error('the clock did not jump');
      await pause(800);
      setClock!(0);
      await pause(1_200);
    },
  },
];

/** Until the disk is full. */
function fill(file: string): void {
  const handle = openSync(file, 'w');
  try {
    for (let bytes = 2 ** 20; bytes >= 4_096; ) {
      try {
        writeSync(handle, Buffer.alloc(bytes));
      } catch {
        bytes /= 4;
      }
    }
  } finally {
    closeSync(handle);
  }
}
