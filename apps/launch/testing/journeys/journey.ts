// A whole check: the real service with page and models, a host application, and a person's browser.
import { rmSync } from 'node:fs';
import { mkdir, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { loadManifest, prepareModels } from '@limen/face-models';
import type { CreateAgeSessionRequest } from '@limen/sdk';
import { onlyWhenLong } from '@limen/testing/rounds.ts';
import type { Browser, BrowserContext, BrowserContextOptions, Page } from 'playwright-core';
import { onTestFinished } from 'vitest';
import { createLimenClient } from '../../../../packages/sdk/src/index.ts';
import { startWebhookReceiver, type WebhookReceiver } from '../../../../packages/sdk/testing/webhook-receiver.ts';
import type { AppTuning } from '../../../server/src/app.ts';
import { compressedName, keepCompressedCopy } from '../../../server/src/faces/models/compressed-copy.ts';
import { chromiumPath, shareBrowser } from '../../../server/testing/browser.ts';
import { ensurePages } from '../../../server/testing/built-pages.ts';
import { createTestDatabase } from '../../../server/testing/database/test-database.ts';
import { createStatusServer } from '../../../server/testing/status-server.ts';
import { startTestApp } from '../../../server/testing/test-app.ts';
import { type CameraDriver, type CameraOptions, createTestCamera } from '../camera/test-camera.ts';
import { MODEL_CACHE } from '../models.ts';

type AtEnd = (dispose: () => Promise<void>) => void;

export interface JourneyOptions {
  session?: CreateAgeSessionRequest;
  camera?: Partial<CameraOptions>;
  context?: BrowserContextOptions;
  /** Runs before the page is opened. */
  prepare?(context: BrowserContext): Promise<unknown>;
}

export interface Journey {
  page: Page;
  camera: CameraDriver;
  launchUrl: string;
  /** The host's token. */
  token: string;
  webhooks: WebhookReceiver['webhooks'];
  /** All screens and prompts in order. */
  trail: readonly string[];
  /** The result as the host reads it. */
  result(): Promise<Record<string, unknown>>;
  waitForScreen(name: string, timeoutMs?: number): Promise<void>;
  waitForPrompt(prompt: string, timeoutMs?: number): Promise<void>;
  /** Goes from the first screen to the camera by the buttons, in any language. */
  start(): Promise<void>;
  /** Gives up: the last button of every screen, then the last of the dialog. */
  giveUp(): Promise<void>;
}

type Journeys = Awaited<ReturnType<typeof startJourneys>>;
export type Tuning = Pick<AppTuning, 'movements' | 'clock'>;

/** Most journeys are about something else, so the short run uses one movement. */
export const FEW: Tuning = onlyWhenLong({}, { movements: { count: 1 } });

let shared: Promise<Journeys> | undefined;

/**
 * Opens a service and a browser. Journeys with default settings share one service per worker.
 * `atEnd`: vitest's `afterAll`. Starts nothing without a browser, because vitest also evaluates
 * skipped suites.
 */
export async function openJourneys(atEnd: AtEnd, environment: Record<string, string> = {}, tuning: Tuning = FEW) {
  if (!chromiumPath) return {} as Journeys;
  const isPlain = tuning === FEW && Object.keys(environment).length === 0;
  if (!isPlain) return startJourneys(atEnd, environment, tuning);
  shared ??= startJourneys(() => {}, environment, tuning);
  const journeys = await shared;
  return journeys;
}

async function startJourneys(atEnd: AtEnd, environment: Record<string, string>, tuning: Tuning) {
  await ensurePages('launch');
  const database = await createTestDatabase();
  process.once('exit', () => rmSync(database.dataDir, { recursive: true, force: true }));
  const apiKey = 'a-key-of-the-host-application';
  await provideModels(join(database.environment['DATA_DIR']!, 'models'));
  const statuses = createStatusServer();
  const app = await startTestApp({
    database,
    atEnd,
    statusOutbound: statuses.outbound,
    prepareModels: true,
    ...tuning,
    environment: { DEV_API_KEY: apiKey, ...environment },
  });
  atEnd(() => database.dispose());
  await app.apiKeys.ensureDevelopmentKey(apiKey);
  const url = await app.listen();
  await app.jobs.start();
  const browser = await shareBrowser();
  const host = createLimenClient({ baseUrl: url, apiKey });

  async function begin({ session = {}, ...opening }: JourneyOptions = {}): Promise<Journey> {
    const receiver = await startWebhookReceiver(apiKey);
    const { launchUrl, token } = await host.ageSessions.create({
      enableDesktop: true,
      callback: { url: receiver.url },
      ...session,
    });
    const { page, driver, trail } = await openPage(browser, launchUrl, opening);
    const waitForScreen: Journey['waitForScreen'] = async (name, timeout = 60_000) => {
      const screen = page.locator(`[data-screen="${name}"]`);
      await screen.waitFor({ state: 'attached', timeout }).catch((cause: unknown) => {
        throw new Error(`The screen ${name} did not come after ${trail.join(', ')}.`, { cause });
      });
    };
    return {
      page,
      camera: driver,
      launchUrl,
      token,
      webhooks: receiver.webhooks,
      trail,
      async result() {
        // The raw reply, which equals the webhook.
        const { metadataText: _, ...outcome } = await host.ageSessions.result(token);
        return outcome;
      },
      waitForScreen,
      waitForPrompt: (prompt, timeout = 60_000) =>
        page.locator(`[data-prompt="${prompt}"]`).waitFor({ state: 'attached', timeout }),
      async start() {
        for (const screen of ['welcome', 'permission']) {
          await waitForScreen(screen);
          await page.locator(`[data-screen="${screen}"] button`).first().click();
        }
      },
      async giveUp() {
        await page.locator('[data-screen] button').last().click();
        await page.locator('dialog[open] button').last().click();
      },
    };
  }

  return { url, app, browser, host, begin, dataDir: database.dataDir, storage: database, statuses };
}

/** Reduced motion saves a third of the browser's work. */
const CALM_PHONE: BrowserContextOptions = { viewport: { width: 390, height: 844 }, reducedMotion: 'reduce' };

export async function openPage(
  browser: Browser,
  url: string,
  { camera: cameraOptions = {}, context: contextOptions = {}, prepare }: Omit<JourneyOptions, 'session'> = {},
): Promise<{ page: Page; driver: CameraDriver; trail: string[] }> {
  const camera = await createTestCamera({ scene: 'person', ...cameraOptions });
  const context = await browser.newContext({ ...CALM_PHONE, ...contextOptions });
  onTestFinished(async () => {
    // A pending route handler would fail outside of any test.
    await context.unrouteAll({ behavior: 'ignoreErrors' });
    await context.close();
  });
  await camera.install(context);
  await prepare?.(context);
  await context.addInitScript({ content: FOLLOW });
  const page = await context.newPage();
  const trail: string[] = [];
  page.on('console', (message) => {
    if (message.type() === 'debug') trail.push(message.text());
  });
  await page.goto(url);
  return { page, driver: camera.drive(page), trail };
}

/** Runs on the page: reports each screen and prompt once, through the console. */
const FOLLOW = `{
  let last = '';
  new MutationObserver(() => {
    const { screen, prompt } = document.querySelector('[data-screen]')?.dataset ?? {};
    const step = [screen, prompt].filter(Boolean).join(' ');
    if (step && step !== last) console.debug(step);
    last = step;
  }).observe(document, { subtree: true, childList: true, attributeFilter: ['data-screen', 'data-prompt'] });
}`;

/** Links the models from the shared cache, which saves fetching and compressing. */
async function provideModels(folder: string): Promise<void> {
  const prepared = await prepareModels({ manifest: await loadManifest(), folder: MODEL_CACHE });
  await mkdir(folder, { recursive: true });
  for (const { model } of prepared) {
    const isCompressed = (await keepCompressedCopy(MODEL_CACHE, model)) !== undefined;
    for (const name of isCompressed ? [model.file, compressedName(model.file)] : [model.file])
      await symlink(join(MODEL_CACHE, name), join(folder, name));
  }
}
