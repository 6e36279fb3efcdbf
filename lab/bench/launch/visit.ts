// A person's visit to the launch page with immediate reactions: times of the screens, and number of
// frames.
import type { BrowserContext } from 'playwright-core';
import { createTestCamera, type TestCamera } from '../../../apps/launch/testing/camera/test-camera.ts';
import { countTraffic, type Traffic } from './browser.ts';

/** Times on the page's clock, which starts when it is opened. */
export interface Visit {
  welcomeMs: number;
  /** From the button to the first picture, with models loaded. */
  readyMs: number;
  /** From the button to the end. */
  checkMs: number;
  /** From the end of the face step, including the colors, to the service's reply. */
  answerMs: number;
  /** Part of `answerMs` in the worker's examination. */
  examineMs: number;
  /** Frames examined while the camera ran. */
  framesPerSecond: number;
  /** Round trip of a frame between page and worker. */
  watchMs: number[];
  /** Frame rate of the camera. */
  cameraFrames: number;
  traffic: Traffic;
}

export interface Noted {
  steps: [step: string, ms: number][];
  calls: [name: string, from: number, to: number][];
  /** Times of the button presses. */
  presses: number[];
  /** Time until the camera was open. */
  cameraMs: number;
}

export const MAX_MS = 120_000;

/**
 * Runs on the page: records each screen and presses its first button immediately, or after reading
 * the first one, and records calls of the worker and the camera. As text, because functions of this
 * file do not exist on the page.
 */
const NOTE = `{
  const noted = (globalThis.limenBench = { steps: [], calls: [], presses: [], cameraMs: 0 });
  const { mediaDevices } = navigator;
  const open = mediaDevices?.getUserMedia;
  if (open) mediaDevices.getUserMedia = async (...given) => {
    const start = performance.now();
    const stream = await open.apply(mediaDevices, given);
    noted.cameraMs += performance.now() - start;
    return stream;
  };
  const calls = new Map();
  const Plain = Worker;
  globalThis.Worker = class extends Plain {
    constructor(...given) {
      super(...given);
      this.addEventListener('message', ({ data }) => {
        const call = calls.get(data.id);
        if (call && !('share' in data)) noted.calls.push([...call, performance.now()]);
      });
    }
    postMessage(message, transfer) {
      if (message?.id) calls.set(message.id, [message.name, performance.now()]);
      super.postMessage(message, transfer);
    }
  };
  let last = '';
  const look = () => {
    const shown = document.querySelector('[data-screen]');
    const { screen, prompt } = shown?.dataset ?? {};
    const step = [screen, prompt].filter(Boolean).join(' ');
    if (step && step !== last) {
      noted.steps.push([step, performance.now()]);
      if (globalThis.limenBenchGoesOn !== false && (step === 'welcome' || step === 'permission')) {
        const press = () => {
          noted.presses.push(performance.now());
          shown.querySelector('button')?.click();
        };
        setTimeout(press, step === 'welcome' ? globalThis.limenBenchReads : 0);
      }
    }
    last = step;
  };
  const what = { subtree: true, childList: true, attributeFilter: ['data-screen', 'data-prompt'] };
  new MutationObserver(look).observe(document, what);
}`;

let camera: Promise<TestCamera> | undefined;

/** Once per browser, before the first visit. */
export async function prepareVisits(context: BrowserContext): Promise<void> {
  camera ??= createTestCamera({ scene: 'person', framesPerSecond: 15 });
  await (await camera).install(context);
  await noteSteps(context);
}

export async function noteSteps(context: BrowserContext): Promise<void> {
  await context.addInitScript({ content: NOTE });
}

export async function visit(context: BrowserContext, launchUrl: string): Promise<Visit> {
  const traffic = countTraffic(context);
  const page = await context.newPage();
  try {
    await page.goto(launchUrl);
    await page.locator('[data-screen="end"]').waitFor({ state: 'attached', timeout: MAX_MS });
    const noted = (await page.evaluate('limenBench')) as Noted;
    const heading = await page.locator('h1').textContent();
    if (heading !== 'Done') throw new Error(`a check ended with “${heading}”: ${JSON.stringify(noted.steps)}`);
    const { frames } = await (await camera!).drive(page).measure();
    await traffic.settle();
    return { ...describe(noted), cameraFrames: frames, traffic };
  } finally {
    traffic.stop();
    await page.close();
  }
}

/** Up to the first screen only. */
export async function visitWelcome(context: BrowserContext, launchUrl: string, encoding?: 'gzip'): Promise<Traffic> {
  const traffic = countTraffic(context);
  const page = await context.newPage();
  try {
    await page.addInitScript('globalThis.limenBenchGoesOn = false');
    if (encoding) await page.setExtraHTTPHeaders({ 'accept-encoding': encoding });
    await page.goto(launchUrl);
    await page.locator('[data-screen="welcome"] button:enabled').first().waitFor({ timeout: MAX_MS });
    await page.waitForLoadState('networkidle');
    await traffic.settle();
    return traffic;
  } finally {
    traffic.stop();
    await page.close();
  }
}

function describe({ steps, calls }: Noted): Omit<Visit, 'traffic' | 'cameraFrames'> {
  const first = (name: string) => steps.find(([step]) => step.split(' ')[0] === name)![1];
  const [welcome, ready, end] = [first('welcome'), first('capture'), first('end')];
  // The last one, because a second look has its own.
  const working = steps.findLast(([step]) => step === 'working')![1];
  const watches = calls.filter(([name]) => name === 'watch');
  const examination = calls.findLast(([name]) => name === 'examine')!;
  return {
    welcomeMs: welcome,
    readyMs: ready - welcome,
    checkMs: end - welcome,
    answerMs: end - working,
    examineMs: examination[2] - examination[1],
    framesPerSecond: ((watches.length - 1) / (watches.at(-1)![2] - watches[0]![2])) * 1000,
    watchMs: watches.map(([, from, to]) => to - from),
  };
}
