// `npm run bench:sessions`: sessions created, completed by a device and read, with webhooks,
// compared with bare database work; then 100,000 that expire at once during steady requests.
import { mkdirSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { renderColumns } from '../shared/columns.ts';
import { cpuSecondsOf, cpuSecondsOfMachine } from '../shared/cpu.ts';
import { aim, milliseconds, quantile, readCpuMs } from '../shared/figures.ts';
import { readArguments } from '../shared/read-arguments.ts';
import { openStage } from '../shared/stage.ts';
import { openBareSessions } from './bare.ts';
import { measureExpiry } from './expiry.ts';
import { type FloorPart, measureFloor } from './floor.ts';
import { createLeanLoad } from './lean-load.ts';
import { createDevice, createHost, type SessionService, startService, startWebhookReceiver } from './service.ts';

const AT_ONCE = 16;
const WARM_UP_SECONDS = 3;
const SECONDS = 8;
const SOAK_SECONDS = 300;
const { values } = readArguments({
  name: 'bench:sessions',
  does: 'sessions with webhooks against the bare database work, then 100,000 that expire at once',
  takes: 'about two to five minutes',
  options: {
    sdk: { type: 'boolean', does: "play the devices by the SDK, which takes more than the service's own time for it" },
    quick: { type: 'boolean', does: 'let 10,000 sessions expire instead of 100,000' },
    soak: { type: 'boolean', does: 'run sessions for five minutes instead, and watch the memory' },
  },
});
const EXPIRING = values.quick ? 10_000 : 100_000;
const MAX_SECONDS = 900;
const MAX_WEBHOOK_SECONDS = 60;
const AIM_ENDED_SECONDS = 60;
const AIM_P99_RATIO = 3;
const AIM_CPU_MS = 2;
const AIM_PER_SECOND = 300;
const AIM_COMPLETE_MS = 80;
const DISTURBING_CORES = 0.25;

interface Operations {
  create(): Promise<string>;
  complete(id: string): Promise<void>;
  read(id: string): Promise<void>;
}

interface Figures {
  perSecond: number;
  sessions: number;
  times: Record<keyof Operations, number[]>;
}

const stage = openStage(MAX_SECONDS);
const began = { at: performance.now(), all: cpuSecondsOfMachine() ?? 0 };
try {
  const devices = values.sdk ? "the SDK's devices" : 'lean devices';
  console.log(
    `Age sessions, Node ${process.version}, ${availableParallelism()} cores, SQLite, ${AT_ONCE} at once, ${devices}.\n`,
  );
  await (values.soak ? soak() : measure());
  warnOfOthers();
} finally {
  await stage.end();
}

async function measure(): Promise<void> {
  const receiver = await startWebhookReceiver(stage);
  const bare = await openBareSessions(makeFolder('bare'));
  await run(bare, 1);
  const bareBefore = readCpuMs();
  const byBare = await run(bare, SECONDS / 2);
  const floor = await measureFloor(stage, (readCpuMs() - bareBefore) / byBare.sessions);
  await bare.close();

  const service = await startService(stage, makeFolder('service'));
  const operations = await operationsOf(service, receiver.url);
  await run(operations, WARM_UP_SECONDS);
  const readSeconds = () => ({ service: cpuSecondsOf(service.pid) ?? 0, all: stage.cpuSeconds() });
  const before = readSeconds();
  const byService = await run(operations, SECONDS);
  const after = readSeconds();
  const cpuMs = ((after.service - before.service) / byService.sessions) * 1000;
  const loadMs = ((after.all - before.all) / byService.sessions) * 1000 - cpuMs;
  const { different } = await receiver.counts();
  const lagMs = await receiver.until(operations.completed(), MAX_WEBHOOK_SECONDS);
  console.log(renderColumns(tableOf(byBare, byService)));
  const completeMs = quantile(byService.times.complete, 0.99);
  console.log(
    `\n  ${byService.perSecond.toFixed(0)} sessions/s with a webhook each, ` +
      `${((100 * byService.perSecond) / byBare.perSecond).toFixed(0)} % of the bare database work ` +
      `(${byBare.perSecond.toFixed(0)}/s: the same rows and commits without HTTP, crypto and calls); ` +
      `${aim(byService.perSecond >= AIM_PER_SECOND, `${AIM_PER_SECOND}/s`)}\n` +
      `  p99 of a session from claim to answer: ${milliseconds(completeMs)}; ` +
      `${aim(completeMs < AIM_COMPLETE_MS, `${AIM_COMPLETE_MS} ms`)}\n` +
      `  ${cpuMs.toFixed(1)} ms of the service's processor time each; ${aim(cpuMs <= AIM_CPU_MS, `${AIM_CPU_MS} ms`)}\n` +
      `  ${loadMs.toFixed(1)} ms of the hosts, devices and the receiver beside it, so that with a service that took nothing ` +
      `${availableParallelism()} cores would be full at ${((availableParallelism() * 1000) / loadMs).toFixed(0)} sessions/s\n` +
      `${renderFloor(floor, cpuMs)}\n` +
      `  webhooks: all ${operations.completed()} came, ${operations.completed() - different} ` +
      `of them ${(lagMs / 1000).toFixed(1)} s after the last session\n`,
  );
  await expire(receiver);
}

/** The parts together, and the service's distance from their sum. */
function renderFloor(parts: readonly FloorPart[], cpuMs: number): string {
  const wholeMs = parts.reduce((sum, { ms }) => sum + ms, 0);
  const whole = ['    all that a session needs', milliseconds(wholeMs)];
  const rows = [...parts.map(({ name, ms }) => [`    ${name}`, milliseconds(ms)]), whole];
  return `${renderColumns(rows)}\n  the service takes ${(cpuMs / wholeMs).toFixed(1)} times that`;
}

async function expire(receiver: Awaited<ReturnType<typeof startWebhookReceiver>>): Promise<void> {
  const figures = await measureExpiry(stage, makeFolder('expiry'), EXPIRING, receiver);
  const { idleMs, besideMs, endedSeconds, deliveredSeconds, expired, webhooks } = figures;
  const [idle, beside] = [idleMs, besideMs].map((times) => ({ p50: quantile(times, 0.5), p99: quantile(times, 0.99) }));
  const ratio = beside!.p99 / idle!.p99;
  const lost = { sessions: EXPIRING - expired, webhooks: webhooks.expected - webhooks.different };
  console.log(
    `${EXPIRING} open sessions that expire at the same moment, one in ten with a webhook, beside 100 requests/s\n` +
      `  all ended after ${endedSeconds.toFixed(1)} s; ${aim(endedSeconds < AIM_ENDED_SECONDS, `${AIM_ENDED_SECONDS} s`)}\n` +
      `  all webhooks there after ${deliveredSeconds.toFixed(1)} s\n` +
      `  lost: ${lost.sessions} sessions, ${lost.webhooks} webhooks; ` +
      `${webhooks.received - webhooks.different} came twice\n` +
      `  requests, idle:   p50 ${milliseconds(idle!.p50)}, p99 ${milliseconds(idle!.p99)} (${idleMs.length})\n` +
      `  requests, beside: p50 ${milliseconds(beside!.p50)}, p99 ${milliseconds(beside!.p99)} (${besideMs.length}), ` +
      `${ratio.toFixed(1)} times the idle p99; ${aim(ratio < AIM_P99_RATIO, `${AIM_P99_RATIO} times`)}`,
  );
  // A missed target may be the machine's fault; a loss never is.
  if (lost.sessions !== 0 || lost.webhooks !== 0) throw new Error('something was lost');
}

async function soak(): Promise<void> {
  const receiver = await startWebhookReceiver(stage);
  const service = await startService(stage, makeFolder('service'));
  const operations = await operationsOf(service, receiver.url);
  await run(operations, WARM_UP_SECONDS * 10);
  for (const when of ['start', 'middle', 'end']) {
    console.log(`  memory at the ${when}: ${service.memoryMb()?.toFixed(0) ?? '?'} MB`);
    if (when === 'end') break;
    const { perSecond, sessions } = await run(operations, SOAK_SECONDS / 2);
    console.log(`  ${sessions} sessions, ${perSecond.toFixed(0)}/s`);
  }
  await receiver.until(operations.completed(), MAX_WEBHOOK_SECONDS);
  console.log(`  all ${operations.completed()} webhooks came`);
}

async function operationsOf(service: SessionService, webhookUrl: string) {
  const lean = values.sdk ? undefined : createLeanLoad(service);
  const [host, device] = [lean ?? createHost(service), lean ?? (await createDevice(service))];
  const tokens = new Map<string, string>();
  let completed = 0;
  return {
    completed: () => completed,
    async create() {
      const { token, sessionId } = await host.create(webhookUrl);
      tokens.set(sessionId, token);
      return sessionId;
    },
    async complete(id: string) {
      await device.complete(id);
      completed += 1;
    },
    async read(id: string) {
      await host.read(tokens.get(id)!);
      tokens.delete(id);
    },
  };
}

/** Runs sessions sequentially in several lanes until the time is up. */
async function run(operations: Operations, seconds: number): Promise<Figures> {
  const times: Figures['times'] = { create: [], complete: [], read: [] };
  const start = performance.now();
  let sessions = 0;
  const time = async <T>(name: keyof Operations, work: () => Promise<T>): Promise<T> => {
    const before = performance.now();
    const result = await work();
    times[name].push(performance.now() - before);
    return result;
  };
  const line = async () => {
    while (performance.now() - start < seconds * 1000) {
      const id = await time('create', () => operations.create());
      await time('complete', () => operations.complete(id));
      await time('read', () => operations.read(id));
      sessions += 1;
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, line));
  return { perSecond: (sessions / (performance.now() - start)) * 1000, sessions, times };
}

function tableOf(bare: Figures, service: Figures): string[][] {
  const rows = [['', 'p50 bare', 'service', 'p99 bare', 'service']];
  for (const name of ['create', 'complete', 'read'] as const) {
    const figures = [0.5, 0.99].flatMap((share) => [bare, service].map(({ times }) => quantile(times[name], share)));
    rows.push([name, ...figures.map(milliseconds)]);
  }
  return rows;
}

function makeFolder(name: string): string {
  const folder = join(stage.folder, name);
  mkdirSync(folder);
  return folder;
}

function warnOfOthers(): void {
  const seconds = (performance.now() - began.at) / 1000;
  const foreign = ((cpuSecondsOfMachine() ?? 0) - began.all - stage.cpuSeconds()) / seconds;
  if (foreign < DISTURBING_CORES) return;
  console.log(`\nWARNING: other processes kept ${foreign.toFixed(1)} cores busy meanwhile; repeat when it is quiet.`);
}
