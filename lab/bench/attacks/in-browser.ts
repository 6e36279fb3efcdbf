// All kinds of attack, and some that need a whole page, against the real page in Chromium: a
// few of each.
import { loadavg } from 'node:os';
import type { AgeSessionResult } from '@limen/contract';
import type { Scene, StreamManner } from '../../../apps/launch/testing/camera/scenes.ts';
import { createTestCamera } from '../../../apps/launch/testing/camera/test-camera.ts';
import { withBrowser } from '../launch/browser.ts';
import { type LaunchService, startLaunchService } from '../launch/service.ts';
import { renderColumns } from '../shared/columns.ts';
import { openStage, type Stage } from '../shared/stage.ts';

interface Kind {
  name: string;
  scene: Scene;
  manner?: StreamManner;
  /** The system requests reduced motion, which disables the colors. */
  calm?: true;
  /** Disables the colors with the checkbox on the first screen. */
  declines?: true;
}

/** Attacks that always pass come first, after the simulated person. */
const KINDS: readonly Kind[] = [
  { name: 'a portrait relit by its shape, as a person is lit', scene: 'person' },
  { name: 'injected animation that declines the colors', scene: 'unlit', declines: true },
  { name: 'injected animation that says it wants less motion', scene: 'unlit', calm: true },
  { name: 'injected animation that floods the picture with light', scene: 'flooded' },
  { name: 'injected animation, no light', scene: 'unlit' },
  { name: 'injected, whole picture tinted late', scene: 'tinted' },
  { name: 'injected, face tinted late', scene: 'face_tinted' },
  { name: 'injected, a translucent color laid over the face', scene: 'face_overlaid' },
  { name: 'still picture', scene: 'still' },
  { name: 'photo, moved', scene: 'flat_moved' },
  { name: 'photo, tilted', scene: 'flat_tilted' },
  { name: 'photo, zoomed', scene: 'flat_zoomed' },
  { name: 'photo, squeezed', scene: 'flat_squeezed' },
  { name: 'photo, bent and turned', scene: 'flat_bent' },
  { name: 'another person from the first movement on', scene: 'swapped_first' },
  { name: 'another person from the second movement on', scene: 'swapped_second' },
  { name: 'another person from the third movement on', scene: 'swapped_third' },
  { name: 'another person while the colors are shown', scene: 'swapped_light' },
  { name: 'a second face for a while', scene: 'joined' },
  { name: 'a frozen stream', scene: 'person', manner: 'frozen' },
  { name: 'a looped clip', scene: 'person', manner: 'looped' },
];

const MAX_SECONDS = 7_200;
const MAX_VISIT_MS = 240_000;
const BUSY_LOAD = 0.5;

export async function playInBrowser(runs: number): Promise<void> {
  const [load = 0] = loadavg();
  const stage = openStage(MAX_SECONDS);
  try {
    const service = await startLaunchService(stage);
    const rows = [['', 'runs', 'an age', 'spoof', 'light not as drawn', 'light inconclusive', 'signs of the camera']];
    for (const [at, kind] of KINDS.entries()) {
      const results: AgeSessionResult[] = [];
      for (let run = 0; run < runs; run += 1) results.push(await playOnce(stage, service, kind));
      rows.push(describe(kind, results));
      console.error(`${at + 1} of ${KINDS.length} kinds in the browser`);
    }
    console.log('\nThe real page in Chromium');
    console.log(renderColumns(rows));
    console.log('No column says ALLOW: the test browser is remote-controlled, which makes every result BLOCK.');
    if (load > BUSY_LOAD)
      console.log(`The machine had a load of ${load.toFixed(1)} before: with few frames light is inconclusive.`);
  } finally {
    await stage.end();
  }
}

async function playOnce(stage: Stage, service: LaunchService, kind: Kind): Promise<AgeSessionResult> {
  const { scene, manner = 'honest', calm = false, declines = false } = kind;
  const camera = await createTestCamera({ scene, manner });
  const { launchUrl, token } = await service.begin();
  await withBrowser(stage, async (context) => {
    await camera.install(context);
    const page = await context.newPage();
    await page.emulateMedia({ reducedMotion: calm ? 'reduce' : 'no-preference' });
    await page.goto(launchUrl);
    if (declines) await page.locator('[data-screen="welcome"] input[type="checkbox"]').click({ timeout: MAX_VISIT_MS });
    for (const screen of ['welcome', 'permission']) {
      const button = page.locator(`[data-screen="${screen}"] button`).first();
      await button.click({ timeout: MAX_VISIT_MS });
    }
    await page.locator('[data-screen="end"]').waitFor({ state: 'attached', timeout: MAX_VISIT_MS });
  });
  return service.readResult(token);
}

function describe({ name }: Kind, results: readonly AgeSessionResult[]): string[] {
  const count = (has: (result: AgeSessionResult) => boolean) => String(results.filter(has).length);
  const flagsOf = ({ riskEvaluation }: AgeSessionResult) => riskEvaluation?.flags ?? [];
  const signs = new Set(results.flatMap(flagsOf).filter((flag) => flag.startsWith('CAMERA_')));
  return [
    name,
    String(results.length),
    count(({ sessionStatus }) => sessionStatus === 'AGE_ABOVE_THRESHOLD' || sessionStatus === 'AGE_BELOW_THRESHOLD'),
    count(({ errors }) => errors?.some(({ code }) => code === 1) ?? false),
    count((result) => flagsOf(result).includes('LIGHT_NOT_AS_DRAWN')),
    count((result) => flagsOf(result).includes('LIGHT_INCONCLUSIVE')),
    [...signs].join(' '),
  ];
}
