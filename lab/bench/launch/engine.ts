// Cost of each model per frame in the page's engine in a browser, without camera and service.
import type { Page } from 'playwright-core';
import type { EngineDescription } from '../../../apps/launch/src/models/face-engine.ts';
import { serveEnginePage } from '../../../apps/launch/testing/engine-page.ts';

type Work = EngineDescription['work'];

export interface EngineFigures {
  threads: number;
  /** From opening the page to the first age and embedding. */
  firstMs: number;
  watchMs: number[];
  /** Detection, then examination with age and embedding. */
  wholeMs: number[];
  /** Five frames, as at the end of a check. */
  examineFiveMs: number[];
  /** Milliseconds of one run, besides the machine's state. */
  stages: [role: string, ms: number, runsPerFrame: number][];
}

interface Seen extends Omit<EngineFigures, 'stages'> {
  work: Work;
}

export const FRAMES = 20;
const EXAMINED = 6;
const FIVE_TIMES = 3;

/** Runs on the page. The engine itself counts the stages, after a warm-up. */
const programFor = (manifestHash: string) => `(async () => {
  const engine = createFaceEngine();
  const roles = ['detect', 'landmarks', 'eye', 'liveness', 'age_small', 'age_deep', 'embedding'];
  await engine.load({ roles, manifestHash: '${manifestHash}' });
  const picture = await createImageBitmap(await (await fetch('/picture.jpg')).blob());
  const watch = async () => engine.watch(await createImageBitmap(picture));
  const examine = async (wanted) => {
    const found = await engine.examine(wanted);
    if (!found?.age) throw new Error('No age');
  };
  const both = async () => {
    await watch();
    await engine.tie({ isAhead: true });
    await examine({ age: true, embedding: true });
  };
  const time = async (times, work) => {
    const all = [];
    for (let i = 0; i < times; i += 1) {
      const start = performance.now();
      await work();
      all.push(performance.now() - start);
    }
    return all;
  };
  await both();
  const firstMs = performance.now();
  await time(3, both);
  const before = (await engine.describe()).work;
  const watchMs = await time(${FRAMES}, watch);
  const wholeMs = await time(${EXAMINED}, both);
  const { work: after, threads } = await engine.describe();
  const examineFiveMs = [];
  for (let i = 0; i < ${FIVE_TIMES}; i += 1) {
    for (let k = 0; k < 5; k += 1) {
      await watch();
      await engine.tie({ isAhead: true });
    }
    examineFiveMs.push(...(await time(1, () => examine({ age: true, embedding: false }))));
  }
  engine.close();
  const work = {};
  for (const role of roles) {
    work[role] = { runs: after[role].runs - before[role].runs, ms: after[role].ms - before[role].ms };
  }
  return { threads, firstMs, watchMs, wholeMs, examineFiveMs, work };
})()`;

/** Cross-origin isolated pages get threads, others have one. */
export async function measureEngine(page: Page, folder: string, picture: Uint8Array<ArrayBuffer>, isolated: boolean) {
  const served = await serveEnginePage(folder, { isolated, picture });
  try {
    await page.goto(served.url);
    const { work, ...seen } = await page.evaluate<Seen>(programFor(served.manifestHash));
    const frames = (role: string) => (['detect', 'landmarks', 'eye'].includes(role) ? FRAMES + EXAMINED : EXAMINED);
    const stages = Object.entries(work).map(([role, { runs, ms }]): EngineFigures['stages'][number] => [
      ...([role, ms / runs, runs / frames(role)] as const),
    ]);
    return { ...seen, stages } satisfies EngineFigures;
  } finally {
    served.close();
  }
}

/** Cost of a frame in these models together. */
export function sumStages({ stages }: Pick<EngineFigures, 'stages'>, without: string[] = []): number {
  return stages.reduce((sum, [role, ms, runs]) => sum + (without.includes(role) ? 0 : ms * runs), 0);
}
