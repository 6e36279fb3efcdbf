// Every screen in a real browser: nothing for axe to find, everything by keyboard, the focus where a person expects it.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { chromiumPath, launchBrowser } from '../../../server/testing/browser.ts';
import { onlyWhenLong } from '../../../server/testing/rounds.ts';
import { FIXTURES } from '../../testing/gallery/fixtures.ts';
import type {} from '../../testing/gallery/main.tsx';
import { useGallery } from '../../testing/gallery/open-gallery.ts';
import { LANGUAGES } from '../i18n/index.ts';

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const SPOKEN = onlyWhenLong(
  LANGUAGES.map(({ tag }) => tag),
  ['en', 'ar', 'ja'],
);
/** Colours do not depend on the language. */
const SEEN_IN_THE_DARK = onlyWhenLong(SPOKEN, ['en']);
const PHONE = { width: 390, height: 844 };

interface RunOnly {
  type: 'tag' | 'rule';
  values: string[];
}

const EVERYTHING: RunOnly = {
  type: 'tag',
  values: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'],
};
const COLOURS: RunOnly = { type: 'rule', values: ['color-contrast', 'link-in-text-block'] };

interface Axe {
  run(options: {
    runOnly: RunOnly;
    resultTypes: string[];
  }): Promise<{ violations: { id: string; nodes: { html: string }[] }[] }>;
}

/** Runs on the page, so it holds all that it needs. */
async function runAxe(how: { language: string; runOnly: RunOnly; skip?: string }): Promise<string[]> {
  const { language, runOnly, skip } = how;
  const { axe } = globalThis as unknown as { axe: Axe };
  const found: string[] = [];
  for (const fixture of window.gallery.fixtures) {
    if (skip && new RegExp(skip).test(fixture)) continue;
    await window.gallery.show(fixture, language);
    const { violations } = await axe.run({ runOnly, resultTypes: ['violations'] });
    for (const { id, nodes } of violations) found.push(`${fixture}: ${id}: ${nodes[0]?.html}`);
  }
  return found;
}

async function show(page: Page, fixture: string, language = 'en'): Promise<void> {
  await page.evaluate(([name, tag]) => window.gallery.show(name!, tag!), [fixture, language]);
  await page.evaluate(() => window.gallery.settle());
}

