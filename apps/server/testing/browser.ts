// A real Chromium for tests of pages; the path comes from the test command, which skips these tests without one.
import { type Browser, chromium } from 'playwright-core';
import { onTestFinished } from 'vitest';

export const chromiumPath = process.env['LIMEN_TEST_CHROMIUM'];

/** Chromium's own calls home are switched off: the tests watch the network. */
export const BROWSER_FLAGS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--no-first-run',
];

/** Closed when the test ends. */
export async function launchBrowser(...flags: string[]): Promise<Browser> {
  if (!chromiumPath) throw new Error('LIMEN_TEST_CHROMIUM is not set: run the tests with npm test');
  const browser = await chromium.launch({ executablePath: chromiumPath, args: [...BROWSER_FLAGS, ...flags] });
  onTestFinished(() => browser.close());
  return browser;
}
