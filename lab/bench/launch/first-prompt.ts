// Time and bytes until the first instruction with a running camera, over a phone-like link. Uses
// the browser's simulated camera, because the other one draws on the page's thread.
import { setTimeout as sleep } from 'node:timers/promises';
import type { BrowserContext } from 'playwright-core';
import { type LinkSpeed, type SlowLink, startSlowLink } from '../../../apps/launch/testing/slow/slow-link.ts';
import type { Stage } from '../shared/stage.ts';
import { OWN_CAMERA, withBrowser } from './browser.ts';
import type { LaunchService } from './service.ts';
import { MAX_MS, type Noted, noteSteps } from './visit.ts';

export const LINK: LinkSpeed = { bytesPerSecond: 1_500_000, delayMs: 40 };
/** Time to read the first screen. */
export const READING_MS = 5_000;
/** Idle time after which loading is complete. */
const QUIET_MS = 3_000;

export interface FirstPrompt {
  /** Time since the page was opened. */
  ms: number;
  /** Time since the first button was pressed. */
  pressedMs: number;
  /** Time to open the camera, included in both. */
  cameraMs: number;
  bytes: number;
}

export interface FirstPrompts {
  cold: FirstPrompt;
  warm: FirstPrompt;
  /** Cold, for a person who reads the first screen before pressing its button. */
  read: FirstPrompt;
}

/** First visits, and a return visit with a warm cache. */
export async function measureFirstPrompts(stage: Stage, service: LaunchService): Promise<FirstPrompts> {
  const link = await startSlowLink(service.url, LINK);
  const visits = <T>(work: (reach: (readingMs: number) => Promise<FirstPrompt>) => Promise<T>) =>
    withBrowser(
      stage,
      async (context) => {
        await noteSteps(context);
        return work((readingMs) => reachPrompt(context, link, service, readingMs));
      },
      OWN_CAMERA,
    );
  try {
    const [cold, warm] = await visits(async (reach) => [await reach(0), await reach(0)] as const);
    const read = await visits((reach) => reach(READING_MS));
    return { cold, warm, read };
  } finally {
    link.close();
  }
}

async function reachPrompt(
  context: BrowserContext,
  link: SlowLink,
  service: LaunchService,
  readingMs: number,
): Promise<FirstPrompt> {
  const before = link.bytes();
  const page = await context.newPage();
  try {
    await page.addInitScript(`globalThis.limenBenchReads = ${readingMs}`);
    await page.goto(link.reach((await service.begin()).launchUrl), { waitUntil: 'commit' });
    await page.locator('[data-screen="capture"]').waitFor({ state: 'attached', timeout: MAX_MS });
    const bytes = link.bytes() - before;
    const { steps, presses, cameraMs } = (await page.evaluate('limenBench')) as Noted;
    const ms = steps.find(([step]) => step.startsWith('capture'))![1];
    await untilQuiet(link);
    return { ms, pressedMs: ms - presses[0]!, cameraMs, bytes };
  } finally {
    await page.close();
  }
}

/** Loads everything after the first prompt, so that the next visit is fully cached. */
async function untilQuiet(link: SlowLink): Promise<void> {
  for (let seen = -1; seen !== link.bytes(); ) {
    seen = link.bytes();
    await sleep(QUIET_MS);
  }
}
