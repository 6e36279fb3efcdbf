// The gallery in a real browser, for tests: built once for all of them, with the fixture and the language changed in place.
import { IS_LONG } from '@limen/testing/rounds.ts';
import type { BrowserContextOptions, Page } from 'playwright-core';
import { afterAll } from 'vitest';
import { shareBrowser } from '../../../server/testing/browser.ts';
import { FIXTURES } from './fixtures.ts';
import { type GalleryServer, serveGallery } from './serve-gallery.ts';

export const PHONE = { width: 390, height: 844 };

export interface OpenGallery {
  /** Loaded anew. Tests that want the same kind of page get the same one: to open another takes half a second. */
  open(options?: BrowserContextOptions): Promise<Page>;
}

let served: Promise<GalleryServer> | undefined;
let kinds: string[] | undefined;

/** The pages are there as long as the tests of the file run. */
export function useGallery(): OpenGallery {
  const pages = new Map<string, Page>();
  afterAll(async () => {
    for (const page of pages.values()) await page.close();
  });
  return {
    async open(options = {}) {
      served ??= serveGallery();
      const { url, unref } = await served;
      unref();
      const kind = JSON.stringify(options);
      const page = pages.get(kind) ?? (await (await shareBrowser()).newPage({ reducedMotion: 'reduce', ...options }));
      pages.set(kind, page);
      for (const event of ['console', 'pageerror']) page.removeAllListeners(event);
      await page.goto(url);
      await page.waitForFunction(() => 'gallery' in window);
      return page;
    },
  };
}

/** The long run looks at every screen, the short one at those that differ in more than words. */
export async function chooseFixtures(page: Page): Promise<string[]> {
  return IS_LONG ? [...FIXTURES.keys()] : chooseKinds(page);
}

/** The long run looks at every screen, the short one at as few as show every element: how it is coloured depends on its classes. */
export async function chooseColoured(page: Page): Promise<string[]> {
  if (IS_LONG) return [...FIXTURES.keys()];
  return page.evaluate((fixtures) => window.gallery.findCover(fixtures), await chooseKinds(page));
}

/** Of screens that differ in their words alone, one. */
export async function chooseKinds(page: Page): Promise<string[]> {
  kinds ??= await page.evaluate(() => window.gallery.findKinds());
  return kinds;
}

export async function show(page: Page, fixture: string, language = 'en'): Promise<void> {
  await page.evaluate(([name, tag]) => window.gallery.show(name!, tag!), [fixture, language]);
  await page.evaluate(() => window.gallery.settle());
}
