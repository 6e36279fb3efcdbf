// A person with a browser of any engine: a tab with the test camera, and the person's actions.
import { setTimeout as sleep } from 'node:timers/promises';
import { onTestFinished } from 'vitest';
import { type CameraDriver, type CameraOptions, createTestCamera } from '../camera/test-camera.ts';
import { startCameraProxy } from './camera-proxy.ts';
import type { Engine, EngineTab } from './engine.ts';

export interface EngineDevice {
  tab: EngineTab;
  camera: CameraDriver;
  origin: string;
  /** Opens this address of the service through the device's own proxy. */
  open(url: string): Promise<void>;
  waitForScreen(name: string, timeoutMs?: number): Promise<void>;
  waitForHeading(text: string): Promise<void>;
  click(selector: string): Promise<void>;
  press(button: string): Promise<void>;
  read(selector: string): Promise<string>;
  /** Goes from the first screen to the camera by the buttons, in any language. */
  start(): Promise<void>;
  /** All screens and prompts since the page was loaded. */
  trail(): Promise<string[]>;
}

interface DeviceOptions {
  engine: Engine;
  url: string;
  camera?: Partial<CameraOptions>;
  isPhone?: boolean;
  /** Port of the device's proxy; by default any free port. */
  port?: number;
}

const PATIENCE_MS = 60_000;
const LOOK_MS = 100;
/** Some engines are single-threaded and analyze few frames, three of which must show a pose. */
const HOLD_MS = 3_000;
/** Delay before pressing a button again that moved under the mouse. */
const PRESS_AGAIN_MS = 10_000;
const MAX_PRESSES = 6;
const PHONE_AGENT = 'Mozilla/5.0 (Linux; Android 16; Pixel 9) AppleWebKit/537.36 (KHTML, like Gecko) Mobile';

/** Runs on the page: records each screen and prompt once. */
const FOLLOW = `{
  const trail = (globalThis.limenTrail = []);
  new MutationObserver(() => {
    const { screen, prompt } = document.querySelector('[data-screen]')?.dataset ?? {};
    const step = [screen, prompt].filter(Boolean).join(' ');
    if (step && step !== trail.at(-1)) trail.push(step);
  }).observe(document, { subtree: true, childList: true, attributeFilter: ['data-screen', 'data-prompt'] });
}`;
/** Hides the remote control, because a controlled browser is never trusted to know a face. */
const ORDINARY = "Object.defineProperty(Navigator.prototype, 'webdriver', { get: () => false });";
const BE_PHONE = `Object.defineProperty(Navigator.prototype, 'userAgent', { get: () => '${PHONE_AGENT}' });`;

export async function openDevice({
  engine,
  url,
  camera = {},
  isPhone = false,
  port = 0,
}: DeviceOptions): Promise<EngineDevice> {
  const testCamera = await createTestCamera({ scene: 'person', holdMs: HOLD_MS, ...camera });
  const script = [ORDINARY, isPhone ? BE_PHONE : '', FOLLOW, testCamera.script].join('\n');
  const proxy = await startCameraProxy(url, script, port);
  onTestFinished(() => proxy.close());
  const tab = await engine.openTab();
  onTestFinished(() => tab.close());
  const trail = () => tab.evaluate<string[]>('globalThis.limenTrail ?? []');

  async function waitFor(expression: string, what: string, timeoutMs = PATIENCE_MS): Promise<void> {
    const giveUpAt = Date.now() + timeoutMs;
    while (!(await tab.evaluate<boolean>(expression))) {
      if (Date.now() > giveUpAt) {
        const shown = await tab.evaluate<string>("document.querySelector('main')?.innerText ?? ''");
        throw new Error(`${what} did not come in ${engine.name}; there was: ${(await trail()).join(', ')}: ${shown}`);
      }
      await sleep(LOOK_MS);
    }
  }
  const waitForScreen = (name: string, timeoutMs?: number) =>
    waitFor(`document.querySelector('[data-screen="${name}"]') !== null`, `The screen ${name}`, timeoutMs);

  /** Retries while the target is moving or disabled. */
  async function click(selector: string): Promise<void> {
    const giveUpAt = Date.now() + PATIENCE_MS;
    for (;;) {
      try {
        return await tab.click(selector);
      } catch (error) {
        if (Date.now() > giveUpAt) throw error;
        await sleep(LOOK_MS);
      }
    }
  }

  return {
    tab,
    camera: testCamera.drive(tab),
    origin: proxy.origin,
    open(address) {
      const { pathname, search, hash } = new URL(address);
      return tab.go(`${proxy.origin}${pathname}${search}${hash}`);
    },
    waitForScreen,
    waitForHeading: (text) =>
      waitFor(`document.querySelector('h1')?.textContent === ${JSON.stringify(text)}`, `The heading “${text}”`),
    click,
    press: (button) => click(`//button[normalize-space(.)=${JSON.stringify(button)}]`),
    async read(selector) {
      const element = `document.querySelector(${JSON.stringify(selector)})`;
      await waitFor(`${element} !== null`, selector);
      return (await tab.evaluate<string>(`${element}.textContent`)).trim();
    },
    async start() {
      for (const screen of ['welcome', 'permission']) {
        await waitForScreen(screen);
        const isLeft = `document.querySelector('[data-screen="${screen}"]') === null`;
        for (let presses = 1; ; presses += 1) {
          await click(`[data-screen="${screen}"] button`);
          const left = waitFor(isLeft, `The screen after ${screen}`, PRESS_AGAIN_MS);
          if (
            await left.then(
              () => true,
              (error: unknown) => presses === MAX_PRESSES && Promise.reject(error),
            )
          )
            break;
        }
      }
    },
    trail,
  };
}
