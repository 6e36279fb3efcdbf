// Takes a screenshot of every fixture at phone and desktop size, in several languages.
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import type {} from './main.tsx';
import { serveGallery } from './serve-gallery.ts';

const SIZES = {
  phone: { viewport: { width: 390, height: 844 }, deviceScaleFactor: 2, hasTouch: true },
  desktop: { viewport: { width: 1280, height: 800 } },
};

interface ShootOptions {
  browser: Browser;
  folder: string;
  languages?: readonly string[];
  colorScheme?: 'light' | 'dark';
  only?(fixture: string): boolean;
}

/** Writes files named `{fixture}.{size}.{language}.png`. Returns their number. */
export async function shootGallery(options: ShootOptions): Promise<number> {
  const { browser, folder, languages = ['en', 'ar', 'ja'], colorScheme = 'light', only = () => true } = options;
  await mkdir(folder, { recursive: true });
  const server = await serveGallery();
  let count = 0;
  try {
    for (const [size, context] of Object.entries(SIZES)) {
      const page = await browser.newPage({ ...context, colorScheme, reducedMotion: 'reduce' });
      await page.goto(server.url);
      await page.waitForFunction(() => 'gallery' in window);
      const fixtures = await page.evaluate(() => window.gallery.fixtures);
      for (const language of languages) {
        for (const fixture of fixtures.filter(only)) {
          await page.evaluate(([name, tag]) => window.gallery.show(name!, tag!), [fixture, language]);
          await page.evaluate(() => window.gallery.settle());
          await page.screenshot({ path: join(folder, `${fixture}.${size}.${language}.png`), fullPage: true });
          count += 1;
        }
      }
      await page.close();
    }
  } finally {
    server.close();
  }
  return count;
}
