// `npm run bench:console`: the slowest console calls with a million sessions, a hundred thousand
// watched subjects and a million audit lines, on both databases, compared with the fastest
// authenticated call.
import { chmodSync, mkdirSync } from 'node:fs';
import { Agent, request as send } from 'node:http';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { startCluster } from '@limen/testing/postgres-cluster.ts';
import { provideRequirement, sayLeftOut } from '../../../scripts/bring-up.ts';
import { renderColumns } from '../shared/columns.ts';
import { aim, milliseconds, quantile } from '../shared/figures.ts';
import { createRandom } from '../shared/random.ts';
import { leaveWrongly, readArguments } from '../shared/read-arguments.ts';
import { LIMEN, openStage, type Server } from '../shared/stage.ts';
import { type Filled, fill, RETENTION_HOURS } from './fill.ts';

const AIM_MS = 50;
const WARM_UP = 10;
const MAX_SECONDS = 3_600;
const FEWEST_SESSIONS = 10_000;
const FEWEST_CALLS = 100;
/** Maximum wait after the start, because the service has background work with so much data. */
const MAX_SETTLING_MS = 60_000;
const SETTLED_RATIO = 5;

const { name, values } = readArguments({
  name: 'bench:console',
  does: 'the heaviest calls of the console on very many sessions, subjects and audit lines',
  takes: 'about ten minutes',
  options: {
    sessions: {
      type: 'string',
      value: 'N',
      default: '1000000',
      does: `how many, from ${FEWEST_SESSIONS}; a tenth as many subjects, as many audit lines`,
    },
    calls: { type: 'string', value: 'N', default: '300', does: `of each kind, from ${FEWEST_CALLS}` },
    only: { type: 'string', value: 'ENGINE', does: 'sqlite or postgres' },
  },
});
const sessions = Number(values.sessions);
const calls = Number(values.calls);
if (!Number.isSafeInteger(sessions) || sessions < FEWEST_SESSIONS)
  leaveWrongly(name, `--sessions must be at least ${FEWEST_SESSIONS}.`);
if (!Number.isSafeInteger(calls) || calls < FEWEST_CALLS)
  leaveWrongly(name, `--calls must be at least ${FEWEST_CALLS}.`);
if (values.only !== undefined && !['sqlite', 'postgres'].includes(values.only))
  leaveWrongly(name, '--only must be sqlite or postgres.');

interface Call {
  name: string;
  path: string;
  /** Absent for GET. */
  body?: object;
}

const stage = openStage(MAX_SECONDS);
try {
  console.log(`The console, Node ${process.version}, ${availableParallelism()} cores, ${sessions} sessions.`);
  if (values.only !== 'postgres') await measure('SQLite', undefined);
  if (values.only !== 'sqlite') {
    const binaries = provideRequirement('postgres');
    if (binaries) {
      const cluster = await startCluster(binaries, { durable: true });
      try {
        await measure('PostgreSQL', cluster.url);
      } finally {
        await cluster.stop();
      }
    } else console.log(`\n${sayLeftOut('PostgreSQL', 'postgres')}`);
  }
} finally {
  await stage.end();
}

async function measure(engine: string, url: string | undefined): Promise<void> {
  const dataDir = join(stage.folder, engine);
  mkdirSync(dataDir);
  chmodSync(stage.folder, 0o755);
  const began = performance.now();
  const filled = await fill({ url, dataDir }, { sessions, subjects: sessions / 10, auditLines: sessions });
  console.log(`\n${engine}, filled in ${((performance.now() - began) / 1000).toFixed(0)} s`);
  const environment = {
    // Without the fictional development list, which would trigger screening of all subjects.
    NODE_ENV: 'test',
    ...{ DATA_DIR: dataDir, PORT: '0', SERVE: 'core,console', RETENTION_HOURS: String(RETENTION_HOURS) },
    ...{ REVIEW_DAYS: '60', LOG_LEVEL: 'warn', ...(url && { DATABASE_URL: url }) },
  };
  const server = await stage.startServer(LIMEN, { environment });
  const draws = drawsFor(filled);
  // Calls everything once before measuring, to load and compile.
  for (const draw of draws) await time(server, filled, draw, WARM_UP);
  const lightest = () => ({ name: 'me', path: 'me' });
  await settle(server, filled, lightest);
  const bound = await time(server, filled, lightest);
  const rows = [['', 'p50', 'p99', '× the lightest', `aim ${AIM_MS} ms`]];
  rows.push([
    'who am I: the lightest',
    milliseconds(quantile(bound, 0.5)),
    milliseconds(quantile(bound, 0.99)),
    '1.0',
    '',
  ]);
  let worst = 0;
  for (const draw of draws) {
    const times = await time(server, filled, draw);
    const [p50, p99] = [quantile(times, 0.5), quantile(times, 0.99)];
    worst = Math.max(worst, p99);
    const ratio = (p50 / quantile(bound, 0.5)).toFixed(1);
    rows.push([draw().name, milliseconds(p50), milliseconds(p99), ratio, p99 < AIM_MS ? 'met' : 'NOT MET']);
  }
  process.kill(server.pid);
  console.log(renderColumns(rows));
  console.log(`  the slowest p99: ${milliseconds(worst)}; ${aim(worst < AIM_MS, `${AIM_MS} ms`)}`);
}

