// `npm run bench:cluster`: sessions, screening and face searches on a real cluster with one to
// three service processes, with the CPU time of each part.
import { writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import {
  CLUSTER_FIGURES_FILE,
  type ClusterFigures,
  type ProcessFigures,
} from '../../../scripts/docs/cluster-figures.ts';
import { findClusterPrograms } from '../../../testing/cluster/find-programs.ts';
import { type RunningCluster, startCluster } from '../../../testing/cluster/start-cluster.ts';
import { createFaces } from '../gallery/data.ts';
import { API_KEY, createDevice, createHost } from '../sessions/service.ts';
import { renderColumns } from '../shared/columns.ts';
import { cpuSecondsOfMachine, cpuSecondsOfTree } from '../shared/cpu.ts';
import { milliseconds, quantile } from '../shared/figures.ts';
import { readArguments } from '../shared/read-arguments.ts';

const { values } = readArguments({
  name: 'bench:cluster',
  does: 'sessions, screening and face searches with one, two and three processes on PostgreSQL behind a proxy',
  takes: 'about three minutes',
  options: { quick: { type: 'boolean', does: 'measure for two seconds each instead of eight' } },
});
const PROCESSES = [1, 2, 3];
const SECONDS = values.quick ? 2 : 8;
const WARM_UP_SECONDS = values.quick ? 1 : 3;
/** Warm-up time on any machine, because CPU time before JIT compilation is meaningless. */
const WARM_UP_CALLS = values.quick ? 1 : 150;
const AT_ONCE = 16;
const PEOPLE = 300;
const SUBJECTS = 100;
const NO_LIMIT = String(1_000_000);

interface Load {
  name: string;
  /** Number of operations per call. */
  each: number;
  call(): Promise<unknown>;
}

const found = findClusterPrograms('bench:cluster');
if ('lack' in found) {
  console.log(found.lack);
  process.exit(0);
}
console.log(
  `A cluster on one machine, Node ${process.version}, ${availableParallelism()} cores, which the load shares: compare processor time,\n` +
    `not what came in a second. PostgreSQL with a replica, PgBouncer, two key-holders apart, HAProxy; ${AT_ONCE} calls at once.\n`,
);
// The cluster ends with the process.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(130));

const table = new Map<string, ProcessFigures[]>();

for (const services of PROCESSES) {
  const limits = { NODE_RATE_LIMIT: NO_LIMIT, NODE_RATE_BURST: NO_LIMIT };
  const environment = { DEV_API_KEY: API_KEY, LOG_LEVEL: 'warn', ...limits };
  const cluster = await startCluster({ programs: found.programs, services, environment: () => environment });
  try {
    for (const load of await createLoads(cluster)) {
      await run(load, WARM_UP_SECONDS, WARM_UP_CALLS * services);
      const figures = await measure(cluster, load);
      table.set(load.name, [...(table.get(load.name) ?? []), figures]);
    }
  } finally {
    await cluster.stop();
  }
}
const heading = [
  '',
  'processes',
  'a second',
  'p50',
  'p99',
  'CPU each: service',
  'database',
  'proxies, key-holders',
  'service ÷ one process',
  'cores of others',
];
const rows = [...table].flatMap(([name, all]) =>
  all.map((figures, at) => [
    at === 0 ? name : '',
    String(PROCESSES[at]),
    figures.perSecond.toFixed(0),
    milliseconds(figures.p50Ms),
    milliseconds(figures.p99Ms),
    milliseconds(figures.serviceMs),
    milliseconds(figures.databaseMs),
    milliseconds(figures.otherMs),
    `${(figures.serviceMs / all[0]!.serviceMs).toFixed(2)} times`,
    figures.foreignCores.toFixed(2),
  ]),
);
console.log(renderColumns([heading, ...rows]));
if (!values.quick) {
  const figures: ClusterFigures = {
    measuredOn: new Date().toISOString().slice(0, 10),
    ...{ cores: availableParallelism(), callsAtOnce: AT_ONCE },
    loads: [...table].map(([name, all]) => ({ name, figures: all })),
  };
  writeFileSync(CLUSTER_FIGURES_FILE, `${JSON.stringify(figures, null, 2)}\n`);
  console.log(`  written to ${CLUSTER_FIGURES_FILE}; "npm run docs" writes docs/reference/capacity.md from it`);
}

async function createLoads(cluster: RunningCluster): Promise<Load[]> {
  const server = { url: cluster.url, pid: 0, inspector: undefined };
  const [host, device] = [createHost(server), await createDevice(server)];
  const faces = createFaces(PEOPLE);
  const post = async (path: string, body: object) => {
    const headers = { 'content-type': 'application/json', 'x-api-key': API_KEY };
    const reply = await fetch(cluster.url + path, { method: 'POST', headers, body: JSON.stringify(body) });
    const text = await reply.text();
    // Throws on refusals, which are cheaper and would distort the figure.
    if (!reply.ok) throw new Error(`${path} answered ${reply.status}`);
    return JSON.parse(text) as { status?: number };
  };
  const featuresOf = (vector: Float32Array) => ({ api_key: API_KEY, features: { embedding_vector: [...vector] } });
  for (let at = 0; at < PEOPLE; at += 1) await post('/node/plainEnroll', featuresOf(faces.enrolled(at)));
  const probes = faces.probes(PEOPLE).map(featuresOf);
  const subjects = Array.from({ length: SUBJECTS }, (_, at) => ({
    firstName: `Anna${at}`,
    lastName: `Lindqvist${at * 7}`,
  }));
  let next = 0;
  return [
    {
      name: 'age sessions, whole',
      each: 1,
      async call() {
        const { token, sessionId } = await host.create(undefined);
        await device.complete(sessionId);
        await host.read(token);
      },
    },
    {
      name: 'subjects screened',
      each: SUBJECTS,
      call: () => post('/v2/screening/match', { dataset: 'demo', subjects }),
    },
    {
      name: `face searches, ${PEOPLE} people`,
      each: 1,
      call: () => post('/node/plainPredict', probes[next++ % PEOPLE]!),
    },
  ];
}

async function run({ call }: Load, seconds: number, atLeast: number): Promise<number[]> {
  const times: number[] = [];
  const end = performance.now() + seconds * 1000;
  const goOn = async () => {
    while (performance.now() < end || times.length < atLeast) {
      const start = performance.now();
      await call();
      times.push(performance.now() - start);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, goOn));
  return times;
}

async function measure(cluster: RunningCluster, load: Load): Promise<ProcessFigures> {
  const read = () => {
    const sum = (pids: readonly (number | undefined)[]) =>
      pids.reduce<number>((total, pid) => total + (pid === undefined ? 0 : cpuSecondsOfTree(pid)), 0);
    return {
      service: sum(cluster.services.map((member) => member.pid())),
      database: sum([cluster.postgres.primary().pid(), cluster.postgres.replica()?.pid()]),
      other: sum([cluster.pgbouncer, cluster.haproxy, ...cluster.keyHolders].map((member) => member.pid())),
      load: process.cpuUsage().user / 1e6 + process.cpuUsage().system / 1e6,
      machine: cpuSecondsOfMachine() ?? 0,
    };
  };
  const [before, start] = [read(), performance.now()];
  const times = await run(load, SECONDS, WARM_UP_CALLS);
  const [after, seconds] = [read(), (performance.now() - start) / 1000];
  const count = times.length * load.each;
  const spent = (part: keyof typeof before) => after[part] - before[part];
  const perOne = (part: keyof typeof before) => round((spent(part) * 1000) / count);
  const ours = spent('service') + spent('database') + spent('other') + spent('load');
  return {
    processes: cluster.services.length,
    perSecond: round(count / seconds),
    p50Ms: round(quantile(times, 0.5)),
    p99Ms: round(quantile(times, 0.99)),
    serviceMs: perOne('service'),
    databaseMs: perOne('database'),
    otherMs: perOne('other'),
    foreignCores: Math.max(0, round((spent('machine') - ours) / seconds)),
  };
}

function round(value: number): number {
  return Math.round(value * 1000) / 1000;
}
