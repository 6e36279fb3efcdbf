// Profiles both string servers under load and sums up the time by part.

import { renderColumns } from '../shared/columns.ts';
import { profileWhile } from '../shared/cpu-profile.ts';
import { PARTS, timeByPart } from '../shared/profile-parts.ts';
import type { Stage } from '../shared/stage.ts';
import { type Operation, type StringServer, startBare, startLimen, startLoad } from './string-servers.ts';

const WARM_UP_SECONDS = 8;
const PROFILE_SECONDS = 4;
const TRIES = 3;
const DISTURBING_CORES = 0.25;

export async function profileStrings(stage: Stage, connections: number): Promise<void> {
  const inspect = ['--inspect=127.0.0.1:0'];
  const limen = await startLimen(stage, 'limen', undefined, inspect);
  const bare = await startBare(stage, 'limen', inspect);
  const load = startLoad(stage);
  console.log('Microseconds of the main thread per request, waiting for the disk included, idle time not.');
  console.log('The profiler slows both servers down: read the differences, and the rates from a run without it.\n');

  async function profile(server: StringServer, operation: Operation): Promise<Map<string, number>> {
    await load.fire(server, operation, connections, WARM_UP_SECONDS);
    for (let tries = 1; ; tries++) {
      let requests = 0;
      let foreignCores = 0;
      const taken = await profileWhile(server.inspector!, async () => {
        ({ requests, foreignCores } = await load.fire(server, operation, connections, PROFILE_SECONDS));
      });
      const disturbed = foreignCores >= DISTURBING_CORES;
      if (disturbed && tries < TRIES) continue;
      if (disturbed) console.log(`WARNING: other processes kept ${foreignCores.toFixed(1)} cores busy.`);
      return new Map([...timeByPart(taken)].map(([part, micros]) => [part, micros / requests]));
    }
  }

  for (const operation of ['get', 'post'] as const) {
    const byBare = await profile(bare, operation);
    const byLimen = await profile(limen, operation);
    const row = (name: string, mine: number, theirs: number) => [name, ...[theirs, mine, mine - theirs].map(micros)];
    const sum = (times: Map<string, number>) => [...times.values()].reduce((total, time) => total + time, 0);
    console.log(
      renderColumns([
        [operation.toUpperCase(), 'bare', 'Limen', 'difference'],
        ...PARTS.map((part) => row(part, byLimen.get(part) ?? 0, byBare.get(part) ?? 0)),
        row('all', sum(byLimen), sum(byBare)),
      ]),
      '\n',
    );
  }
}

function micros(time: number): string {
  return time.toFixed(1);
}
