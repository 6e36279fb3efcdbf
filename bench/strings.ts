// `npm run bench:strings`: requests per second and p99 of the string store, as a ratio to bare node:http + node:sqlite.
// With `--profile`: where the time of each request goes, in both.
import { availableParallelism } from 'node:os';
import { argv } from 'node:process';
import { profileStrings } from './profile-strings.ts';
import { openStage, type Stage } from './stage.ts';
import {
  type Load,
  type Operation,
  type StringServer,
  startBare,
  startLimen,
  startLoad,
  startNothing,
} from './string-servers.ts';
import { type Comparison, type Figures, renderCeiling, renderTable, summarize } from './strings-report.ts';

const CONNECTIONS = 32;
const ROUNDS = 5;
const ROUND_SECONDS = 2;
const WARM_UP_SECONDS = 1;
const MAX_SECONDS = 180;

interface Plan {
  name: string;
  operation: Operation;
  connections: number;
  /** The part of the bare server's rate that Limen is to reach. */
  aim: number;
}

const PLANS: Plan[] = [
  { name: 'GET /strings/{id}', operation: 'get', connections: CONNECTIONS, aim: 0.8 },
  { name: 'POST /strings', operation: 'post', connections: CONNECTIONS, aim: 0.7 },
  // Group commit must not make a lone writer wait.
  { name: 'POST, 1 connection', operation: 'post', connections: 1, aim: 0.7 },
];

const stage = openStage(MAX_SECONDS);
try {
  await (argv.includes('--profile') ? profileStrings(stage, CONNECTIONS) : compare(stage));
} finally {
  await stage.end();
}

async function compare(stage: Stage): Promise<void> {
  const limen = await startLimen(stage, 'limen');
  const quiet = await startLimen(stage, 'quiet', 'warn');
  const bare = await startBare(stage, 'limen');
  const nothing = await startNothing(stage, limen);
  const load = startLoad(stage);
  console.log(
    `String store, Node ${process.version}, ${availableParallelism()} cores, ${CONNECTIONS} connections without ` +
      `pipelining; medians of ${ROUNDS} rounds of ${ROUND_SECONDS} s.\nPeer: bare node:http + node:sqlite, same table ` +
      'and statements, WAL, synchronous=FULL, one commit per POST.\n',
  );
  await load.fire(nothing, 'get', CONNECTIONS, WARM_UP_SECONDS);
  const ceiling = await load.fire(nothing, 'get', CONNECTIONS, ROUND_SECONDS);

  const comparisons: Comparison[] = [];
  for (const plan of PLANS) {
    const [byBare, byLimen, byQuiet] = await measure(load, plan, [bare, limen, quiet]);
    comparisons.push(
      { name: plan.name, bare: byBare!, limen: byLimen!, aim: plan.aim },
      { name: '  with LOG_LEVEL=warn', bare: byBare!, limen: byQuiet! },
    );
  }
  console.log(renderTable(comparisons));
  console.log(renderCeiling(ceiling.perSecond, comparisons));
}

/** Servers take turns, so that a disturbance of the machine meets all of them. */
async function measure(load: Load, { operation, connections }: Plan, servers: StringServer[]): Promise<Figures[]> {
  for (const server of servers) await load.fire(server, operation, connections, WARM_UP_SECONDS);
  const results = servers.map(() => [] as Awaited<ReturnType<Load['fire']>>[]);
  for (let round = 0; round < ROUNDS; round++) {
    for (const [index, server] of servers.entries()) {
      results[index]!.push(await load.fire(server, operation, connections, ROUND_SECONDS));
    }
  }
  return results.map(summarize);
}
