// The gallery in a real browser, for tests: built once per file, with the fixture and the language changed in place.
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { afterAll, beforeAll } from 'vitest';
import { chromiumPath } from '../../../server/testing/browser.ts';
import { type GalleryServer, serveGallery } from './serve-gallery.ts';

export interface OpenGallery {
  open(browser: Browser, options?: BrowserContextOptions): Promise<Page>;
}

/** Served as long as the tests of the file run. */
export function useGallery(): OpenGallery {
  let server: GalleryServer;
  beforeAll(async () => {
    if (chromiumPath) server = await serveGallery();
  });
  afterAll(() => server?.close());
  return {
    async open(browser, options = {}) {
      const page = await browser.newPage({ reducedMotion: 'reduce', ...options });
      await page.goto(server.url);
      await page.waitForFunction(() => 'gallery' in window);
      return page;
    },
  };
}
