// `npm run bench:strings`: requests per second and p99 of the string store, relative to bare
// node:http + node:sqlite.
import { availableParallelism } from 'node:os';
import { readArguments } from '../shared/read-arguments.ts';
import { openStage, type Stage } from '../shared/stage.ts';
import { profileStrings } from './profile-strings.ts';
import { type Comparison, type Figures, renderCaveats, renderTable, summarize } from './report.ts';
import {
  type Load,
  type Measurement,
  type Operation,
  type StringServer,
  startBare,
  startLimen,
  startLoad,
  startNothing,
} from './string-servers.ts';

const ROUNDS = 5;
/** Maximum number of repeated rounds due to disturbances. */
const SPARE_ROUNDS = 2;
const DISTURBING_CORES = 0.25;
const MAX_SECONDS = 300;

interface Plan {
  name: string;
  operation: Operation;
  connections: number;
  roundSeconds: number;
  /** Long enough for the JIT compiler: Limen has more code than the bare server. */
  warmUpSeconds: number;
  /** Target share of the bare server's rate. */
  aim: number;
  /** Also with LOG_LEVEL=warn, to measure the cost of a log line per request. */
  quietToo: boolean;
}

const GET: Plan = {
  name: 'GET /strings/{id}',
  operation: 'get',
  connections: 32,
  roundSeconds: 2,
  warmUpSeconds: 5,
  aim: 0.7,
  quietToo: true,
};
const POST: Plan = { ...GET, name: 'POST /strings', operation: 'post', warmUpSeconds: 3 };
// Group commit must not delay a single writer.
const LONE_POST: Plan = {
  ...POST,
  name: 'POST, 1 connection',
  connections: 1,
  roundSeconds: 1,
  warmUpSeconds: 1,
  quietToo: false,
};

const { values } = readArguments({
  name: 'bench:strings',
  does: 'the string store against a bare server on node:http and node:sqlite',
  takes: 'about two minutes',
  options: { profile: { type: 'boolean', does: 'show where the time of a request goes instead, in both servers' } },
});
const stage = openStage(MAX_SECONDS);
try {
  await (values.profile ? profileStrings(stage, GET.connections) : compare(stage));
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
    `String store, Node ${process.version}, ${availableParallelism()} cores, ${GET.connections} connections without ` +
      `pipelining, medians of ${ROUNDS} rounds of ${GET.roundSeconds} s.\nPeer: bare node:http + node:sqlite with the ` +
      'same table and statements, WAL, synchronous=FULL, one commit per POST.\n',
  );
  let ceiling = 0;
  const comparisons: Comparison[] = [];
  for (const plan of [GET, POST, LONE_POST]) {
    const { perSecond } = await load.fire(nothing, 'get', GET.connections, GET.roundSeconds);
    ceiling = Math.max(ceiling, perSecond);
    const servers = plan.quietToo ? [bare, limen, quiet] : [bare, limen];
    const [byBare, byLimen, byQuiet] = await measure(load, plan, servers);
    comparisons.push({ name: plan.name, bare: byBare!, limen: byLimen!, aim: plan.aim });
    if (byQuiet) comparisons.push({ name: '  with LOG_LEVEL=warn', bare: byBare!, limen: byQuiet });
  }
  console.log(renderTable(comparisons));
  console.log(renderCaveats(comparisons, ceiling, DISTURBING_CORES));
}

/** Servers take turns, so that disturbances affect all. The least disturbed rounds count. */
async function measure(load: Load, plan: Plan, servers: StringServer[]): Promise<Figures[]> {
  const { operation, connections, roundSeconds, warmUpSeconds } = plan;
  for (const server of servers) await load.fire(server, operation, connections, warmUpSeconds);
  const rounds: Measurement[][] = [];
  const undisturbed = () => rounds.filter((round) => disturbanceOf(round) < DISTURBING_CORES);
  while (undisturbed().length < ROUNDS && rounds.length < ROUNDS + SPARE_ROUNDS) {
    const round: Measurement[] = [];
    for (const server of servers) round.push(await load.fire(server, operation, connections, roundSeconds));
    rounds.push(round);
  }
  const kept = rounds.toSorted((a, b) => disturbanceOf(a) - disturbanceOf(b)).slice(0, ROUNDS);
  return servers.map((_, index) => summarize(kept.map((round) => round[index]!)));
}

function disturbanceOf(round: Measurement[]): number {
  return Math.max(...round.map(({ foreignCores }) => foreignCores));
}
