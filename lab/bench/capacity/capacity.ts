// `npm run bench:capacity`: what each operation costs in processor time, bytes and writes, on PostgreSQL; docs/reference/capacity.md is written from it.
import { mkdirSync, writeFileSync } from 'node:fs';
import { availableParallelism, cpus } from 'node:os';
import { join } from 'node:path';
import { startCluster } from '@limen/testing/postgres-cluster.ts';
import { provideRequirement, sayLeftOut } from '../../../scripts/bring-up.ts';
import {
  type CapacityFigures,
  FIGURES_FILE,
  type OperationCost,
  SIMULATED,
  SIMULATED_LIMITS,
} from '../../../scripts/docs/capacity-figures.ts';
import { API_KEY, startWebhookReceiver } from '../sessions/service.ts';
import { renderColumns } from '../shared/columns.ts';
import { cpuSecondsOf, cpuSecondsOfMachine } from '../shared/cpu.ts';
import { residentMb } from '../shared/memory.ts';
import { readArguments } from '../shared/read-arguments.ts';
import { LIMEN, openStage } from '../shared/stage.ts';
import { openCountingWire } from './counting-wire.ts';
import { listOperations, type Operation } from './operations.ts';
import { POSTGRES_SETTINGS, watchPostgres } from './postgres-usage.ts';

const AT_ONCE = 8;
const MAX_SECONDS = 900;
const { values } = readArguments({
  name: 'bench:capacity',
  does: 'what each operation costs in processor time, bytes and database writes',
  takes: 'about three minutes',
  options: {
    quick: { type: 'boolean', does: 'a tenth of the operations, and nothing is written down' },
  },
});

const binaries = provideRequirement('postgres');
if (!binaries) {
  console.log(sayLeftOut('all of bench:capacity', 'postgres'));
  process.exit(0);
}
const cluster = await startCluster(binaries, { durable: true, settings: POSTGRES_SETTINGS });
const stage = openStage(MAX_SECONDS);
const began = { at: performance.now(), all: cpuSecondsOfMachine() ?? 0 };
try {
  const receiver = await startWebhookReceiver(stage);
  const dataDir = join(stage.folder, 'service');
  mkdirSync(dataDir);
  const service = await stage.startServer(LIMEN, {
    environment: {
      ...{ DATABASE_URL: cluster.url, DATA_DIR: dataDir, DEV_API_KEY: API_KEY, PORT: '0' },
      ...{ SERVE: 'core,launch,node', NODE_RATE_LIMIT: '100000', DISK_RESERVE_MB: '0' },
    },
  });
  const wire = await openCountingWire(service.url);
  const postgres = await watchPostgres(cluster.url);
  const operations: OperationCost[] = [];
  for (const operation of await listOperations({ ...service, url: wire.url }, receiver, values.quick === true)) {
    await runMany(operation, Math.ceil(operation.count / 10));
    await operation.settle?.();
    const before = { written: await postgres.written(), usage: await postgres.now(), bytes: wire.bytes(), cpu: cpu() };
    await runMany(operation, operation.count);
    await operation.settle?.();
    const after = { cpu: cpu(), usage: await postgres.now(), bytes: wire.bytes() };
    const written = await postgres.written();
    const done = operation.count * (operation.each ?? 1);
    const { name, what } = operation;
    operations.push({
      ...{ name, what, count: done },
      serviceMs: round(((after.cpu - before.cpu) * 1000) / done),
      databaseMs: round((after.usage.cpuMs - before.usage.cpuMs) / done),
      bytesIn: Math.round((after.bytes.in - before.bytes.in) / done),
      bytesOut: Math.round((after.bytes.out - before.bytes.out) / done),
      rowsWritten: round((written.rows - before.written.rows) / done),
      storedBytes: Math.round((written.storedBytes - before.written.storedBytes) / done),
      logBytes: Math.round((after.usage.logBytes - before.usage.logBytes) / done),
      statements: round((after.usage.statements - before.usage.statements) / done),
    });
  }
  const own = stage.cpuSeconds() + (await postgres.now()).cpuMs / 1000;
  const wall = (performance.now() - began.at) / 1000;
  const figures: CapacityFigures = {
    measuredOn: new Date().toISOString().slice(0, 10),
    ...{ processor: cpus()[0]?.model.trim() ?? 'unknown', cores: availableParallelism() },
    ...{ node: process.version, postgres: cluster.version.replace(/ \(Debian.*/, '') },
    foreignCores: Math.max(0, round(((cpuSecondsOfMachine() ?? 0) - began.all - own) / wall)),
    memoryMb: Math.round(residentMb(service.pid) ?? 0),
    operations,
  };
  console.log(renderColumns(tableOf(figures)));
  console.log(
    `\n  others used ${figures.foreignCores} of ${figures.cores} cores meanwhile; memory of the service ${figures.memoryMb} MB`,
  );
  const simulated = operations.find(({ name }) => name === SIMULATED)!;
  const ratio = round(simulated.logBytes / simulated.storedBytes);
  console.log(`  ${SIMULATED}: the log is ${ratio} times what is stored`);
  const over = Object.entries(SIMULATED_LIMITS).filter(
    ([name, most]) => simulated[name as keyof typeof SIMULATED_LIMITS] > most,
  );
  for (const [name, most] of over) console.error(`  ${SIMULATED}: more ${name} than the ${most} that it may cost`);
  if (over.length > 0) process.exitCode = 1;
  if (!values.quick) {
    writeFileSync(FIGURES_FILE, `${JSON.stringify(figures, null, 2)}\n`);
    console.log(`  written to ${FIGURES_FILE}; "npm run docs" writes docs/reference/capacity.md from it`);
  }
  await postgres.close();
  wire.close();

  function cpu(): number {
    return cpuSecondsOf(service.pid) ?? 0;
  }
} finally {
  await stage.end();
  await cluster.stop();
}

async function runMany({ run }: Operation, count: number): Promise<void> {
  let left = count;
  const work = async () => {
    while (left-- > 0) await run();
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
}

function round(value: number): number {
  return Math.round(value * 1000) / 1000;
}

function tableOf({ operations }: CapacityFigures): string[][] {
  const rows = operations.map((operation) => [
    operation.name,
    ...[operation.serviceMs, operation.databaseMs, operation.bytesIn, operation.bytesOut].map(String),
    ...[operation.statements, operation.rowsWritten, operation.storedBytes, operation.logBytes].map(String),
  ]);
  const counted = ['statements', 'rows written', 'bytes stored', 'log bytes'];
  return [['', 'service ms', 'database ms', 'bytes in', 'bytes out', ...counted], ...rows];
}
