// The service of the node benchmark, and its requests.
import type { ChildProcess } from 'node:child_process';
import type { Faces } from '../gallery/data.ts';
import { cpuSecondsOf, cpuSecondsOfMachine } from '../shared/cpu.ts';
import { LIMEN, type Server, type Stage } from '../shared/stage.ts';
import { API_KEY } from './fill.ts';
import type { NodeJob, NodeResult } from './load.ts';

const HEADERS = { 'content-type': 'application/json', 'x-api-key': API_KEY };
const PROBES = 200;
/** More faces than are enrolled, because a repeated face would be the cheaper recognition. */
const NEWCOMERS_PER_SECOND = 1_200;
/** Interval that keeps the probe from adding load. */
const HEALTH_PAUSE_MS = 5;
const READY_POLL_MS = 20;

export interface NodeServer extends Server {
  /** From process start until every face was read. */
  readySeconds: number;
}

export interface NodeMeasurement extends NodeResult {
  /** CPU time of the server per request, including its threads. */
  cpuMicros: number;
}

export async function startNode(stage: Stage, dataDir: string, inspect: boolean): Promise<NodeServer> {
  const environment = {
    DATA_DIR: dataDir,
    DEV_API_KEY: API_KEY,
    PORT: '0',
    SERVE: 'node',
    NODE_RATE_LIMIT: '1000000',
    NODE_RATE_BURST: '1000000',
  };
  const start = performance.now();
  const server = await stage.startServer(LIMEN, { environment, nodeArgs: inspect ? ['--inspect=127.0.0.1:0'] : [] });
  while (!(await fetch(`${server.url}/ready`)).ok) await new Promise((resolve) => setTimeout(resolve, READY_POLL_MS));
  return { ...server, readySeconds: (performance.now() - start) / 1000 };
}

export function startNodeLoad(stage: Stage) {
  const [load, prober] = [stage.start('node/load.ts', { ipc: true }), stage.start('node/load.ts', { ipc: true })];
  let mostForeignCores = 0;

  async function measure(child: ChildProcess, server: NodeServer, job: Omit<NodeJob, 'url'>): Promise<NodeMeasurement> {
    const readCpu = () => ({
      server: cpuSecondsOf(server.pid) ?? 0,
      own: stage.cpuSeconds(),
      all: cpuSecondsOfMachine() ?? 0,
    });
    const [before, start] = [readCpu(), performance.now()];
    const result = await run(child, { url: server.url, ...job });
    const [after, elapsedSeconds] = [readCpu(), (performance.now() - start) / 1000];
    mostForeignCores = Math.max(mostForeignCores, (after.all - before.all - (after.own - before.own)) / elapsedSeconds);
    // Throws on refusals, which are cheaper and would distort the figure.
    if (result.failures > 0) throw new Error(`${result.failures} of ${result.requests} requests to ${job.path} failed`);
    return { ...result, cpuMicros: ((after.server - before.server) / result.requests) * 1e6 };
  }

  const post = (path: string, connections: number, seconds: number, bodies: string[]) =>
    ({ method: 'POST', path, headers: HEADERS, connections, seconds, bodies }) as const;

  return {
    predict(server: NodeServer, faces: Faces, connections: number, seconds: number): Promise<NodeMeasurement> {
      return measure(load, server, post('/node/plainPredict', connections, seconds, faces.probes(PROBES).map(bodyOf)));
    },

    /** Enrolls the identities from `first` on. */
    async enroll(server: NodeServer, faces: Faces, first: number, connections: number, seconds: number) {
      const count = NEWCOMERS_PER_SECOND * seconds;
      const bodies = Array.from({ length: count }, (_, i) => bodyOf(faces.enrolled(first + i)));
      const result = await measure(load, server, post('/node/plainEnroll', connections, seconds, bodies));
      if (result.repeated) throw new Error('faces were enrolled twice: raise NEWCOMERS_PER_SECOND');
      return result;
    },

    health(server: NodeServer, seconds: number): Promise<NodeMeasurement> {
      const job = { method: 'GET', path: '/health', headers: {}, bodies: [], connections: 1, seconds } as const;
      return measure(prober, server, { ...job, bodies: [], pauseMs: HEALTH_PAUSE_MS });
    },

    /** Maximum number of cores that other processes used during a measurement. */
    foreignCores: () => mostForeignCores,
  };
}

function bodyOf(vector: Float32Array): string {
  return JSON.stringify({ features: { embedding_vector: [...vector] } });
}

function run(child: ChildProcess, job: NodeJob): Promise<NodeResult> {
  return new Promise((resolve, reject) => {
    const onExit = () => reject(new Error('the load ended early'));
    child.once('exit', onExit);
    child.once('message', (message) => {
      child.off('exit', onExit);
      resolve(message as NodeResult);
    });
    child.send(job);
  });
}
