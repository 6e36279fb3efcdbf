// `npm run bench:cluster`: sessions, screening and face searches on a real cluster with one, two and three processes of the
// service, and what each costs in processor time, part by part.
import { availableParallelism } from 'node:os';
import { findClusterPrograms } from '../../scripts/cluster/find-programs.ts';
import { type RunningCluster, startCluster } from '../../scripts/cluster/start-cluster.ts';
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
const AT_ONCE = 16;
const PEOPLE = 300;
const SUBJECTS = 100;
const NO_LIMIT = String(1_000_000);

interface Load {
  name: string;
  /** How many of them one call does. */
  each: number;
  call(): Promise<unknown>;
}

interface Figures {
  perSecond: number;
  p50Ms: number;
  p99Ms: number;
  /** Processor milliseconds of one, by part. */
  serviceMs: number;
  databaseMs: number;
  otherMs: number;
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
const table = new Map<string, Figures[]>();
for (const services of PROCESSES) {
  const limits = { NODE_RATE_LIMIT: NO_LIMIT, NODE_RATE_BURST: NO_LIMIT };
  const environment = { DEV_API_KEY: API_KEY, LOG_LEVEL: 'warn', ...limits };
  const cluster = await startCluster({ programs: found.programs, services, environment: () => environment });
  try {
    for (const load of await createLoads(cluster)) {
      await run(load, WARM_UP_SECONDS);
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
  ]),
);
console.log(renderColumns([heading, ...rows]));

async function createLoads(cluster: RunningCluster): Promise<Load[]> {
  const server = { url: cluster.url, pid: 0, inspector: undefined };
  const [host, device] = [createHost(server), await createDevice(server)];
  const faces = createFaces(PEOPLE);
  const post = async (path: string, body: object) => {
    const headers = { 'content-type': 'application/json', 'x-api-key': API_KEY };
    const reply = await fetch(cluster.url + path, { method: 'POST', headers, body: JSON.stringify(body) });
    const text = await reply.text();
    // A refusal is cheaper than what was asked for: a figure with one in it means nothing.
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

async function run({ call }: Load, seconds: number): Promise<number[]> {
  const times: number[] = [];
  const end = performance.now() + seconds * 1000;
  const goOn = async () => {
    while (performance.now() < end) {
      const start = performance.now();
      await call();
      times.push(performance.now() - start);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, goOn));
  return times;
}

async function measure(cluster: RunningCluster, load: Load): Promise<Figures> {
  const read = () => {
    const sum = (pids: readonly (number | undefined)[]) =>
      pids.reduce<number>((total, pid) => total + (pid === undefined ? 0 : cpuSecondsOfTree(pid)), 0);
    return {
      service: sum(cluster.services.map((member) => member.pid())),
      database: sum([cluster.postgres.primary().pid(), cluster.postgres.replica()?.pid()]),
      other: sum([cluster.pgbouncer, cluster.haproxy, ...cluster.keyHolders].map((member) => member.pid())),
      machine: cpuSecondsOfMachine() ?? 0,
    };
  };
  const [before, start] = [read(), performance.now()];
  const times = await run(load, SECONDS);
  const [after, seconds] = [read(), (performance.now() - start) / 1000];
  const count = times.length * load.each;
  const perOne = (part: keyof typeof before) => ((after[part] - before[part]) * 1000) / count;
  return {
    perSecond: count / seconds,
    p50Ms: quantile(times, 0.5),
    p99Ms: quantile(times, 0.99),
    serviceMs: perOne('service'),
    databaseMs: perOne('database'),
    otherMs: perOne('other'),
  };
}
