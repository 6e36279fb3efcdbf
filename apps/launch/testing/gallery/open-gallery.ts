// The gallery in a real browser: built once, with fixture and language changed in place.
import { IS_LONG } from '@limen/testing/rounds.ts';
import type { BrowserContextOptions, Page } from 'playwright-core';
import { afterAll } from 'vitest';
import { shareBrowser } from '../../../server/testing/browser.ts';
import { FIXTURES } from './fixtures.ts';
import { type GalleryServer, serveGallery } from './serve-gallery.ts';

export const PHONE = { width: 390, height: 844 };

export interface OpenGallery {
  /** Returns a freshly loaded page, which tests with equal options share. */
  open(options?: BrowserContextOptions): Promise<Page>;
}

let served: Promise<GalleryServer> | undefined;
let kinds: string[] | undefined;

/** Keeps the pages open while the file's tests run. */
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

/** Returns all fixtures in the long run, and one of each structure in the short run. */
export async function chooseFixtures(page: Page): Promise<string[]> {
  return IS_LONG ? [...FIXTURES.keys()] : chooseKinds(page);
}

/** Returns all fixtures in the long run, else a cover of all elements. */
export async function chooseColored(page: Page): Promise<string[]> {
  if (IS_LONG) return [...FIXTURES.keys()];
  return page.evaluate((fixtures) => window.gallery.findCover(fixtures), await chooseKinds(page));
}

/** Returns one of the screens that differ only in words. */
export async function chooseKinds(page: Page): Promise<string[]> {
  kinds ??= await page.evaluate(() => window.gallery.findKinds());
  return kinds;
}

export async function show(page: Page, fixture: string, language = 'en'): Promise<void> {
  await page.evaluate(([name, tag]) => window.gallery.show(name!, tag!), [fixture, language]);
  await page.evaluate(() => window.gallery.settle());
}
