// The shared Chromium behind the engine interface.
import { addAuthenticator } from '@limen/testing/add-authenticator.ts';
import type { Frame } from 'playwright-core';
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
      let place: Frame = page.mainFrame();
      return {
        go: async (url) => void (await page.goto(url)),
        evaluate: <T>(expression: string) => place.evaluate<T>(`(async () => (${expression}))()`),
        click: (selector) => place.locator(selector).first().click(),
        async enter(frame) {
          const element = frame === null ? null : (await page.evaluateHandle<Element>(frame)).asElement();
          const inside = await element?.contentFrame();
          if (frame !== null && !inside) throw new Error(`There is no frame ${frame}`);
          place = inside ?? page.mainFrame();
        },
        close: () => page.close(),
      };
    },
    hasAuthenticator: true,
    close: () => context.close(),
  };
}