describe.skipIf(!chromiumPath)('the screens', () => {
  const gallery = useGallery();

  it.each(SPOKEN)('have no accessibility fault in %s', async (tag) => {
    const browser = await launchBrowser();
    // axe is put in by the driver, past the page's own policy.
    const page = await gallery.open(browser, { viewport: PHONE, colorScheme: 'light', bypassCSP: true });
    await page.addScriptTag({ content: AXE });
    // Orders beside a document differ in their words alone: English has them all, in the long run every language.
    const skip = onlyWhenLong('', tag === 'en' ? '' : '^document-scan-(?!zone)');
    expect(await page.evaluate(runAxe, { language: tag, runOnly: EVERYTHING, skip })).toEqual([]);
  });

  it.each(SEEN_IN_THE_DARK)('have no fault of colour in %s in the dark', async (tag) => {
    const browser = await launchBrowser();
    const page = await gallery.open(browser, { viewport: PHONE, colorScheme: 'dark', bypassCSP: true });
    await page.addScriptTag({ content: AXE });
    // Only the colours are others.
    expect(await page.evaluate(runAxe, { language: tag, runOnly: COLOURS })).toEqual([]);
  });

  it('would be caught with a fault', async () => {
    const browser = await launchBrowser();
    const page = await gallery.open(browser, { viewport: PHONE, bypassCSP: true });
    await page.addScriptTag({ content: AXE });
    await page.addStyleTag({ content: ':root { --quiet: #bbb }' });
    const faults = await page.evaluate(runAxe, { language: 'en', runOnly: COLOURS });
    expect(faults.length).toBeGreaterThan(20);
  });

  it('keep to a policy without inline styles or scripts, in a document with language, direction and title', async () => {
    const browser = await launchBrowser();
    const complaints: string[] = [];
    const page = await gallery.open(browser);
    page.on('console', (message) => complaints.push(message.text()));
    page.on('pageerror', (error) => complaints.push(error.message));
    for (const fixture of FIXTURES.keys()) await show(page, fixture);
    await show(page, 'end-done', 'ar');
    expect(complaints).toEqual([]);
    const found = await page.evaluate(() => {
      const { lang, dir } = document.documentElement;
      return { lang, dir, title: document.title };
    });
    const heading = await page.locator('h1').innerText();
    expect(found).toEqual({ lang: 'ar', dir: 'rtl', title: expect.stringContaining(heading) });
  });

  it('give every control to the keyboard, in the order of the page', async () => {
    const browser = await launchBrowser();
    const page = await gallery.open(browser, { viewport: PHONE });
    for (const [fixture, { dialog }] of FIXTURES) {
      if (dialog) continue;
      await show(page, fixture);
      const controls = await page
        .locator('a:visible, button:visible, label:visible')
        .evaluateAll((all) => all.map((one) => one.textContent));
      await page.locator('.skip').focus();
      const reached: string[] = [];
      for (const _ of controls) {
        // What a file is chosen with has its words around it.
        reached.push(
          await page.evaluate(() => (document.activeElement!.closest('label') ?? document.activeElement!).textContent),
        );
        await page.keyboard.press('Tab');
      }
      expect([fixture, reached]).toEqual([fixture, controls]);
    }
  });

  it('show where the focus is', async () => {
    const browser = await launchBrowser();
    const page = await gallery.open(browser, { viewport: PHONE });
    for (const button of await page.locator('button').all()) {
      await page.keyboard.press('Tab');
      await button.focus();
      expect(await button.evaluate((found) => getComputedStyle(found).outlineStyle)).toBe('solid');
    }
  });

  it('are large enough to touch', async () => {
    const browser = await launchBrowser();
    const page = await gallery.open(browser, { viewport: { width: 320, height: 568 } });
    for (const fixture of FIXTURES.keys()) {
      await show(page, fixture);
      const heights = await page
        .locator('button:visible, label:visible')
        .evaluateAll((all) => all.map((one) => one.getBoundingClientRect().height));
      expect([fixture, heights.filter((height) => height < 44)]).toEqual([fixture, []]);
    }
  });

  it('move the focus to the heading when another one comes, and not when the same one changes', async () => {
    const browser = await launchBrowser();
    const page = await gallery.open(browser);
    const focused = () => page.evaluate(() => document.activeElement?.tagName);
    expect(await focused()).toBe('BODY');
    await show(page, 'permission-explain');
    expect(await focused()).toBe('H1');
    await page.keyboard.press('Tab');
    await show(page, 'permission-asking');
    expect(await focused()).toBe('BUTTON');
  });

  it('offer a photo where there is no camera and a file will do, and count no tries for one that is none', async () => {
    const browser = await launchBrowser();
    const page = await gallery.open(browser);
    const photo = page.getByLabel('Choose a photo instead');
    for (const [fixture, count] of [
      ['permission-missing', 0],
      ['permission-missing-file', 1],
      ['permission-insecure', 0],
      ['permission-insecure-file', 1],
    ] as const) {
      await show(page, fixture);
      expect([fixture, await photo.count()]).toEqual([fixture, count]);
    }
    await show(page, 'document-unreadable');
    expect(await page.getByText('1 more try').count()).toBe(1);
    await show(page, 'document-unusable-file');
    expect(await page.getByText(/more tr(y|ies)/).count()).toBe(0);
  });

  it('find the heading again when the focused control has gone', async () => {
    const browser = await launchBrowser();
    const page = await gallery.open(browser);
    await show(page, 'handoff-code');
    await page.locator('button').first().focus();
    await show(page, 'handoff-face');
    expect(await page.evaluate(() => document.activeElement?.tagName)).toBe('H1');
  });

  it('announce the guidance in the one live region', async () => {
    const browser = await launchBrowser();
    const page = await gallery.open(browser);
    await show(page, 'capture-closer');
    const region = page.locator('[aria-live], [role=status], [role=alert]');
    await region.getByText('Come closer').waitFor();
    await show(page, 'capture-turn-left');
    await region.getByText('Movement 1 of 3').waitFor();
    expect(await region.count()).toBe(1);
    expect(await region.innerText()).toMatch(/^Turn your head to your left\s+Movement 1 of 3$/);
  });

  it('point to the left of the screen for the left of the mirror, in every direction of writing', async () => {
    const browser = await launchBrowser();
    const page = await gallery.open(browser, { viewport: PHONE });
    for (const language of ['en', 'ar']) {
      await show(page, 'capture-turn-left', language);
      const box = await page.locator('.sign').boundingBox();
      expect([language, box!.x + box!.width < PHONE.width / 2]).toEqual([language, true]);
      expect(await page.locator('video').evaluate((video) => getComputedStyle(video).scale)).toBe('-1 1');
    }
  });

  it('show a document as it is: not mirrored, and not turned round where one writes from the right', async () => {
    const browser = await launchBrowser();
    const page = await gallery.open(browser, { viewport: PHONE });
    for (const language of ['en', 'ar']) {
      await show(page, 'document-scan-passport', language);
      expect(await page.locator('video').evaluate((video) => getComputedStyle(video).scale)).toBe('none');
      await show(page, 'document-hold-passport', language);
      const drawing = page.locator('.side');
      expect(await drawing.evaluate((found) => getComputedStyle(found).scale)).toBe('none');
      expect(await drawing.boundingBox()).not.toBeNull();
    }
  });

  it('take a document’s kind, and a picture of it from the device, as often as the same one is chosen', async () => {
    const browser = await launchBrowser();
    const page = await gallery.open(browser, { viewport: PHONE });
    await show(page, 'document');
    await page.getByRole('button', { name: /^Passport/ }).press('Enter');
    await show(page, 'document-hold-passport');
    const control = page.getByLabel('Choose a photo instead');
    expect(await control.getAttribute('accept')).toBe('image/*');
    expect(await control.getAttribute('capture')).toBeNull();
    for (let i = 0; i < 2; i += 1)
      await control.setInputFiles({ name: 'photo.jpg', mimeType: 'image/jpeg', buffer: Buffer.from('12345') });
    await control.focus();
    await page.keyboard.press('Shift+Tab');
    await page.keyboard.press('Tab');
    const outline = (found: Element) => getComputedStyle(found).outlineStyle;
    expect(await page.locator('label.button').evaluate(outline)).toBe('solid');
    expect(await page.evaluate(() => window.gallery.called)).toEqual([
      'chooseDocument passport',
      'useDocumentFile 5',
      'useDocumentFile 5',
    ]);
  });

  it('announce what a document needs, and how many tries are left', async () => {
    const browser = await launchBrowser();
    const page = await gallery.open(browser);
    const region = page.locator('[role=status]');
    await show(page, 'document-scan-glare');
    await region.getByText('It reflects light').waitFor();
    await show(page, 'document-unreadable');
    await region.getByText('You have 1 more try.').waitFor();
  });

  it('say at the start all that leaves the device, a document’s facts where one is asked for or may be', async () => {
    const browser = await launchBrowser();
    const page = await gallery.open(browser);
    for (const [fixture, texts] of [
      ['welcome', [/^Your picture stays/, /^The site that asked gets the outcome/, /^You need a camera/]],
      [
        'welcome-step-up',
        [/^Your picture stays/, /^The site that asked gets the outcome/, /^If your face alone/, /^You need a camera/],
      ],
      [
        'welcome-document-only',
        [/^Pictures stay/, /gets: whether your age is enough, .* misuse\.$/, /a valid document/],
      ],
      [
        'welcome-document',
        [/^Pictures stay/, /gets: whether your age is enough, .* misuse\.$/, /also gets how well/, /a valid document/],
      ],
      ['welcome-document-age', [/^Pictures stay/, /gets: your age, .* misuse\.$/, /also gets how/, /a valid document/]],
    ] as const) {
      await show(page, fixture);
      const facts = await page.locator('.facts li').allInnerTexts();
      expect([fixture, facts]).toEqual([fixture, texts.map((text) => expect.stringMatching(text))]);
    }
  });

  it('offer to cancel where there is something to cancel', async () => {
    const browser = await launchBrowser();
    const page = await gallery.open(browser);
    const cancel = page.getByRole('button', { name: 'Cancel' });
    for (const [fixture, buttons] of [
      ['problem-models', 1],
      ['problem-alone', 0],
      ['working-sending', 0],
      ['working-offline', 1],
      ['working-cancelling', 0],
    ] as const) {
      await show(page, fixture);
      expect([fixture, await cancel.count()]).toEqual([fixture, buttons]);
    }
  });

  it('say that one is taken back only where that is so', async () => {
    const browser = await launchBrowser();
    const page = await gallery.open(browser);
    for (const [fixture, texts] of [
      ['end-redirect', 1],
      ['end-back', 0],
    ] as const) {
      await show(page, fixture);
      expect([fixture, await page.locator('.small').count()]).toEqual([fixture, texts]);
      expect(await page.locator('.buttons button').count()).toBe(1);
    }
  });

  it('copy the link to the phone and say so, or show it where the clipboard is closed', async () => {
    const browser = await launchBrowser();
    const page = await gallery.open(browser);
    await page.evaluate(() => {
      let isClosed = false;
      const writeText = async () => {
        if (isClosed) throw new Error('closed');
        isClosed = true;
      };
      Object.defineProperty(navigator, 'clipboard', { value: { writeText } });
    });
    await show(page, 'handoff-code');
    const button = page.locator('.buttons button').first();
    await button.click();
    await button.getByText('Copied').waitFor();
    await page.locator('[role=status]').getByText('Copied').waitFor();
    await button.click();
    await page.locator('.link').getByText('https://check.example/launch').waitFor();
  });
});

