// A legitimate call during a flood: single subjects with a key, with and without many heavy calls
// of strangers.
import { request as send } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import type { Server, Stage } from '../shared/stage.ts';
import { API_KEY, startWithList } from './file.ts';

const DATASET = 'ofac';
const FLOOD_CALLS = 100;
const FLOOD_ADDRESSES = [1, 40];
const CALLS = 300;
const WARM_CALLS = 300;
/** Time until the flood is queued. */
const SETTLE_MS = 1_500;
/** Pause between two legitimate calls, so that the key does not saturate a thread. */
const PACE_MS = 10;
const AIM = 5;

const WORDS = 'Mohammed al Ottokar da Silva Maria Wei Chen Ivan bin '.repeat(9);
const HONEST = bodyOf([{ name: 'Jane Doe' }]);
const FLOODS = {
  'one subject with 21 long names': bodyOf([
    { name: WORDS, aliases: Array.from({ length: 20 }, (_, at) => WORDS.slice(at)) },
  ]),
  'a hundred subjects with long ligatures': bodyOf(Array.from({ length: 100 }, () => ({ name: 'ﷺ'.repeat(200) }))),
};

export async function measureTurns(stage: Stage, list: string): Promise<void> {
  const server = await startWithList(stage, DATASET, list);
  await callOneByOne(server, WARM_CALLS);
  console.log(
    `\nPOST /v2/screening/match with a key, p50 and p99 of ${CALLS} calls, aim of the p99: ${AIM} times as long as alone`,
  );
  for (const [kind, body] of Object.entries(FLOODS)) {
    for (const addresses of FLOOD_ADDRESSES) {
      // Measured again each time, because the machine's load may change.
      const alone = await callOneByOne(server, CALLS);
      const endFlood = beginFlood(server, body, addresses);
      await pause(SETTLE_MS);
      const beside = await callOneByOne(server, CALLS);
      const answered = await endFlood();
      const ratio = (p99(beside) / p99(alone)).toFixed(1);
      console.log(
        `  ${FLOOD_CALLS} at once without a key, ${kind}, addresses: ${addresses}; ${answered} answered\n` +
          `    alone ${render(alone)}, beside them ${render(beside)}: p99 ${ratio} times as long`,
      );
      await pause(SETTLE_MS);
    }
  }
}

function render(times: readonly number[]): string {
  return `${quantile(times, 0.5).toFixed(1)} and ${p99(times).toFixed(1)} ms`;
}

async function callOneByOne(server: Server, count: number): Promise<number[]> {
  const times: number[] = [];
  for (let at = 0; at < count; at += 1) {
    await pause(PACE_MS);
    const from = performance.now();
    const status = await match(server, HONEST, { apiKey: API_KEY });
    if (status !== 200) throw new Error(`the honest call was answered with ${status}`);
    times.push(performance.now() - from);
  }
  return times;
}

/** The returned function ends the flood and returns the number of completed calls. */
function beginFlood(server: Server, body: string, addresses: number): () => Promise<number> {
  const end = new AbortController();
  let answered = 0;
  const loops = Array.from({ length: FLOOD_CALLS }, async (_, at) => {
    const localAddress = `127.0.3.${1 + (at % addresses)}`;
    while (!end.signal.aborted) {
      // Aborts running calls.
      const status = await match(server, body, { localAddress, signal: end.signal }).catch(() => undefined);
      if (status === 200) answered += 1;
      else if (status !== undefined) await pause(100);
    }
  });
  return async () => {
    end.abort();
    await Promise.all(loops);
    return answered;
  };
}

interface Caller {
  apiKey?: string;
  localAddress?: string;
  signal?: AbortSignal;
}

function match({ url }: Server, body: string, { apiKey, localAddress, signal }: Caller): Promise<number | undefined> {
  const headers = { 'content-type': 'application/json', ...(apiKey !== undefined && { 'x-api-key': apiKey }) };
  const from = { ...(localAddress !== undefined && { localAddress }), ...(signal && { signal }) };
  return new Promise((resolve, reject) => {
    const call = send(`${url}/v2/screening/match`, { method: 'POST', headers, agent: false, ...from }, (reply) => {
      reply
        .resume()
        .once('end', () => resolve(reply.statusCode))
        .once('error', reject);
    });
    call.once('error', reject);
    call.end(body);
  });
}

function bodyOf(subjects: object[]): string {
  return JSON.stringify({ dataset: DATASET, subjects });
}

function p99(times: readonly number[]): number {
  return quantile(times, 0.99);
}

function quantile(times: readonly number[], share: number): number {
  return times.toSorted((a, b) => a - b)[Math.floor(times.length * share)]!;
}
