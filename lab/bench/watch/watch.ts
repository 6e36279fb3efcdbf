// `npm run bench:watch`: cost of a new list version with many watched subjects, compared with
// screening all of them.
import { spawnSync } from 'node:child_process';
import { createReadStream, existsSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { Readable } from 'node:stream';
import { setTimeout as pause } from 'node:timers/promises';
import { createLoadReport, type ListedEntity, loadList } from '@limen/screening';
import { cpuSecondsOf } from '../shared/cpu.ts';
import { probeHealth, untilReady } from '../shared/health.ts';
import { createRandom, type Random } from '../shared/random.ts';
import { leaveWrongly, readArguments } from '../shared/read-arguments.ts';
import { LIMEN, openStage, type Server, type Stage } from '../shared/stage.ts';
import { printMissed } from './missed.ts';

const LIST_NAME = 'watched_list';
const CHANGED = 1_000;
/** Number of subjects before the list changes. The others are added then. */
const HELD_SHARE = 7 / 8;
/** Requests must arrive within 30 seconds, even on a busy machine. */
const PER_IMPORT = 10_000;
const AIM_SECONDS = 10;
const AIM_RATIO = 100;
/** Timeout for a million on two slow cores. A hundred thousand take a fraction. */
const MAX_SECONDS = 5_400;
const API_KEY = 'a-development-key-of-the-benchmark';

const { name, positionals, values } = readArguments({
  name: 'bench:watch',
  does: 'what a new version of a list costs where many subjects are watched, beside screening everybody',
  takes: 'about three minutes for 100,000 subjects, and ten times that for a million',
  operand: { name: 'FILE', does: 'the OFAC SDN list as OpenSanctions publishes it, targets.simple.csv' },
  options: {
    subjects: { type: 'string', value: 'N', does: 'how many are watched', default: '100000' },
    missed: {
      type: 'string',
      value: 'N',
      does: 'instead, what the look-up misses of what a search for N distorted names finds; two minutes for 12000',
    },
  },
});
const LIST = resolve(
  positionals[0] ?? join(import.meta.dirname, '../../../../shared/data/sanctions/us_ofac_sdn.targets.simple.csv'),
);
const SUBJECTS = Number(values.subjects);
if (!existsSync(LIST)) leaveWrongly(name, `There is no list to measure on at ${LIST}.`);
if (!Number.isSafeInteger(SUBJECTS) || SUBJECTS < 50_000)
  leaveWrongly(name, 'Give 50000 subjects or more: fewer are all screened, which is quicker.');

if (values.missed !== undefined) {
  const count = Number(values.missed);
  if (!Number.isSafeInteger(count) || count < 2) leaveWrongly(name, 'Give a number of names, as in --missed 12000.');
  printMissed(await readList(), count);
  process.exit(0);
}

const stage = openStage(MAX_SECONDS);
try {
  const list = await readList();
  const service = await startService(stage, list);
  const imported = await timed(() => importSubjects(service, list));
  console.log(`\n${SUBJECTS} subjects imported in ${seconds(imported)}: ${rate(imported)} a second`);
  const first = await timed(() => untilScreened(service));
  console.log(`all of them screened for the first time ${seconds(first)} later`);
  const prepared = await timed(() => untilHeld(service));
  console.log(`their names taken into memory, in the background, ${seconds(prepared)} later`);
  const deltas: Followed[] = [];
  let now: readonly ListedEntity[] = list;
  for (const round of [1, 2]) {
    now = changeEntities(now, round);
    addList(now);
    const delta = await follow(service);
    deltas.push(delta);
    console.log(
      `\n${CHANGED} of ${list.length} entries changed, ${round === 2 ? 'all of them' : 'a fifth of them'} with a new name: ${delta.seconds.toFixed(2)} s (aim ${AIM_SECONDS} s), ${delta.screened} subjects screened`,
    );
    console.log(
      `  processor time ${delta.cpu.toFixed(1)} s with loading the list; GET /health p99 meanwhile: ${delta.p99.toFixed(1)} ms (aim 20 ms)`,
    );
  }
  letAWeekPass();
  const everybody = await follow(service);
  console.log(
    `\nall ${everybody.screened} screened again: ${everybody.seconds.toFixed(1)} s, processor time ${everybody.cpu.toFixed(1)} s; GET /health p99 meanwhile: ${everybody.p99.toFixed(1)} ms`,
  );
  const times = (figure: 'seconds' | 'cpu') =>
    deltas.map((delta) => (everybody[figure] / delta[figure]).toFixed(0)).join(' and ');
  console.log(`  ${times('seconds')} times as long as the changes alone (aim ${AIM_RATIO})`);
  console.log(`  ${times('cpu')} times their processor time with loading the list`);
} finally {
  await stage.end();
}

async function readList(): Promise<ListedEntity[]> {
  const list: ListedEntity[] = [];
  const source = { main: createReadStream(LIST) };
  for await (const entity of loadList('targets-simple-csv', source, LIST_NAME, createLoadReport())) list.push(entity);
  return list;
}

function environment() {
  return {
    DATA_DIR: join(stage.folder, 'watching'),
    PORT: '0',
    LOG_LEVEL: 'warn',
    DEV_API_KEY: API_KEY,
  };
}

/** As FollowTheMoney targets, one JSON object per line. */
function addList(entities: readonly ListedEntity[]): void {
  const file = join(stage.folder, 'list.ftm.json');
  writeFileSync(file, entities.map(writeEntity).join('\n'));
  const limen = join(import.meta.dirname, '../../../apps/server/bin/limen.js');
  const env = { PATH: process.env['PATH'], ...environment() };
  const added = spawnSync(process.execPath, [limen, 'datasets', 'add', LIST_NAME, file], { env, encoding: 'utf8' });
  if (added.status !== 0) throw new Error(`limen datasets add failed: ${added.stderr}`);
}

function writeEntity({ id, schema, caption, names, weakNames, birthDates, countries, programs }: ListedEntity): string {
  const [first, ...aliases] = names;
  const properties = { name: [first], alias: aliases, weakAlias: weakNames, birthDate: birthDates, country: countries };
  return JSON.stringify({
    id,
    caption,
    schema,
    datasets: [LIST_NAME],
    referents: [],
    target: true,
    properties: { ...properties, program: programs, topics: ['sanction'] },
  });
}

async function startService({ startServer }: Stage, list: readonly ListedEntity[]): Promise<Server> {
  addList(list);
  const server = await startServer(LIMEN, { environment: environment() });
  await untilReady(server);
  return server;
}

async function importSubjects(server: Server, list: readonly ListedEntity[]): Promise<void> {
  const invent = createInventor(list);
  for (let taken = 0; taken < SUBJECTS; taken += PER_IMPORT)
    await importSome(server, Math.min(PER_IMPORT, SUBJECTS - taken), invent);
}

async function importSome({ url }: Server, count: number, invent: () => string): Promise<void> {
  const lines = Readable.from(Array.from({ length: Math.ceil(count / 1_000) }, (_, part) => part).values()).map(
    (part) => Array.from({ length: Math.min(1_000, count - part * 1_000) }, invent).join(''),
  );
  const reply = await fetch(`${url}/v2/screening/subjects/import?dataset=${LIST_NAME}`, {
    method: 'POST',
    headers: { 'x-api-key': API_KEY, 'content-type': 'application/x-ndjson' },
    body: Readable.toWeb(lines) as ReadableStream,
    duplex: 'half',
  } as RequestInit);
  const body = (await reply.json()) as { added?: number };
  if (body.added !== count) throw new Error(`not all were taken: ${JSON.stringify(body).slice(0, 500)}`);
}

/** Recombined given and family names of the list, with half of the family names invented. */
function createInventor(list: readonly ListedEntity[]): () => string {
  const random = createRandom(7);
  const people = list.filter(({ schema, names }) => schema === 'Person' && names[0]!.includes(', '));
  const given = people.map(({ names }) => names[0]!.split(', ')[1]!);
  const family = people.map(({ names }) => names[0]!.split(', ')[0]!);
  let made = 0;
  return () => {
    made += 1;
    const name = `${random.pick(given)} ${inventFamily(family, random)}`;
    return `${JSON.stringify({ reference: `customer-${made}`, schema: 'Person', name, birthDate: birthDate(random) })}\n`;
  };
}

function inventFamily(family: readonly string[], random: Random): string {
  const one = random.pick(family);
  if (random.below(2) === 0) return one;
  const other = random.pick(family);
  return one.slice(0, Math.max(2, one.length >> 1)) + other.slice(other.length >> 1);
}

function birthDate(random: Random): string {
  const two = (number: number) => String(number).padStart(2, '0');
  return `${1940 + random.below(68)}-${two(1 + random.below(12))}-${two(1 + random.below(28))}`;
}

/** Every n-th entry gets another program, and a fifth of those (then all) another name. */
function changeEntities(list: readonly ListedEntity[], round: number): ListedEntity[] {
  const step = Math.floor(list.length / CHANGED);
  return list.map((entity, at) => {
    if (at % step !== round || at >= step * CHANGED) return entity;
    const names = at % 5 === 0 || round === 2 ? [`NEWLY, ${entity.names[0]}`, ...entity.names] : entity.names;
    return { ...entity, names, programs: [...entity.programs, `ROUND ${round}`] };
  });
}

async function untilScreened({ url }: Server): Promise<void> {
  for (;;) {
    const reply = await fetch(`${url}/v2/screening/subjects/count`, { headers: { 'x-api-key': API_KEY } });
    const { due, total } = (await reply.json()) as { due: number; total: number };
    if (total === SUBJECTS && due === 0) return;
    await pause(2_000);
  }
}

/** CPU time of the service alone, which a busy machine hardly affects. */
function cpuSeconds({ pid }: Server): number {
  return cpuSecondsOf(pid) ?? Number.NaN;
}

interface Followed {
  seconds: number;
  screened: number;
  cpu: number;
  p99: number;
}

/** Waits until the service has processed the changes. */
async function follow(server: Server): Promise<Followed> {
  const before = await lastFollowed(server);
  const cpuBefore = cpuSeconds(server);
  const p99 = await probeHealth(server, untilFollowed(server, before.seconds));
  return { ...(await lastFollowed(server)), cpu: cpuSeconds(server) - cpuBefore, p99 };
}

async function lastFollowed({ url }: Server): Promise<Pick<Followed, 'seconds' | 'screened'>> {
  const text = await (await fetch(`${url}/metrics`)).text();
  const read = (metric: string) => Number(new RegExp(`^${metric} (\\S+)$`, 'm').exec(text)?.[1] ?? Number.NaN);
  return { seconds: read('limen_watching_last_seconds'), screened: read('limen_watching_last_screened') };
}

/** A list that changed over the last week is screened against all subjects again. */
function letAWeekPass(): void {
  const database = new DatabaseSync(join(environment().DATA_DIR, 'limen.db'));
  database.exec('update watched_lists set everybody_at = 0');
  database.close();
}

async function untilHeld({ url }: Server): Promise<void> {
  const isHeld = async () => {
    const text = await (await fetch(`${url}/metrics`)).text();
    return Number(/^limen_watching_held (\d+)$/m.exec(text)?.[1]) >= SUBJECTS * HELD_SHARE;
  };
  while (!(await isHeld())) await pause(500);
}

async function untilFollowed(server: Server, before: number): Promise<void> {
  while ((await lastFollowed(server)).seconds === before) await pause(200);
}

async function timed(work: () => Promise<void>): Promise<number> {
  const from = performance.now();
  await work();
  return performance.now() - from;
}

function seconds(milliseconds: number): string {
  return `${(milliseconds / 1000).toFixed(1)} s`;
}

function rate(milliseconds: number): string {
  return ((SUBJECTS * 1000) / milliseconds).toFixed(0);
}
