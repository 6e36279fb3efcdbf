// A real Chromium for tests of pages; the path comes from the test command, which skips these tests without one.
import { PATIENCE_MS } from '@limen/testing/patience.ts';
import { type Browser, chromium } from 'playwright-core';
import { onTestFinished } from 'vitest';

export const chromiumPath = process.env['LIMEN_TEST_CHROMIUM'];

/** A name that leads to this machine, but that browsers do not trust as they trust localhost. */
export const PLAIN_HTTP_HOST = 'host.test';

/**
 * Pages of the browser's own address bar, which come with every window, and processes that wait for a next page: two thirds of
 * what an empty page takes, and nobody looks at them.
 */
const UNSEEN = ['SpareRendererForSitePerProcess', 'WebUIOmniboxPopup', 'WebUIOmniboxAimPopup', 'WebUIOmniboxFullPopup'];
/** What Playwright switches off by itself. Of several such flags only the last one counts, and that is ours. */
const OFF_ANYWAY = [
  'AvoidUnnecessaryBeforeUnloadCheckSync',
  'DestroyProfileOnBrowserClose',
  'HttpsUpgrades',
  'HttpsFirstBalancedModeAutoEnable',
  'LensOverlay',
  'MediaRouter',
  'PaintHolding',
  'ThirdPartyStoragePartitioning',
  'AvoidCorsURLLoaderRestartOnRedirect',
  'OptimizationHints',
  'NetworkTimeServiceQuerying',
  'AimEnabled',
  'PreconnectToSearch',
];

/** Chromium's own calls home are switched off: the tests watch the network. */
const BROWSER_FLAGS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--no-first-run',
  `--host-resolver-rules=MAP ${PLAIN_HTTP_HOST} 127.0.0.1`,
  `--disable-features=${[...OFF_ANYWAY, ...UNSEEN].join()}`,
  // Functions of WebAssembly are compiled for speed once they have run for long. A check in a test is over before most of the
  // runtime's have earned that, and every page would compile them anew: a quarter of what it computes.
  '--js-flags=--wasm-tiering-budget=1000000000',
];

let shared: Promise<Browser> | undefined;

/** One for all tests of a worker, which ends with it. */
export function shareBrowser(): Promise<Browser> {
  shared ??= startBrowser();
  return shared;
}

/** The shared one; what a test opened in it is closed when the test ends. */
export async function launchBrowser(): Promise<Browser> {
  const browser = await shareBrowser();
  onTestFinished(async () => {
    for (const context of browser.contexts()) {
      // What a test put in the way of requests may still be at work on one, and would fail outside of any test.
      await context.unrouteAll({ behavior: 'ignoreErrors' });
      for (const page of context.pages()) await page.unrouteAll({ behavior: 'ignoreErrors' });
      await context.close();
    }
  });
  return browser;
}

/** One of its own, for a test that needs other flags. Closed when the test ends. */
export async function launchBrowserWith(...flags: string[]): Promise<Browser> {
  const browser = await startBrowser(flags);
  onTestFinished(() => browser.close());
  return browser;
}

async function startBrowser(flags: string[] = []): Promise<Browser> {
  if (!chromiumPath) throw new Error('LIMEN_TEST_CHROMIUM is not set: run the tests with npm test');
  const args = [...BROWSER_FLAGS, ...flags];
  const browser = await chromium.launch({ executablePath: chromiumPath, args, timeout: PATIENCE_MS });
  const { newContext } = browser;
  // Every page has a context, also where a test asks for the page alone.
  browser.newContext = async (options) => {
    const context = await newContext.call(browser, options);
    context.setDefaultTimeout(PATIENCE_MS);
    return context;
  };
  return browser;
}
