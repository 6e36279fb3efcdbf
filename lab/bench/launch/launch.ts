// `npm run bench:launch`: bytes and times of a whole check in Chromium with the test camera, the
// cost of each model per frame, and @vladmandic/human on the same picture.
import { rm } from 'node:fs/promises';
import { availableParallelism, loadavg } from 'node:os';
import type { BrowserContext } from 'playwright-core';
import { findSitter, seat } from '../../../apps/launch/testing/camera/sitters.ts';
import { buildEnginePage } from '../../../apps/launch/testing/engine-page.ts';
import { openModels } from '../../../apps/launch/testing/models.ts';
import { provideRequirementOrExit } from '../../../scripts/bring-up.ts';
import { readArguments } from '../shared/read-arguments.ts';
import { openStage } from '../shared/stage.ts';
import { type Traffic, withBrowser } from './browser.ts';
import { type EngineFigures, measureEngine } from './engine.ts';
import { type FirstPrompts, measureFirstPrompts } from './first-prompt.ts';
import { isPeerInstalled, measurePeer } from './peer.ts';
import { printBytes, printPeer, printPrompts, printStages, printVisits } from './report.ts';
import { type LaunchService, startLaunchService } from './service.ts';
import { prepareVisits, type Visit, visit, visitWelcome } from './visit.ts';

const { values } = readArguments({
  name: 'bench:launch',
  does: 'the bytes and times of a whole check in Chromium, and @vladmandic/human on the same picture',
  takes: 'about three to seven minutes',
  options: {
    quick: { type: 'boolean', does: 'run one check instead of three' },
    prompt: { type: 'boolean', does: 'measure the way to the first prompt alone' },
  },
});
const ROUNDS = values.quick ? 1 : 3;
/** Time after which no further round starts, so that a busy machine runs fewer. */
const ROUNDS_MS = 120_000;
const MAX_SECONDS = 900;
const SIZE = { width: 640, height: 480 };
const BUSY_LOAD = 0.5;

// Before starting anything that would need to be stopped.
provideRequirementOrExit('chromium', 'bench:launch');
const stage = openStage(MAX_SECONDS);
const [loadBefore = 0] = loadavg();
try {
  console.log(
    `The launch page in Chromium, Node ${process.version}, ${availableParallelism()} cores, WebAssembly, ` +
      `frames of ${SIZE.width} × ${SIZE.height}.\n`,
  );
  const service = await startLaunchService(stage);
  await measurePrompts(service);
  if (!values.prompt) await measureRest(service);
  if (loadBefore > BUSY_LOAD)
    console.log(`\nWARNING: the machine had a load of ${loadBefore.toFixed(1)} before; repeat when it is quiet.`);
} finally {
  await stage.end();
}

async function measurePrompts(service: LaunchService): Promise<void> {
  const rounds: FirstPrompts[] = [];
  while (rounds.length < ROUNDS) rounds.push(await measureFirstPrompts(stage, service));
  printPrompts(rounds);
}

async function measureRest(service: LaunchService): Promise<void> {
  const atWelcome = { brotli: await openWelcome(service), gzip: await openWelcome(service, 'gzip') };
  const rounds = await visitRounds(service);
  printBytes(atWelcome, rounds[0]!);
  printVisits(rounds);
  await measureModels(rounds[0]!.cold.traffic.total());
}

function openWelcome(service: LaunchService, encoding?: 'gzip'): Promise<Traffic> {
  return withBrowser(stage, async (context) => {
    await prepareVisits(context);
    return visitWelcome(context, (await service.begin()).launchUrl, encoding);
  });
}

/** A first visit, and a return visit. */
async function visitRounds(service: LaunchService): Promise<{ cold: Visit; warm: Visit }[]> {
  const rounds: { cold: Visit; warm: Visit }[] = [];
  const start = performance.now();
  while (rounds.length < ROUNDS && (rounds.length === 0 || performance.now() - start < ROUNDS_MS)) {
    const round = await withBrowser(stage, async (context) => {
      await prepareVisits(context);
      const cold = await visit(context, (await service.begin()).launchUrl);
      return { cold, warm: await visit(context, (await service.begin()).launchUrl) };
    });
    rounds.push(round);
  }
  return rounds;
}

async function measureModels(ourBytes: number): Promise<void> {
  const folder = await buildEnginePage();
  try {
    const picture = await takePicture();
    const run = (isolated: boolean) =>
      withBrowser(stage, async (context) => ({
        ours: await measureOurs(context, folder, picture, isolated),
        peer: isPeerInstalled() ? await measurePeer(context, picture, isolated) : null,
      }));
    const threaded = await run(true);
    const single = await run(false);
    printStages(single.ours, threaded.ours);
    printPeer({ threaded, single, ourBytes });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function measureOurs(
  context: BrowserContext,
  folder: string,
  picture: Uint8Array<ArrayBuffer>,
  isolated: boolean,
): Promise<EngineFigures> {
  const page = await context.newPage();
  const figures = await measureEngine(page, folder, picture, isolated);
  await page.close();
  return figures;
}

/** Picture of the test camera. */
async function takePicture(): Promise<Uint8Array<ArrayBuffer>> {
  const models = await openModels(['detect', 'landmarks', 'eye']);
  const sitter = await seat(models, await findSitter(models, { sample: 5, place: 1 }), SIZE, 0.42);
  return Uint8Array.from(Buffer.from(sitter.picture, 'base64'));
}
