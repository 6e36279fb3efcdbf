// Files over HTTP on a running server: how long one takes, and what health checks feel of several.
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import type { Server, Stage } from '../shared/stage.ts';
import type { Case, CaseSet } from './cases.ts';

const ROWS = 10_000;
const FILES_AT_ONCE = 4;
const ROUNDS = 3;
const BETWEEN_PROBES_MS = 5;
const SUBJECTS = 1_000;
const WARM_SUBJECTS = 300;
const API_KEY = 'a-development-key-of-the-benchmark';

export async function measureFile(stage: Stage, list: string, cases: CaseSet): Promise<void> {
  const environment = { DATA_DIR: join(stage.folder, 'screening'), PORT: '0', LOG_LEVEL: 'warn', DEV_API_KEY: API_KEY };
  const limen = join(import.meta.dirname, '../../apps/server/bin/limen.js');
  const added = spawnSync(process.execPath, [limen, 'datasets', 'add', 'us_ofac_sdn', list], {
    env: { PATH: process.env['PATH'], ...environment },
    encoding: 'utf8',
  });
  if (added.status !== 0) throw new Error(`limen datasets add failed: ${added.stderr}`);
  const server = await stage.startServer('../apps/server/bin/start.js', { environment });
  await untilReady(server);
  const csv = writeCsv(cases);
  await upload(server, csv); // warm
  const quiet = await probe(server, sleep(1_500));
  const times: number[] = [];
  for (let round = 0; round < ROUNDS; round += 1) times.push(await upload(server, csv));
  const busy = await probe(server, Promise.all(Array.from({ length: FILES_AT_ONCE * 2 }, () => upload(server, csv))));
  const matches = await matchOneByOne(server, cases);
  const best = Math.min(...times);
  console.log(
    `\n${ROWS} rows in one file over HTTP, ${times.length} times: ${times.map((ms) => `${ms.toFixed(0)} ms`).join(', ')} (aim 1000 ms)`,
  );
  console.log(`  ${((ROWS * 1000) / best).toFixed(0)} rows/s at best`);
  console.log(
    `POST /v2/screening/match, one subject at a time: p50 ${matches[SUBJECTS >> 1]!.toFixed(2)} ms (aim 3 ms), p99 ${matches[Math.floor(SUBJECTS * 0.99)]!.toFixed(2)} ms`,
  );
  console.log(
    `GET /health p99: ${quiet.toFixed(1)} ms idle, ${busy.toFixed(1)} ms while ${FILES_AT_ONCE * 2} files are screened (aim 20 ms)`,
  );
}

/** Times of one subject after the other, as a sign-up form would ask. */
async function matchOneByOne({ url }: Server, { listed, innocents }: CaseSet): Promise<number[]> {
  const times: number[] = [];
  for (let at = 0; at < WARM_SUBJECTS + SUBJECTS; at += 1) {
    const { firstName, lastName, birthDate } = at % 10 === 0 ? listed[at % listed.length]! : innocents[at]!;
    const body = JSON.stringify({
      dataset: 'us_ofac_sdn',
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
  // Not parsed: megabytes of JSON would hold up the health checks of this very process.
  const body = Buffer.from(await reply.arrayBuffer());
  const isWhole = body.subarray(0, 200).includes(`"total":${ROWS}`) && body.subarray(-2).equals(Buffer.from('}\n'));
  if (reply.status !== 200 || !isWhole) throw new Error(`the file was answered with ${reply.status}`);
  return performance.now() - from;
}

/** p99 of health checks, one after the other, until `meanwhile` ends. */
async function probe({ url }: Server, meanwhile: Promise<unknown>): Promise<number> {
  let over = false;
  const done = meanwhile.finally(() => {
    over = true;
  });
  const times: number[] = [];
  while (!over) {
    const from = performance.now();
    await (await fetch(`${url}/health`)).arrayBuffer();
    times.push(performance.now() - from);
    await sleep(BETWEEN_PROBES_MS);
  }
  await done;
  return times.toSorted((a, b) => a - b)[Math.floor(times.length * 0.99)] ?? 0;
}

async function untilReady({ url }: Server): Promise<void> {
  while ((await fetch(`${url}/ready`)).status !== 200) await sleep(100);
}

function sleep(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
