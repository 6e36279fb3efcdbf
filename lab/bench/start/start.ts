// `npm run bench:start`: time and CPU time until the service listens and is ready, compared with
// the service from sources and with a bare node:http and node:sqlite server.
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { buildService } from '../../../scripts/service/build-service.ts';
import { cpuSecondsOf } from '../shared/cpu.ts';
import { median } from '../shared/figures.ts';
import { readArguments } from '../shared/read-arguments.ts';
import { LIMEN, openStage, type Stage } from '../shared/stage.ts';

const ROUNDS = 7;
const MAX_SECONDS = 180;
const AIMS = { listening: 0.4, ready: 1 };

interface Start {
  listening: number;
  ready: number;
  cpu: number;
}

readArguments({
  name: 'bench:start',
  does: 'how long the service takes to listen and to be ready',
  takes: 'about half a minute',
  options: {},
});
await buildService();
const stage = openStage(MAX_SECONDS);
try {
  const data = { DATA_DIR: join(stage.folder, 'data'), PORT: '0', HOST: '127.0.0.1', DISK_RESERVE_MB: '0' };
  const cache = { NODE_COMPILE_CACHE: join(stage.folder, 'compiled') };
  const limen = { ...data, ...cache };
  const table = 'create table strings (owner text, id text, value text, created_at integer)';
  const programs = {
    'as built': () => measure(stage, LIMEN, limen, []),
    'from its sources': () => measure(stage, '../apps/server/src/main.ts', limen, []),
    'a bare server': () => measure(stage, 'strings/bare-strings-server.ts', cache, [stage.folder, table]),
  };
  console.log(
    `Medians of ${ROUNDS} starts in turn, Node ${process.version}; data and compiled code are there already.\n`,
  );
  const starts = new Map<string, Start[]>();
  for (const run of Object.values(programs)) await run();
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const [name, run] of Object.entries(programs)) {
      rmSync(join(stage.folder, 'bare.db'), { force: true });
      starts.set(name, [...(starts.get(name) ?? []), await run()]);
    }
  }
  const medianFor = (name: string, figure: keyof Start) => median(starts.get(name)!.map((start) => start[figure]));
  for (const name of Object.keys(programs)) {
    const figures = (['listening', 'ready', 'cpu'] as const).map(
      (moment) => `${moment} ${medianFor(name, moment).toFixed(2)} s`,
    );
    console.log(`  ${name.padEnd(18)} ${figures.join(', ')}`);
  }
  for (const moment of ['listening', 'ready'] as const) {
    const ratio = (otherName: string) => (medianFor('as built', moment) / medianFor(otherName, moment)).toFixed(2);
    console.log(
      `${moment}: ${ratio('from its sources')} of the sources, ${ratio('a bare server')} × a bare server ` +
        `(aim on an idle machine: ${AIMS[moment]} s)`,
    );
  }
} finally {
  await stage.end();
}

async function measure(
  stage: Stage,
  script: string,
  environment: Record<string, string>,
  args: string[],
): Promise<Start> {
  const startedAt = performance.now();
  const seconds = () => (performance.now() - startedAt) / 1000;
  const { url, pid } = await stage.startServer(script, { environment, args });
  const listening = seconds();
  // Servers without such a route are ready once they reply.
  while ((await fetch(`${url}/ready`)).status === 503) await pause(5);
  const ready = seconds();
  const cpu = cpuSecondsOf(pid) ?? Number.NaN;
  process.kill(pid, 'SIGTERM');
  await pause(300);
  return { listening, ready, cpu };
}