/** Waits until the fastest call has stable times. */
async function settle(server: Server, filled: Filled, lightest: () => Call): Promise<void> {
  const until = performance.now() + MAX_SETTLING_MS;
  for (let isCalm = false; !isCalm && performance.now() < until; ) {
    const times = await time(server, filled, lightest, FEWEST_CALLS);
    isCalm = quantile(times, 0.99) < SETTLED_RATIO * quantile(times, 0.5);
  }
}

/** Sequential calls, like one operator's page. */
async function time({ url }: Server, { cookie }: Filled, draw: () => Call, count = calls): Promise<number[]> {
  const agent = new Agent({ keepAlive: true });
  const times: number[] = [];
  for (let nth = 0; nth < count + WARM_UP; nth += 1) {
    const call = draw();
    const start = performance.now();
    await ask(agent, new URL(url), cookie, call);
    if (nth >= WARM_UP) times.push(performance.now() - start);
  }
  agent.destroy();
  return times;
}

function ask(agent: Agent, { port }: URL, cookie: string, { path, body }: Call): Promise<void> {
  const payload = body === undefined ? undefined : JSON.stringify(body);
  const headers = {
    ...{ host: `localhost:${port}`, cookie, 'sec-fetch-site': 'same-origin' },
    ...(payload !== undefined && { 'content-type': 'application/json', 'content-length': Buffer.byteLength(payload) }),
  };
  return new Promise((resolve, reject) => {
    const method = payload === undefined ? 'GET' : 'POST';
    const sent = send({ agent, port, host: '127.0.0.1', path: `/console/api/${path}`, method, headers }, (reply) => {
      const chunks: Buffer[] = [];
      reply.on('data', (chunk) => chunks.push(chunk));
      reply.on('error', reject);
      reply.on('end', () => {
        if (reply.statusCode === 200) return resolve();
        reject(new Error(`${path}: ${reply.statusCode} ${Buffer.concat(chunks).toString().slice(0, 300)}`));
      });
    });
    sent.on('error', reject);
    sent.end(payload);
  });
}

function drawsFor({ sessionIds, transactionIds, subjectIds, keyIds, firstAt, lastAt }: Filled): (() => Call)[] {
  const random = createRandom(7);
  const day = 86_400_000;
  const search = (title: string, filters: () => object) => () => ({
    name: title,
    path: 'sessions/search',
    body: filters(),
  });
  const before = () => ({
    after: `${firstAt + random.below(lastAt - firstAt)}.ffffffff-ffff-4fff-bfff-ffffffffffff`,
  });
  return [
    search('sessions, newest', () => ({})),
    search('sessions, from anywhere', before),
    search('sessions of one kind and world', () => ({ kind: 'verification', world: 'test', ...before() })),
    search('sessions of one key, cancelled', () => ({ key: random.pick(keyIds), state: 'cancelled', ...before() })),
    search('sessions still open', () => ({ state: 'created' })),
    search('sessions for review', () => ({ recommendation: 'REVIEW', ...before() })),
    search('sessions with a rare flag', () => ({ flag: 'CAMERA_VIRTUAL_SOFTWARE', ...before() })),
    search('sessions with three marks', () => ({
      ...{ flag: 'LIGHT_NOT_AS_DRAWN', recommendation: 'REVIEW', outcome: 'AGE_ABOVE_THRESHOLD', ...before() },
    })),
    search('sessions of a day of one key', () => {
      const from = firstAt + random.below(lastAt - firstAt - day);
      return { key: random.pick(keyIds), from, until: from + day };
    }),
    search('sessions with marks that hardly go together', () => ({
      flag: 'CAMERA_VIRTUAL_SOFTWARE',
      key: keyIds.at(-1),
    })),
    search('session by transaction id', () => ({ transactionId: random.pick(transactionIds) })),
    () => ({ name: 'one session', path: `sessions/${random.pick(sessionIds)}` }),
    () => ({ name: 'review queue', path: 'review/search', body: {} }),
    () => ({ name: 'review queue, a kind of which nothing waits', path: 'review/search', body: { kind: 'hit' } }),
    () => ({ name: 'review queue, what is late', path: 'review/search', body: { overdue: true, assignee: 'nobody' } }),
    () => ({ name: 'subjects with open hits', path: 'subjects/search', body: { hits: 'open' } }),
    () => ({ name: 'one subject', path: `subjects/${random.pick(subjectIds)}` }),
    () => ({ name: 'alerts', path: 'alerts/search', body: {} }),
    () => ({ name: 'audit log, from anywhere', path: `audit?before=${1 + random.below(sessions)}` }),
    () => ({ name: 'audit log of one act', path: `audit?before=${1 + random.below(sessions)}&act=sign-in` }),
    () => ({ name: 'overview of 90 days', path: 'overview?days=90' }),
    () => ({ name: 'overview of a year', path: 'overview?days=365' }),
  ];
}
