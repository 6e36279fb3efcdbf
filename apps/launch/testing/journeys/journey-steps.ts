// Common actions and expectations of journeys.

import type { ClaimReply } from '@limen/contract';
import type { LogEntry } from '@limen/plan';
import type { BrowserContextOptions, FrameLocator, Page } from 'playwright-core';
import { expect } from 'vitest';
import { MOVEMENT_LOOKS } from '../../src/face/movement/movement-looks.ts';
import type { Journey } from './journey.ts';

/** Longer than anything takes on a busy machine. */
export const PATIENCE_MS = 50_000;

export const COMPUTER: BrowserContextOptions = { viewport: { width: 1280, height: 800 } };
export const PHONE: BrowserContextOptions = {
  userAgent:
    'Mozilla/5.0 (Linux; Android 14; Pixel 8) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/126.0.0.0 Mobile Safari/537.36',
  viewport: { width: 390, height: 844 },
  hasTouch: true,
  isMobile: true,
};

/** Presses a button on a page or in a frame. */
export async function press(page: Pick<Page, 'getByRole'> | FrameLocator, name: string): Promise<void> {
  await page.getByRole('button', { name, exact: true }).click({ timeout: PATIENCE_MS });
}

export async function waitForHeading(page: Page, name: string): Promise<void> {
  await page.getByRole('heading', { level: 1, name, exact: true }).waitFor({ timeout: PATIENCE_MS });
}

export async function waitForText(page: Page, text: string): Promise<void> {
  await page.locator('main').getByText(text).first().waitFor({ timeout: PATIENCE_MS });
}

/** Waits for any movement of the plan. */
export async function waitForChallenge(page: Page): Promise<void> {
  const asked = Object.values(MOVEMENT_LOOKS)
    .map(({ prompt }) => `[data-prompt="${prompt}"]`)
    .join();
  await page.locator(asked).waitFor({ state: 'attached', timeout: PATIENCE_MS });
}

export async function cancelCheck(page: Page, button = 'Cancel'): Promise<void> {
  await press(page, button);
  await press(page, 'Yes, cancel');
}

/** Expects the outcome in the result and in the only webhook. */
export async function expectOutcome(
  { result, webhooks }: Pick<Journey, 'result' | 'webhooks'>,
  flowStatus: 'CANCELLED' | 'EXPIRED' | 'COMPLETED',
  codes: readonly number[],
): Promise<void> {
  await expect.poll(() => webhooks.length, { timeout: PATIENCE_MS }).toBe(1);
  const seen = await result();
  expect(seen).toMatchObject({ sessionStatus: 'AGE_UNKNOWN', flowStatus });
  expect(listErrorCodes(seen)).toEqual(codes);
  expect(seen['result']).toEqual({});
  expect(webhooks[0]?.body).toMatchObject({ sessionId: seen['sessionId'], flowStatus, errors: seen['errors'] });
}

export function listErrorCodes(result: Record<string, unknown>): number[] {
  return (result['errors'] as { code: number }[]).map(({ code }) => code);
}

/** Returns the handoff link that the page offers for copying. */
export async function readHandoffLink(page: Page): Promise<string> {
  await page.evaluate("navigator.clipboard.writeText = () => Promise.reject(new Error('closed'))");
  await press(page, 'Copy the link');
  return (await page.locator('p.link').textContent({ timeout: PATIENCE_MS }))!.trim();
}

/** Chooses on the phone the number that the computer shows. */
export async function chooseShownNumber(phone: Page, computer: Page): Promise<void> {
  const number = await computer.locator('.compare .number').textContent({ timeout: PATIENCE_MS });
  await waitForHeading(phone, 'Did you start this yourself?');
  await press(phone, number!.trim());
}

/** Records the messages between page and service: every plan, and the log up to the answer. */
export function watchChannel(page: Page): { plans: string[]; log: LogEntry[] } {
  const [plans, log]: [string[], LogEntry[]] = [[], []];
  page.on('response', async (response) => {
    if (!response.ok()) return;
    // A reply that is not read before a reload is lost.
    const claimed = response.url().endsWith('/claim') && (await response.json().catch(() => undefined));
    if (claimed) {
      const { plan, log: kept } = claimed as ClaimReply;
      plans.push(plan);
      log.splice(0, kept.length, ...kept);
    }
    if (!response.url().endsWith('/log')) return;
    const { from, entries } = response.request().postDataJSON() as { from: number; entries: LogEntry[] };
    log.splice(from, entries.length, ...entries);
  });
  return { plans, log };
}
