// docs/reference/capacity.md from the last runs of `npm run bench:capacity` and `npm run bench:cluster`.
import { readFileSync } from 'node:fs';
import { type CapacityFigures, CHECK, FIGURES_FILE, type OperationCost } from './capacity-figures.ts';
import { CLUSTER_FIGURES_FILE, type ClusterFigures } from './cluster-figures.ts';

/** How much busier the busiest minutes are than the mean of a month. */
const PEAK = 5;
/** Of a core; above it, waiting grows faster than work. */
const USABLE = 0.6;
const MONTH_SECONDS = 30 * 86_400;
const VOLUMES = [1_000, 1_000_000, 100_000_000];

export interface Need {
  perSecond: number;
  serviceCores: number;
  databaseCores: number;
  logMbPerSecond: number;
  /** Mean of the month. */
  logGbPerDay: number;
  mbitOut: number;
}

/** For so many of an operation a month, in the busiest minutes. */
export function needOf(cost: OperationCost, perMonth: number): Need {
  const mean = perMonth / MONTH_SECONDS;
  const perSecond = mean * PEAK;
  return {
    perSecond,
    serviceCores: (perSecond * cost.serviceMs) / 1000 / USABLE,
    databaseCores: (perSecond * cost.databaseMs) / 1000 / USABLE,
    logMbPerSecond: (perSecond * cost.logBytes) / 1e6,
    logGbPerDay: (mean * 86_400 * cost.logBytes) / 1e9,
    mbitOut: (perSecond * cost.bytesOut * 8) / 1e6,
  };
}

export function renderCapacity(): string {
  const figures: CapacityFigures = JSON.parse(readFileSync(FIGURES_FILE, 'utf8'));
  const check = figures.operations.find(({ name }) => name === CHECK)!;
  const rows = figures.operations.map(
    (one) =>
      `| ${one.name} | ${text(one.serviceMs)} | ${text(one.databaseMs)} | ${whole(one.bytesIn)} | ${whole(one.bytesOut)} | ${text(one.statements)} | ${text(one.rowsWritten)} | ${whole(one.storedBytes)} | ${whole(one.logBytes)} | ${one.what} |`,
  );
  const needs = VOLUMES.map((volume) => ({ volume, need: needOf(check, volume) }));
  const sizes = needs.map(
    ({ volume, need }) =>
      `| ${whole(volume)} | ${text(need.perSecond)} | ${text(need.serviceCores)} | ${text(need.databaseCores)} | ${text(need.logMbPerSecond)} | ${text(need.logGbPerDay)} | ${text(need.mbitOut)} | ${machinesFor(need)} |`,
  );
  const perCore = (1000 * USABLE) / check.serviceMs;
  return `# Capacity

What operations cost, and what machines that takes. Written by \`npm run docs\` from \`${FIGURES_FILE}\`, which \`npm run bench:capacity\` writes: run it on
your own machine before you buy others.

## What an operation costs

Measured on ${figures.measuredOn}: ${figures.processor}, ${figures.cores} cores, Node ${figures.node.slice(1)}, ${figures.postgres}, service, database, receiver
and clients on the same machine. Others used ${text(figures.foreignCores)} cores during the run${figures.foreignCores > 0.25 ? ', which makes processor times longer than they are on a quiet machine' : ''}. All figures are for one operation.

| operation | service, CPU ms | database, CPU ms | bytes in | bytes out | statements | rows written | bytes stored | log bytes | what it is |
|---|---|---|---|---|---|---|---|---|---|
${rows.join('\n')}

- **CPU ms** are processor time, not waiting: of the service with all of its threads, and of all processes of PostgreSQL.
- **Bytes** are those of HTTP with headers, between clients and the service. Add TLS. The pages, models and cameras of devices are their own
  affair: a browser's first visit loads some megabytes once, from any process or from a cache in front.
- **Statements** include those that begin and end transactions. **Rows written** are inserted, updated and deleted ones, **bytes stored** those of
  rows that stay, without their indexes. **Log bytes** are what PostgreSQL wrote ahead, without the full pages that it
  adds after each checkpoint; plan twice as much.
- Searching faces costs more the more of them there are ([node](../node.md)), screening more the longer the list ([screening](../screening.md)), and signing in by
  face is mostly the [key-holder's](../keyholder.md) work, which \`npm run bench:token\` measures.

## Machines

For age checks with a webhook each, in the busiest minutes, which are taken to be ${PEAK} times the mean of a month. A core is taken to be
used up at ${Math.round(USABLE * 100)} %. Two processes more than that are for the one that is being replaced and the one that has just died.

| checks a month | checks a second | cores, service | cores, database | log, MB/s | log, GB a day | Mbit/s out | machines |
|---|---|---|---|---|---|---|---|
${sizes.join('\n')}

A process of the service held ${whole(figures.memoryMb)} MB at the end of the measurement. Plan for its [faces and lists](../operate.md#memory) besides.

${renderProcesses(JSON.parse(readFileSync(CLUSTER_FIGURES_FILE, 'utf8')))}
## What is used up first

- **The service's processors**: ${text(perCore)} checks a second for each core. Processes share nothing but the database, so more of them carry more. Each has
  lists, galleries and up to 10 connections of its own: from ten processes on, raise PostgreSQL's \`max_connections\`.
- **Then the database's**: it takes ${text((check.databaseMs / check.serviceMs) * 100)} % of the service's processor time, on one machine. ${needs.at(-1)!.need.databaseCores <= 16 ? 'At the largest volume above that is within one server.' : 'At the largest volume above that is more than a common server has: split customers over several databases.'}
- **Its disk** is not measured here: the benchmark's PostgreSQL does not wait for one. A check is several commits one after the other, and each waits for
  a sync, so a slow disk makes checks slower; commits of many connections are synced together, so it hardly makes them fewer.
- **The network** is nowhere near its end.
- **On one SQLite file** a single process does all of it; its limit is one core for the event loop ([one file or PostgreSQL](../operate.md#one-file-or-postgresql)).
`;
}

