// Enrollment and sign-in with the real service and key-holder, host applications, and people with
// devices.

import type { CreateVerificationSessionRequest, VerificationSessionResult } from '@limen/sdk';
import { addAuthenticator } from '@limen/testing/add-authenticator.ts';
import type { BrowserContextOptions, Page } from 'playwright-core';
import { expect } from 'vitest';
import { createLimenClient, type LimenClient } from '../../../../packages/sdk/src/index.ts';
import { startWebhookReceiver, type WebhookReceiver } from '../../../../packages/sdk/testing/webhook-receiver.ts';
import { chromiumPath } from '../../../server/testing/browser.ts';
import type { Portrait } from '../camera/sitters.ts';
import { type CameraDriver, type CameraOptions, createTestCamera } from '../camera/test-camera.ts';
import { openJourneys, openPage, type Tuning } from './journey.ts';
import { chooseShownNumber, PATIENCE_MS, press, readHandoffLink } from './journey-steps.ts';

type Type = CreateVerificationSessionRequest['type'];
type Wish = Partial<CreateVerificationSessionRequest>;

/** A customer of the service. */
export interface Shop {
  limen: LimenClient;
  apiKey: string;
}

export interface Visit {
  sessionId: string;
  launchUrl: string;
  webhooks: WebhookReceiver['webhooks'];
  result(): Promise<VerificationSessionResult>;
}

/** A person with a browser whose one page goes from session to session. */
export interface Visitor {
  page: Page;
  camera: CameraDriver;
  /** All screens and prompts in order. */
  trail: string[];
  /** Calls of the page with a body, by the end of their address. */
  calls: string[];
  open(visit: Visit): Promise<void>;
  /** Goes from the first screen to the camera. */
  start(): Promise<void>;
  waitForScreen(name: string): Promise<void>;
  /** Waits for the end and returns its heading. */
  finish(): Promise<string>;
  /** Deletes the site's data as in the browser's settings. Passkeys stay. */
  clearSiteData(): Promise<void>;
}

export const SHOP_URL = 'https://shop.example/done';
/** Another person than the default sitter. */
export const STRANGER: Portrait = { sample: 6, place: 1 };

/** User agent of an ordinary browser, because a controlled one is never trusted to know a face. */
const ORDINARY_AGENT =
  'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/126.0.0.0 Safari/537.36';
const ORDINARY = "Object.defineProperty(Navigator.prototype, 'webdriver', { get: () => false })";

export type VerificationJourneys = Awaited<ReturnType<typeof startVerification>>;

/** Opens one service and browser for all tests of a file. `atEnd`: vitest's `afterAll`. */
export async function openVerificationJourneys(
  atEnd: Parameters<typeof openJourneys>[0],
  environment: Record<string, string> = {},
  tuning?: Tuning,
): Promise<VerificationJourneys> {
  return chromiumPath ? startVerification(atEnd, environment, tuning) : ({} as VerificationJourneys);
}

