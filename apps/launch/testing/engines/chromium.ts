// Chromium as the other tests have it, through the same few functions as the other engines.
import { addAuthenticator } from '@limen/testing/add-authenticator.ts';
import { shareBrowser } from '../../../server/testing/browser.ts';
import type { Engine } from './engine.ts';

export async function startChromium(): Promise<Engine> {
  const browser = await shareBrowser();
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 } });
  return {
    name: 'Chromium',
    version: browser.version(),
    async openTab() {
      const page = await context.newPage();
      await addAuthenticator(page);
      return {
        go: async (url) => void (await page.goto(url)),
        evaluate: <T>(expression: string) => page.evaluate<T>(`(async () => (${expression}))()`),
        click: (selector) => page.locator(selector).first().click(),
        close: () => page.close(),
      };
    },
    hasAuthenticator: true,
    close: () => context.close(),
  };
}