describe.skipIf(!chromiumPath)('the dialogs', () => {
  const gallery = useGallery();

  it.each([
    ['cancel', '.quiet'],
    ['privacy', 'footer button'],
  ])('%s keeps the focus in and gives it back', async (_name, opener) => {
    const browser = await launchBrowser();
    const page = await gallery.open(browser);
    const where = () => page.evaluate(() => document.activeElement?.closest('dialog, main, footer')?.tagName ?? 'BODY');
    await page.locator(opener).click();
    expect(await where()).toBe('DIALOG');
    for (const _ of [1, 2, 3, 4, 5]) {
      await page.keyboard.press('Tab');
      // Between its last and its first control the browser's own is one.
      expect(['DIALOG', 'BODY']).toContain(await where());
    }
    await page.keyboard.press('Escape');
    await page.locator('dialog[open]').waitFor({ state: 'detached' });
    expect(await page.locator(opener).evaluate((found) => found === document.activeElement)).toBe(true);
  });

  it('have the careful answer focused, and do what is confirmed', async () => {
    const browser = await launchBrowser();
    const page = await gallery.open(browser);
    await page.locator('.quiet').click();
    expect(await page.evaluate(() => document.activeElement?.textContent)).toBe('No, go on');
    await page.locator('dialog .secondary').click();
    expect(await page.evaluate(() => window.gallery.called)).toEqual(['confirmCancel']);
  });
});