/** Processor time and not speed: on two cores, three processes share what one had. */
function renderProcesses({ measuredOn, cores, callsAtOnce, loads }: ClusterFigures): string {
  const rows = loads.flatMap(({ name, figures }) =>
    figures.map(
      (one) =>
        `| ${name} | ${one.processes} | ${text(one.perSecond)} | ${text(one.p50Ms)} | ${text(one.p99Ms)} | ${text(one.serviceMs)} | ${text(one.databaseMs)} | ${text(one.otherMs)} | ${text(one.serviceMs / figures[0]!.serviceMs)} | ${text(one.foreignCores)} |`,
    ),
  );
  return `## More processes

Whether a process more costs the others anything. \`npm run bench:cluster\` measures it on a [cluster](../deployment.md#several-machines) with one, two and three processes of the service, the key-holders
apart, and ${callsAtOnce} calls at once; on ${measuredOn}, on ${cores} cores that did all of it, the load included. So compare
processor time and not what came in a second: "÷ one process" is the service's processor time for one, beside that with one process. 1 means that a process more carries as much as the first did.
It means something only between lines with the same share of others in the last column: cores that are shared are slower by the processor's own clock, too.

| | processes | a second | p50, ms | p99, ms | service, CPU ms | database, CPU ms | proxies and key-holders, CPU ms | service ÷ one process | cores of others |
|---|---|---|---|---|---|---|---|---|---|
${rows.join('\n')}
`;
}

function machinesFor({ serviceCores, databaseCores }: Need): string {
  if (serviceCores + databaseCores < 0.5) return 'one small machine, with a file or PostgreSQL on it';
  const processes = Math.max(2, Math.ceil(serviceCores)) + 2;
  const machines = Math.max(2, Math.ceil(processes / 4));
  const database = Math.max(2, 2 ** Math.ceil(Math.log2(databaseCores * 1.5)));
  return `${machines} of 4 cores for ${processes} processes; PostgreSQL with ${database} cores and a replica of the same size; 2 small ones for the key-holder and the balancer`;
}

/** With as many digits as mean something. */
function text(value: number): string {
  if (value === 0) return '0';
  if (value < 0.01) return 'under 0.01';
  return value < 10 ? String(Number(value.toPrecision(2))) : whole(value);
}

function whole(value: number): string {
  return Math.round(value).toLocaleString('en-US');
}
