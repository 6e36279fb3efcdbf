// A real browser in the console, signed in as an invited operator with a passkey.
import { addAuthenticator } from '@limen/testing/add-authenticator.ts';
import { IS_LONG } from '@limen/testing/rounds.ts';
import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import { bringAxe, COLORS, EVERYTHING, findFaults } from '#testing/axe.ts';
import { launchBrowser } from '#testing/browser.ts';
import type { App } from '../../src/app.ts';
import { inviteLink } from '../../src/console/operators/operators.ts';
import type { Role } from '../../src/platform/base/roles.ts';

/** Markup that must always be shown as text */
export const SCRIPT = '<img src=x onerror="document.title=\'owned\'">';

export interface Console {
  app: Pick<App, 'operators'>;
  address: string;
}

export interface Visit {
  page: Page;
  /** Errors and warnings on the page's console */
  complaints: string[];
}

/** Signs in as an invited and registered operator. */
export async function enter(
  { app, address }: Console,
  role: Role,
  name: string,
  { isPhone = false } = {},
): Promise<Visit> {
  const browser = await launchBrowser();
  // The driver injects axe despite the page's policy. Tests without axe cover the policy.
  const page = await browser.newPage({
    bypassCSP: role === 'admin',
    userAgent: SCRIPT,
    ...(isPhone && { hasTouch: true, isMobile: true, viewport: { width: 390, height: 844 } }),
  });
  const complaints: string[] = [];
  page.on('pageerror', ({ message }) => complaints.push(message));
  page.on('console', (message) => /policy|trusted/i.test(message.text()) && complaints.push(message.text()));
  page.on('request', (request) => request.url().startsWith(address) || complaints.push(request.url()));
  await addAuthenticator(page);
  const invite = await app.operators.invite(name, role);
  await page.goto(inviteLink(`${address}/console`, invite!));
  await page.getByRole('button', { name: 'Register a passkey' }).click();
  await page.getByRole('heading', { name: 'Sessions', level: 1 }).waitFor();
  return { page, complaints };
}

/** Checks accessibility. With `seenBefore`, the short run skips the colors of the dark scheme. */
export async function expectAccessible(page: Page, { seenBefore = false } = {}): Promise<void> {
  await bringAxe(page);
  for (const [width, colorScheme, rules] of [
    [1280, 'light', EVERYTHING],
    [360, 'dark', COLORS],
  ] as const) {
    await page.setViewportSize({ width, height: 800 });
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
    for (const direction of ['rtl', 'ltr'])
      expect([direction, await measureWidth(page, direction)]).toEqual([direction, width]);
    if (seenBefore && !IS_LONG && rules === COLORS) continue;
    const faults = await findFaults(page, rules);
    expect([width, colorScheme, faults]).toEqual([width, colorScheme, []]);
  }
  await page.setViewportSize({ width: 1280, height: 800 });
}

/** Returns the page's width with everything in this writing direction. Overflow makes it wider. */
function measureWidth(page: Page, direction: string): Promise<number> {
  return page.evaluate((dir) => {
    // biome-ignore lint/suspicious/noExplicitAny: the page's document, which this side has no types for
    const root = (globalThis as any).document.documentElement;
    root.dir = dir;
    return root.scrollWidth;
  }, direction);
}
