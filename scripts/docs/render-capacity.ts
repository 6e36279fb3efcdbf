// docs/reference/capacity.md from the last runs of `npm run bench:capacity` and `npm run bench:cluster`.
import { readFileSync } from 'node:fs';
import { type CapacityFigures, CHECK, FIGURES_FILE, type OperationCost } from './capacity-figures.ts';
import { CLUSTER_FIGURES_FILE, type ClusterFigures } from './cluster-figures.ts';

/** Ratio of the peak to the monthly mean. */
const PEAK = 5;
/** Maximum load of a core. Above it, waiting grows faster than throughput. */
const USABLE = 0.6;
const MONTH_SECONDS = 30 * 86_400;
const VOLUMES = [1_000, 1_000_000, 100_000_000];

export interface Need {
  perSecond: number;
  serviceCores: number;
  databaseCores: number;
  logMbPerSecond: number;
  /** Monthly mean. */
  logGbPerDay: number;
  mbitOut: number;
}

/** For this many operations a month, at the peak. */
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
    (operation) =>
      `| ${operation.name} | ${text(operation.serviceMs)} | ${text(operation.databaseMs)} | ${whole(operation.bytesIn)} | ${whole(operation.bytesOut)} | ${text(operation.statements)} | ${text(operation.rowsWritten)} | ${whole(operation.storedBytes)} | ${whole(operation.logBytes)} | ${operation.what} |`,
  );
  const needs = VOLUMES.map((volume) => ({ volume, need: needOf(check, volume) }));
  const sizes = needs.map(
    ({ volume, need }) =>
      `| ${whole(volume)} | ${text(need.perSecond)} | ${text(need.serviceCores)} | ${text(need.databaseCores)} | ${text(need.logMbPerSecond)} | ${text(need.logGbPerDay)} | ${text(need.mbitOut)} | ${machinesFor(need)} |`,
  );
  const perCore = (1000 * USABLE) / check.serviceMs;
  return `# Capacity

<!-- Generated from ${FIGURES_FILE} and ${CLUSTER_FIGURES_FILE} by \`npm run docs\`; do not edit. -->

What operations cost and which machines that takes; \`npm run bench:capacity\` measures it on your machine.

## What an operation costs

Measured on ${figures.measuredOn}: ${figures.processor}, ${figures.cores} cores, Node ${figures.node.slice(1)}, ${figures.postgres}, service, database, receiver
and clients on the same machine. Others used ${text(figures.foreignCores)} cores during the run${figures.foreignCores > 0.25 ? ', which makes processor times longer than they are on a quiet machine' : ''}. All figures are for one operation.

| operation | service, CPU ms | database, CPU ms | bytes in | bytes out | statements | rows written | bytes stored | log bytes | what it is |
|---|---|---|---|---|---|---|---|---|---|
${rows.join('\n')}

CPU ms are processor time of all threads. Bytes are HTTP with headers, without TLS and pages. Log bytes are PostgreSQL's, without full pages: plan twice as much.

## Machines

Age checks with a webhook each, in the busiest minutes (${PEAK} times the mean), with cores used at ${Math.round(USABLE * 100)} % and two spare processes.

| checks a month | checks a second | cores, service | cores, database | log, MB/s | log, GB a day | Mbit/s out | machines |
|---|---|---|---|---|---|---|---|
${sizes.join('\n')}

A process of the service held ${whole(figures.memoryMb)} MB, without [lists and faces](../operate.md#memory). The limit is the service's processors: ${text(perCore)} checks a second for each core.

${renderProcesses(JSON.parse(readFileSync(CLUSTER_FIGURES_FILE, 'utf8')))}
`;
}

/** CPU time instead of speed, because three processes share two cores. */
function renderProcesses({ measuredOn, cores, callsAtOnce, loads }: ClusterFigures): string {
  const rows = loads.flatMap(({ name, figures }) =>
    figures.map(
      (figure) =>
        `| ${name} | ${figure.processes} | ${text(figure.perSecond)} | ${text(figure.p50Ms)} | ${text(figure.p99Ms)} | ${text(figure.serviceMs)} | ${text(figure.databaseMs)} | ${text(figure.otherMs)} | ${text(figure.serviceMs / figures[0]!.serviceMs)} | ${text(figure.foreignCores)} |`,
    ),
  );
  return `## More processes

\`npm run bench:cluster\` on ${measuredOn}: ${callsAtOnce} calls at a time on ${cores} cores that did everything, so compare processor time, not rates.

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

/** With only significant digits. */
function text(value: number): string {
  if (value === 0) return '0';
  if (value < 0.01) return 'under 0.01';
  return value < 10 ? String(Number(value.toPrecision(2))) : whole(value);
}

function whole(value: number): string {
  return Math.round(value).toLocaleString('en-US');
}
