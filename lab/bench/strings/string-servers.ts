// The compared servers of the string store, with equal records, and their load.
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { cpuSecondsOf, cpuSecondsOfMachine } from '../shared/cpu.ts';
import type { LoadJob, LoadResult } from '../shared/load.ts';
import { LIMEN, type Server, type Stage } from '../shared/stage.ts';

const STORED = 2_000;
const WRITERS = 32;
const VALUE = 'An ordinary line of text, as long as a name and an address together would be';
const BODY = JSON.stringify({ value: VALUE });
const JSON_HEADERS = { 'content-type': 'application/json' };
/** Unbuilt for a profile, because the build merges everything into a few files. */
const SOURCES = '../apps/server/src/main.ts';

export type Operation = 'get' | 'post';

export interface StringServer extends Server {
  /** Ids of the records from before the measurement. */
  ids: string[];
}

/** Limen as in production, except for the folder and the port. */
export async function startLimen(stage: Stage, name: string, logLevel?: 'warn', nodeArgs: string[] = []) {
  const environment = { DATA_DIR: join(stage.folder, name), PORT: '0', ...(logLevel && { LOG_LEVEL: logLevel }) };
  return fill(await stage.startServer(nodeArgs.length > 0 ? SOURCES : LIMEN, { environment, nodeArgs }));
}

/** The bare server, with the table of a running Limen. */
export async function startBare(stage: Stage, limenName: string, nodeArgs: string[] = []): Promise<StringServer> {
  const database = new DatabaseSync(join(stage.folder, limenName, 'limen.db'), { readOnly: true });
  const table = database.prepare("select sql from sqlite_master where name = 'strings'").get();
  database.close();
  const folder = join(stage.folder, 'bare');
  mkdirSync(folder);
  return fill(
    await stage.startServer('strings/bare-strings-server.ts', { args: [folder, String(table?.['sql'])], nodeArgs }),
  );
}

/** A server that replays one of Limen's replies. */
export async function startNothing(stage: Stage, { url, ids }: StringServer): Promise<StringServer> {
  const reply = await fetch(`${url}/strings/${ids[0]}`);
  const headers = [...reply.headers].map(([name, value]) => `${name}: ${value}\r\n`).join('');
  const raw = `HTTP/1.1 200 OK\r\n${headers}\r\n${await reply.text()}`;
  const server = await stage.startServer('strings/nothing-server.ts', { args: [Buffer.from(raw).toString('base64')] });
  return { ...server, ids };
}

export interface Measurement extends LoadResult {
  /** CPU time of the server per request, in microseconds. */
  cpuMicros: number;
  /** Cores used by other processes in the meantime. */
  foreignCores: number;
}

export interface Load {
  fire(server: StringServer, operation: Operation, connections: number, seconds: number): Promise<Measurement>;
}

export function startLoad(stage: Stage): Load {
  const child = stage.start('shared/load.ts', { ipc: true });

  function run(job: LoadJob): Promise<LoadResult> {
    return new Promise((resolve, reject) => {
      const onExit = () => reject(new Error('the load ended early'));
      child.once('exit', onExit);
      child.once('message', (message) => {
        child.off('exit', onExit);
        resolve(message as LoadResult);
      });
      child.send(job);
    });
  }

  return {
    async fire({ url, ids, pid }, operation, connections, seconds) {
      const requests: LoadJob['requests'] =
        operation === 'get'
          ? ids.map((id) => ({ method: 'GET', path: `/strings/${id}` }))
          : [{ method: 'POST', path: '/strings', headers: JSON_HEADERS, body: BODY }];
      const readCpu = () => ({
        server: cpuSecondsOf(pid) ?? 0,
        own: stage.cpuSeconds(),
        all: cpuSecondsOfMachine() ?? 0,
      });
      const [before, start] = [readCpu(), performance.now()];
      const result = await run({ url, requests, connections, seconds });
      const [after, elapsedSeconds] = [readCpu(), (performance.now() - start) / 1000];
      // Throws on refusals, which are cheaper and would distort the figure.
      if (result.failures > 0) throw new Error(`${result.failures} of ${result.requests} requests to ${url} failed`);
      return {
        ...result,
        cpuMicros: ((after.server - before.server) / result.requests) * 1e6,
        foreignCores: (after.all - before.all - (after.own - before.own)) / elapsedSeconds,
      };
    },
  };
}

async function fill(server: Server): Promise<StringServer> {
  const ids: string[] = [];
  const write = async () => {
    for (let written = 0; written < STORED / WRITERS; written++) {
      const reply = await fetch(`${server.url}/strings`, { method: 'POST', headers: JSON_HEADERS, body: BODY });
      const record = (await reply.json()) as { id: string; value: string };
      if (reply.status !== 201 || record.value !== VALUE) throw new Error(`${server.url} did not store a string`);
      ids.push(record.id);
    }
  };
  await Promise.all(Array.from({ length: WRITERS }, write));
  return { ...server, ids };
}
