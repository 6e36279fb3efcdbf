// Enrolling and signing in as it happens: the real service and key-holder, host applications, people with their devices.

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

/** Somebody with a browser, whose one page goes from session to session as a tab does. */
export interface Visitor {
  page: Page;
  camera: CameraDriver;
  /** Every screen that was shown, and every prompt with it, one after the other. */
  trail: string[];
  /** Calls of the page to the service that carry something, by the last parts of their address. */
  calls: string[];
  open(visit: Visit): Promise<void>;
  /** From the first screen to the camera. */
  start(): Promise<void>;
  waitForScreen(name: string): Promise<void>;
  /** Start to end; with the heading that the end has. */
  finish(): Promise<string>;
  /** As the browser's own settings do it: everything of the service's site goes, passkeys stay. */
  clearSiteData(): Promise<void>;
}

export const SHOP_URL = 'https://shop.example/done';
/** Somebody else than who sits before the camera by default. */
export const STRANGER: Portrait = { sample: 6, place: 1 };

/** What an ordinary browser says of itself: one that is remote-controlled is never believed that it knows a face. */
const ORDINARY_AGENT =
  'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/126.0.0.0 Safari/537.36';
const ORDINARY = "Object.defineProperty(Navigator.prototype, 'webdriver', { get: () => false })";

export type VerificationJourneys = Awaited<ReturnType<typeof startVerification>>;

/** One service and one browser for all tests of a file; `afterAll` of vitest fits `atEnd`. */
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

  /** Opens a shop; it gets a customer of its own unless one is given. */
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

  async function bring({
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
        // The shop takes them back; the page stays where it can be looked at.
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

  return { ...journeys, openShop, invite, bring };
}

/** The one webhook, once it has come. */
export async function readWebhook({ webhooks }: Pick<Visit, 'webhooks'>): Promise<Record<string, unknown>> {
  await expect.poll(() => webhooks.length, { timeout: PATIENCE_MS }).toBe(1);
  return webhooks[0]!.body as Record<string, unknown>;
}

/** Somebody else sits down before the camera of the same browser. */
export async function replaceSitter({ page }: Visitor, portrait: Portrait): Promise<void> {
  const camera = await createTestCamera({ scene: 'person', portrait });
  await camera.install(page.context());
}

/** From the computer's code to the phone's camera. */
export async function moveToPhone(visit: Visit, computer: Visitor, phone: Visitor): Promise<void> {
  const launchUrl = await readHandoffLink(computer.page);
  await phone.open({ ...visit, launchUrl });
  await chooseShownNumber(phone.page, computer.page);
  await phone.waitForScreen('permission');
  await phone.page.locator('[data-screen="permission"] button').first().click();
}

/** What the phone shows at the end, for the computer. */
export async function readReturnCode({ page, finish }: Visitor): Promise<string> {
  expect(await finish()).toBe('One last step');
  return (await page.locator('.number.long').textContent())!;
}

export async function typeReturnCode({ page, waitForScreen }: Visitor, code: string): Promise<void> {
  await waitForScreen('return_code');
  await page.getByLabel('Code on your phone').fill(code);
  await press(page, 'Continue');
}

/** Six digits that are not the code, others for each of one to nine: the same again is no further try. */
export function otherCode(code: string, by = 1): string {
  return code.replace(/\d(?=\D*$)/, (digit) => String((Number(digit) + by) % 10));
}

/** On the screen that explains the passkey. */
export async function confirmPasskey({ page, waitForScreen }: Visitor, button: string): Promise<void> {
  await waitForScreen('passkey');
  await press(page, button);
}
