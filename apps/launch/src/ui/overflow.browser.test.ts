// Checks every screen for cut-off text on the narrowest phone, also at double font size. The short
// run covers a language with long words and one without spaces; the long run adds right-to-left
// ones.

import { onlyWhenLong } from '@limen/testing/rounds.ts';
import { describe, expect, it } from 'vitest';
import { chromiumPath } from '../../../server/testing/browser.ts';
import type {} from '../../testing/gallery/main.tsx';
import { useGallery } from '../../testing/gallery/open-gallery.ts';
import { LANGUAGES } from '../i18n/index.ts';

const WRITTEN = onlyWhenLong(
  LANGUAGES.map(({ tag }) => tag),
  ['hu', 'th'],
);

describe.skipIf(!chromiumPath)('at 320 px', () => {
  const gallery = useGallery();

  it.each(onlyWhenLong([16, 32], [32]))('keeps all text within its box with letters of %i px', async (rootSize) => {
    const page = await gallery.open({ viewport: { width: 320, height: 640 } });
    const faults = await page.evaluate(findOverflow, { rootSize, languages: WRITTEN });
    expect(faults).toEqual([]);
  });

  it('detects text that overflows', async () => {
    const page = await gallery.open({ viewport: { width: 320, height: 640 } });
    await page.evaluate(() => {
      const sheet = new CSSStyleSheet();
      sheet.replaceSync('body { white-space: nowrap }');
      document.adoptedStyleSheets = [sheet];
    });
    const faults = await page.evaluate(findOverflow, { rootSize: 16, languages: ['de'] });
    expect(faults.length).toBeGreaterThan(20);
  });
});

/** Runs on the page, so it must be self-contained. */
async function findOverflow({ rootSize, languages }: { rootSize: number; languages: string[] }): Promise<string[]> {
  const found: string[] = [];
  const range = document.createRange();
  document.documentElement.style.fontSize = `${rootSize}px`;
  const describeFault = (element: Element) => {
    const box = element.getBoundingClientRect();
    range.selectNodeContents(element);
    const text = range.getBoundingClientRect();
    const outside = text.left < box.left - 1 || text.right > box.right + 1 || text.bottom > box.bottom + 1;
    if (outside || element.scrollWidth > element.clientWidth + 1) return `${element.className}: ${element.textContent}`;
    return box.left < 0 || box.right > innerWidth ? `off the page: ${element.textContent}` : null;
  };
  for (const language of languages) {
    for (const fixture of window.gallery.fixtures) {
      await window.gallery.show(fixture, language);
      const root = document.documentElement;
      if (root.scrollWidth > innerWidth) found.push(`${language} ${fixture}: scrolls sideways`);
      for (const element of document.querySelectorAll(
        'h1, h2, p, li, li > span, button, button > span, label, label > span, header > span',
      )) {
        if (!element.textContent || element.closest('.unseen')) continue;
        const fault = describeFault(element);
        if (fault) found.push(`${language} ${fixture}: ${fault}`);
      }
    }
  }
  return found;
}