async function startVerification(
  atEnd: Parameters<typeof openJourneys>[0],
  environment: Record<string, string>,
  tuning: Tuning | undefined,
) {
  const journeys = await openJourneys(atEnd, environment, tuning);
  const { app, url, browser } = journeys;

  /** Opens a shop, by default with its own customer. */
  async function openShop(customerId?: string): Promise<Shop> {
    const wanted = { kind: 'test', label: 'Wine shop', clientCredentials: false } as const;
    const { apiKey } = await app.apiKeys.create({ ...wanted, ...(customerId !== undefined && { customerId }) });
    return { apiKey, limen: createLimenClient({ baseUrl: url, apiKey }) };
  }

  async function invite({ limen, apiKey }: Shop, type: Type, wish: Wish = {}): Promise<Visit> {
    const receiver = await startWebhookReceiver(apiKey);
    const { sessionId, launchUrl } = await limen.verificationSessions.create({
      type,
      locale: 'en',
      redirectURL: SHOP_URL,
      enableDesktop: true,
      callback: { url: receiver.url },
      ...wish,
    });
    return {
      sessionId,
      launchUrl,
      webhooks: receiver.webhooks,
      result: () => limen.verificationSessions.getResult(sessionId),
    };
  }

  async function openVisitor({
    camera = {},
    context = {},
  }: {
    camera?: Partial<CameraOptions>;
    context?: BrowserContextOptions;
  } = {}): Promise<Visitor> {
    const { page, driver, trail } = await openPage(browser, 'about:blank', {
      camera,
      context: { userAgent: ORDINARY_AGENT, ...context },
      async prepare(opened) {
        await opened.addInitScript({ content: ORDINARY });
        // The redirect gets no content, so the page stays open for inspection.
        await opened.route(`${SHOP_URL}*`, (route) => route.fulfill({ status: 204 }));
      },
    });
    const devtools = await addAuthenticator(page);
    const calls: string[] = [];
    page.on('request', (request) => {
      const call = /\/device\/sessions\/[^/]+\/(.*)$/.exec(request.url())?.[1];
      if (call && request.method() === 'POST') calls.push(call);
    });
    const waitForScreen = async (name: string) => {
      const screen = page.locator(`[data-screen="${name}"]`);
      await screen.waitFor({ state: 'attached', timeout: 2 * PATIENCE_MS }).catch((cause: unknown) => {
        throw new Error(`The screen ${name} did not come; there was: ${trail.join(', ')}`, { cause });
      });
    };
    const visitor: Visitor = {
      page,
      camera: driver,
      trail,
      calls,
      waitForScreen,
      async open({ launchUrl }) {
        trail.length = 0;
        calls.length = 0;
        await page.goto(launchUrl);
      },
      async start() {
        for (const screen of ['welcome', 'permission']) {
          await waitForScreen(screen);
          await page.locator(`[data-screen="${screen}"] button`).first().click();
        }
      },
      async finish() {
        await waitForScreen('end');
        return (await page.locator('h1').textContent())!;
      },
      async clearSiteData() {
        await page.goto('about:blank');
        await devtools.send('Storage.clearDataForOrigin', { origin: url, storageTypes: 'all' });
      },
    };
    return visitor;
  }

  return { ...journeys, openShop, invite, openVisitor };
}

/** Returns the only webhook once it arrived. */
export async function readWebhook({ webhooks }: Pick<Visit, 'webhooks'>): Promise<Record<string, unknown>> {
  await expect.poll(() => webhooks.length, { timeout: PATIENCE_MS }).toBe(1);
  return webhooks[0]!.body as Record<string, unknown>;
}

/** Seats another person in front of the same browser's camera. */
export async function replaceSitter({ page }: Visitor, portrait: Portrait): Promise<void> {
  const camera = await createTestCamera({ scene: 'person', portrait });
  await camera.install(page.context());
}

/** Goes from the computer's code to the phone's camera. */
export async function moveToPhone(visit: Visit, computer: Visitor, phone: Visitor): Promise<void> {
  const launchUrl = await readHandoffLink(computer.page);
  await phone.open({ ...visit, launchUrl });
  await chooseShownNumber(phone.page, computer.page);
  await phone.waitForScreen('permission');
  await phone.page.locator('[data-screen="permission"] button').first().click();
}

/** Returns the code that the phone shows at the end. */
export async function readReturnCode({ page, finish }: Visitor): Promise<string> {
  expect(await finish()).toBe('One last step');
  return (await page.locator('.number.long').textContent())!;
}

export async function typeReturnCode({ page, waitForScreen }: Visitor, code: string): Promise<void> {
  await waitForScreen('return_code');
  await page.getByLabel('Code on your phone').fill(code);
  await press(page, 'Continue');
}

/** Returns a wrong code, different for each `by` from 1 to 9: repeats use up no try. */
export function createWrongCode(code: string, by = 1): string {
  return code.replace(/\d(?=\D*$)/, (digit) => String((Number(digit) + by) % 10));
}

/** Confirms on the screen that explains the passkey. */
export async function confirmPasskey({ page, waitForScreen }: Visitor, button: string): Promise<void> {
  await waitForScreen('passkey');
  await press(page, button);
}
