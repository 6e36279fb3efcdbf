// Files and subjects over HTTP: their duration, and the effect on health checks.
import { spawnSync } from 'node:child_process';
import { closeSync, openSync, readFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { ListedEntity } from '@limen/screening';
import { probeHealth, untilReady } from '../shared/health.ts';
import { LIMEN, type Server, type Stage } from '../shared/stage.ts';
import type { Case, CaseSet } from './cases.ts';

const ROWS = 10_000;
const FILES_AT_ONCE = 4;
const ROUNDS = 3;
const SUBJECTS = 1_000;
const WARM_SUBJECTS = 300;
export const API_KEY = 'a-development-key-of-the-benchmark';

export async function measureFile(stage: Stage, list: string, cases: CaseSet): Promise<void> {
  const server = await startWithList(stage, 'us_ofac_sdn', list);
  const csv = writeCsv(cases);
  await upload(server, csv); // warm-up
  const quiet = await probeHealth(server, pause(1_500));
  const times: number[] = [];
  for (let round = 0; round < ROUNDS; round += 1) times.push(await upload(server, csv));
  const busy = await probeHealth(
    server,
    Promise.all(Array.from({ length: FILES_AT_ONCE * 2 }, () => upload(server, csv))),
  );
  const matches = await matchOneByOne(server, 'us_ofac_sdn', cases);
  const best = Math.min(...times);
  console.log(
    `\n${ROWS} rows in one file over HTTP, ${times.length} times: ${times.map((ms) => `${ms.toFixed(0)} ms`).join(', ')} (aim 1000 ms)`,
  );
  console.log(`  ${((ROWS * 1000) / best).toFixed(0)} rows/s at best`);
  printMatches(matches, 3);
  console.log(
    `GET /health p99: ${quiet.toFixed(1)} ms idle, ${busy.toFixed(1)} ms while ${FILES_AT_ONCE * 2} files are screened (aim 20 ms)`,
  );
}

/** A service with a single list. */
export async function startWithList(stage: Stage, name: string, file: string): Promise<Server> {
  const environment = { DATA_DIR: join(stage.folder, name), PORT: '0', LOG_LEVEL: 'warn', DEV_API_KEY: API_KEY };
  const limen = join(import.meta.dirname, '../../../apps/server/bin/limen.js');
  const added = spawnSync(process.execPath, [limen, 'datasets', 'add', name, file], {
    env: { PATH: process.env['PATH'], ...environment },
    encoding: 'utf8',
  });
  if (added.status !== 0) throw new Error(`limen datasets add failed: ${added.stderr}`);
  const server = await stage.startServer(LIMEN, { environment });
  await untilReady(server);
  return server;
}

/** Single subjects against a list far longer than real ones. */
export async function measureLongList(stage: Stage, list: Iterable<ListedEntity>, cases: CaseSet): Promise<void> {
  const file = join(stage.folder, 'long.csv');
  const out = openSync(file, 'w');
  writeSync(out, 'id,schema,name,aliases,birth_date,countries,addresses,identifiers,program_ids\n');
  for (const entity of list) writeSync(out, `${targetsSimple(entity)}\n`);
  closeSync(out);
  const server = await startWithList(stage, 'long_list', file);
  printMatches(await matchOneByOne(server, 'long_list', cases), 10);
  const peak = /^VmHWM:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${server.pid}/status`, 'utf8'))?.[1];
  console.log(`  the service takes ${(Number(peak) / 1000).toFixed(0)} MB at its highest (aim 1200)`);
}

function targetsSimple(entity: ListedEntity): string {
  const { id, schema, names, birthDates, countries, addresses, identifiers } = entity;
  const [name, ...aliases] = names;
  const join = (values: readonly string[]) => values.map((value) => value.replaceAll(/[";]/g, ' ')).join(';');
  const cells = [id, schema, name ?? '', join(aliases), join(birthDates), join(countries), join(addresses)];
  return [...cells, join(identifiers.map(({ value }) => value)), 'SDN'].map((cell) => `"${cell}"`).join(',');
}

function printMatches(times: readonly number[], aim: number): void {
  console.log(
    `POST /v2/screening/match, one subject at a time: p50 ${times[SUBJECTS >> 1]!.toFixed(2)} ms (aim ${aim} ms), p99 ${times[Math.floor(SUBJECTS * 0.99)]!.toFixed(2)} ms`,
  );
}

/** Times of sequential subjects, as from a sign-up form. */
async function matchOneByOne({ url }: Server, dataset: string, { listed, innocents }: CaseSet): Promise<number[]> {
  const times: number[] = [];
  for (let at = 0; at < WARM_SUBJECTS + SUBJECTS; at += 1) {
    const { firstName, lastName, birthDate } = at % 10 === 0 ? listed[at % listed.length]! : innocents[at]!;
    const body = JSON.stringify({
      dataset,
      subjects: [{ firstName, lastName, ...(birthDate && { birthDate }) }],
    });
    const from = performance.now();
    const headers = { 'content-type': 'application/json', 'x-api-key': API_KEY };
    const reply = await fetch(`${url}/v2/screening/match`, { method: 'POST', headers, body });
    await reply.arrayBuffer();
    if (reply.status !== 200) throw new Error(`a subject was answered with ${reply.status}`);
    if (at >= WARM_SUBJECTS) times.push(performance.now() - from);
  }
  return times.toSorted((a, b) => a - b);
}

function writeCsv({ listed, innocents }: CaseSet): string {
  const quote = (text: string) => `"${text.replaceAll('"', '""')}"`;
  const line = ({ firstName, lastName, birthDate }: Case, at: number) =>
    [String(at), firstName, lastName, birthDate].map(quote).join(',');
  const rows = innocents
    .slice(0, ROWS)
    .map((row, at) => line(at % 10 === 0 ? listed[(at / 10) % listed.length]! : row, at));
  return `id,firstname,lastname,dob\n${rows.join('\n')}\n`;
}

async function upload({ url }: Server, csv: string): Promise<number> {
  const form = new FormData();
  form.set('file', new Blob([csv], { type: 'text/csv' }), 'people.csv');
  const from = performance.now();
  const reply = await fetch(`${url}/v2/open-sanctions/file/us_ofac_sdn`, { method: 'POST', body: form });
  // Not parsed, because megabytes of JSON would delay this process's own health checks.
  const body = Buffer.from(await reply.arrayBuffer());
  const isWhole = body.subarray(0, 200).includes(`"total":${ROWS}`) && body.subarray(-2).equals(Buffer.from('}\n'));
  if (reply.status !== 200 || !isWhole) throw new Error(`the file was answered with ${reply.status}`);
  return performance.now() - from;
}
