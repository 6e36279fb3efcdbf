// The gallery in a real browser, for tests: built once for all of them, with the fixture and the language changed in place.
import type { BrowserContextOptions, Page } from 'playwright-core';
import { afterAll } from 'vitest';
import { shareBrowser } from '../../../server/testing/browser.ts';
import { type GalleryServer, serveGallery } from './serve-gallery.ts';

export interface OpenGallery {
  /** Loaded anew. Tests that want the same kind of page get the same one: to open another takes half a second. */
  open(options?: BrowserContextOptions): Promise<Page>;
}

let served: Promise<GalleryServer> | undefined;

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
