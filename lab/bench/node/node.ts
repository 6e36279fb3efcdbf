// `npm run bench:node`: enroll and predict over HTTP compared with the bare index, event loop
// delay, and start time.
import { mkdirSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { createFaces, type Faces } from '../gallery/data.ts';
import { renderColumns } from '../shared/columns.ts';
import { aim, milliseconds } from '../shared/figures.ts';
import { readArguments } from '../shared/read-arguments.ts';
import { openStage } from '../shared/stage.ts';
import { measureBare } from './bare.ts';
import { fill } from './fill.ts';
import { printProfile } from './profile.ts';
import { type NodeServer, startNode, startNodeLoad } from './server.ts';

const { values } = readArguments({
  name: 'bench:node',
  does: 'enrollment and search over HTTP against the bare index',
  takes: 'about two minutes',
  options: {
    quick: { type: 'boolean', does: 'measure 10,000 people only, instead of 10,000 and 100,000' },
    profile: { type: 'boolean', does: 'also show where the time of the main thread goes' },
  },
});
const SIZES = values.quick ? [10_000] : [10_000, 100_000];
const MAX_SECONDS = 300;
const AT_ONCE = 16;
const WARM_UP_SECONDS = 3;
const SECONDS = 4;
const MAX_HEALTH_P99_MS = 20;
/** For 100,000 people. */
const MAX_LOAD_SECONDS = 3;
const DISTURBING_CORES = 0.25;

const stage = openStage(MAX_SECONDS);
const begun = performance.now();
try {
  console.log(
    `Biometric node, Node ${process.version}, ${availableParallelism()} cores, SQLite, embeddings of 512 numbers.`,
  );
  const load = startNodeLoad(stage);
  for (const size of SIZES) await measure(size, load);
  const foreign = load.foreignCores();
  if (foreign >= DISTURBING_CORES) {
    console.log(
      `\nWARNING: other processes kept up to ${foreign.toFixed(1)} cores busy meanwhile; repeat when it is quiet.`,
    );
  }
  console.log(`\nthe run took ${((performance.now() - begun) / 1000).toFixed(0)} s`);
} finally {
  await stage.end();
}

async function measure(size: number, load: ReturnType<typeof startNodeLoad>): Promise<void> {
  const faces = createFaces(size);
  const dataDir = join(stage.folder, `people-${size}`);
  mkdirSync(dataDir);
  const filled = await fill(dataDir, faces, size);
  const bare = await measureBare(filled.gallery, faces, size, AT_ONCE);
  await filled.engine.close();
  filled.gallery.drop();

  const server = await startNode(stage, dataDir, values.profile ?? false);
  const { loadSeconds, loadCpuSeconds } = filled;
  const loadAim = size === 100_000 ? `; ${aim(loadSeconds < MAX_LOAD_SECONDS, `< ${MAX_LOAD_SECONDS} s`)}` : '';
  console.log(
    `\n${size} people (filled in ${filled.fillSeconds.toFixed(0)} s)\n` +
      `  reading the faces at a start: ${loadSeconds.toFixed(2)} s, ${loadCpuSeconds.toFixed(2)} s of it processor time${loadAim}\n` +
      `  from the start of the process to a service that is ready: ${server.readySeconds.toFixed(2)} s\n`,
  );
  await load.predict(server, faces, AT_ONCE, WARM_UP_SECONDS);
  const alone = await load.health(server, 2);
  const rows = [['', 'bare/s', 'HTTP/s', 'ratio', 'p50 bare', 'HTTP', 'p99 bare', 'HTTP', 'CPU/request']];
  const add = (name: string, beside: { perSecond: number; p50Ms: number; p99Ms: number }, http: typeof alone) =>
    rows.push([
      name,
      beside.perSecond.toFixed(0),
      http.perSecond.toFixed(0),
      `${((100 * http.perSecond) / beside.perSecond).toFixed(0)} %`,
      ...[beside.p50Ms, http.p50Ms, beside.p99Ms, http.p99Ms].map(milliseconds),
      `${http.cpuMicros.toFixed(0)} µs`,
    ]);
  add('predict, one by one', bare.searchAlone, await load.predict(server, faces, 1, SECONDS));
  add(`predict, ${AT_ONCE} at once`, bare.searchAtOnce, await load.predict(server, faces, AT_ONCE, SECONDS));
  add('enroll, one by one', bare.enrolAlone, await load.enroll(server, faces, size, 1, SECONDS));
  add(`enroll, ${AT_ONCE} at once`, bare.enrolAtOnce, await load.enroll(server, faces, 2 * size, AT_ONCE, SECONDS));
  console.log(renderColumns(rows));
  await measureHealth(load, server, faces, alone.p99Ms);
  if (!server.inspector) return;
  await printProfile(server.inspector, 'predict', () => load.predict(server, faces, AT_ONCE, SECONDS));
  await printProfile(server.inspector, 'enroll', () => load.enroll(server, faces, 4 * size, AT_ONCE, SECONDS));
}

async function measureHealth(
  load: ReturnType<typeof startNodeLoad>,
  server: NodeServer,
  faces: Faces,
  aloneP99Ms: number,
): Promise<void> {
  const [busy] = await Promise.all([load.health(server, SECONDS), load.predict(server, faces, AT_ONCE, SECONDS)]);
  console.log(
    `\n  /health beside ${AT_ONCE} predicts at once: p50 ${milliseconds(busy.p50Ms)}, p99 ${milliseconds(busy.p99Ms)} ` +
      `(idle p99 ${milliseconds(aloneP99Ms)}); ${aim(busy.p99Ms < MAX_HEALTH_P99_MS, `p99 < ${MAX_HEALTH_P99_MS} ms`)}`,
  );
}
