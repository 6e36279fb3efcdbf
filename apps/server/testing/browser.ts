// A real Chromium for browser tests. The test command passes its path, or skips these tests.
import { PATIENCE_MS } from '@limen/testing/patience.ts';
import { type Browser, chromium } from 'playwright-core';
import { onTestFinished } from 'vitest';

export const chromiumPath = process.env['LIMEN_TEST_CHROMIUM'];

/** A name for this machine that browsers do not trust as they trust localhost. */
export const PLAIN_HTTP_HOST = 'host.test';

/**
 * Pages of the browser's own address bar and spare processes. They cost two thirds of an empty
 * page's resources.
 */
const UNSEEN = ['SpareRendererForSitePerProcess', 'WebUIOmniboxPopup', 'WebUIOmniboxAimPopup', 'WebUIOmniboxFullPopup'];
/**
 * Features that Playwright disables by default. Only the last such flag counts, so ours repeats
 * them.
 */
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

/** Disables Chromium's own calls home, because the tests watch the network. */
const BROWSER_FLAGS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--no-first-run',
  `--host-resolver-rules=MAP ${PLAIN_HTTP_HOST} 127.0.0.1`,
  `--disable-features=${[...OFF_ANYWAY, ...UNSEEN].join()}`,
  // Disables WebAssembly optimization. Tests end before it pays off, and every page would compile
  // again, which is a quarter of its CPU time.
  '--js-flags=--wasm-tiering-budget=1000000000',
];

let shared: Promise<Browser> | undefined;

/** Returns the worker's shared browser, which closes with the worker. */
export function shareBrowser(): Promise<Browser> {
  shared ??= startBrowser();
  return shared;
}

/** Returns the shared browser. Contexts that a test opened are closed when the test ends. */
export async function launchBrowser(): Promise<Browser> {
  const browser = await shareBrowser();
  onTestFinished(async () => {
    for (const context of browser.contexts()) {
      // A route handler still running would fail outside of any test.
      await context.unrouteAll({ behavior: 'ignoreErrors' });
      for (const page of context.pages()) await page.unrouteAll({ behavior: 'ignoreErrors' });
      await context.close();
    }
  });
  return browser;
}

/** Launches a separate browser with other flags. It closes when the test ends. */
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
  // Every page has a context, even if a test only requests a page.
  browser.newContext = async (options) => {
    const context = await newContext.call(browser, options);
    context.setDefaultTimeout(PATIENCE_MS);
    return context;
  };
  return browser;
}
