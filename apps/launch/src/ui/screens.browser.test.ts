// Screens in a real browser: focus, announcements, offers and dialogs.
import { onlyWhenLong } from '@limen/testing/rounds.ts';
import { describe, expect, it } from 'vitest';
import { chromiumPath } from '../../../server/testing/browser.ts';
import { chooseFixtures, show, useGallery } from '../../testing/gallery/open-gallery.ts';

const gallery = useGallery();

describe.skipIf(!chromiumPath)('the screens', () => {
  it('keep to a policy without inline styles or scripts, in a document with language, direction and title', async () => {
    const complaints: string[] = [];
    const page = await gallery.open();
    page.on('console', (message) => complaints.push(message.text()));
    page.on('pageerror', (error) => complaints.push(error.message));
    const settled = await chooseFixtures(page);
    await page.evaluate(async (patient) => {
      for (const fixture of window.gallery.fixtures) {
        await window.gallery.show(fixture, 'en');
        if (patient.includes(fixture)) await window.gallery.settle();
      }
    }, settled);
    await show(page, 'end-done', 'ar');
    expect(complaints).toEqual([]);
    const found = await page.evaluate(() => {
      const { lang, dir } = document.documentElement;
      return { lang, dir, title: document.title };
    });
    const heading = await page.locator('h1').innerText();
    expect(found).toEqual({ lang: 'ar', dir: 'rtl', title: expect.stringContaining(heading) });
  });

  it('move the focus to the heading when the screen changes, but not when its state changes', async () => {
    const page = await gallery.open();
    const focused = () => page.evaluate(() => document.activeElement?.tagName);
    expect(await focused()).toBe('BODY');
    await show(page, 'permission-explain');
    await expect.poll(focused).toBe('H1');
    await page.keyboard.press('Tab');
    await show(page, 'permission-asking');
    expect(await focused()).toBe('BUTTON');
  });

  it('start at the top, wherever the previous screen was scrolled to', async () => {
    const page = await gallery.open({ viewport: { width: 320, height: 400 } });
    await show(page, 'welcome-document');
    const scrolled = () => page.evaluate(() => scrollY);
    await page.evaluate(() => scrollTo(0, document.body.scrollHeight));
    expect(await scrolled()).toBeGreaterThan(0);
    await show(page, 'permission-explain');
    await page.evaluate(() => window.gallery.settle());
    expect(await scrolled()).toBe(0);
  });

  it('offer a file if there is no camera, and count no try for a file that is no picture', async () => {
    const page = await gallery.open();
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
    const tries = page.locator('main').getByText(/more tr(y|ies)/); // announcements appear and disappear on their own schedule
    await show(page, 'document-unreadable');
    expect(await tries.allInnerTexts()).toEqual([expect.stringContaining('1 more try')]);
    await show(page, 'document-unusable-file');
    expect(await tries.count()).toBe(0);
  });

  it.each([
    ['capture-colours', { width: 320, height: 568 }],
    ['document-scan-colours', { width: 1280, height: 800 }],
    ...onlyWhenLong<[string, { width: number; height: number }][]>(
      [
        ['capture-colours', { width: 390, height: 844 }],
        ['capture-colours', { width: 844, height: 390 }],
        ['capture-colours', { width: 1280, height: 800 }],
      ],
      [],
    ),
  ])('show the button that stops the colors prominently, and accept Escape: %s, %o', async (fixture, viewport) => {
    const page = await gallery.open({ viewport });
    await show(page, fixture);
    const stop = page.getByRole('button', { name: 'Stop the colors' });
    const [box, cancel] = [await stop.boundingBox(), await page.getByRole('button', { name: 'Cancel' }).boundingBox()];
    expect(box!.height).toBeGreaterThanOrEqual(64);
    expect(box!.width).toBeGreaterThanOrEqual(Math.min(250, viewport.width * 0.7));
    expect(box!.y).toBeGreaterThanOrEqual(0);
    expect(cancel!.y).toBeGreaterThanOrEqual(box!.y + box!.height + 16);
    expect(cancel!.y + cancel!.height).toBeLessThanOrEqual(viewport.height);
    await page.keyboard.press('Escape');
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    expect(await page.evaluate(() => window.gallery.called)).toEqual(['stopColours', 'stopColours']);
  });

  it('ignore Escape if no colors are shown', async () => {
    const page = await gallery.open();
    await show(page, 'capture-colours');
    await show(page, 'capture-turn-left');
    await page.keyboard.press('Escape');
    expect(await page.evaluate(() => window.gallery.called)).toEqual([]);
  });

  it('describe the option to leave out the colors with its fact', async () => {
    const page = await gallery.open();
    await show(page, 'welcome-colours-needed');
    const id = await page.getByRole('checkbox').getAttribute('aria-describedby');
    expect(await page.locator(`#${id}`).innerText()).toMatch(/colors/i);
  });

  it('focus the heading when the focused control was removed', async () => {
    const page = await gallery.open();
    await show(page, 'handoff-code');
    await page.locator('button').first().focus();
    await show(page, 'handoff-face');
    await expect.poll(() => page.evaluate(() => document.activeElement?.tagName)).toBe('H1');
  });

  it('announce the guidance in the one live region', async () => {
    const page = await gallery.open();
    await show(page, 'capture-closer');
    const region = page.locator('[aria-live], [role=status], [role=alert]');
    await region.getByText('Come closer').waitFor();
    await show(page, 'capture-turn-left');
    await region.getByText('Movement 1 of 3').waitFor();
    expect(await region.count()).toBe(1);
    expect(await region.innerText()).toMatch(/^Turn your head to your left\s+Movement 1 of 3$/);
  });

  it('announce the document’s advice and the remaining tries', async () => {
    const page = await gallery.open();
    const region = page.locator('[role=status]');
    await show(page, 'document-scan-glare');
    await region.getByText('It reflects light').waitFor();
    await show(page, 'document-unreadable');
    await region.getByText('You have 1 more try.').waitFor();
  });

  it('list at the start all data that leaves the device, including a document’s if one may be needed', async () => {
    const page = await gallery.open();
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

  it('list at the start what is kept of a face, starting with a shared selfie', async () => {
    const page = await gallery.open();
    for (const [fixture, texts] of [
      ['welcome-enrol', [/^Your picture stays/, /can compare but not read/, /a random number/, /^You need a camera/]],
      [
        'welcome-enrol-all',
        [
          ...[/^One photo of your face is sent/, /^Pictures of your document stay/, /can compare but not read/],
          ...[/your estimated age/, /also gets the kind/, /how you can be reached/, /a passkey/, /a valid document/],
        ],
      ],
      [
        'welcome-sign-in-known',
        [/^Your picture stays/, /cannot read/, /you can delete/, /a random number/, /your passkey/, /^You need/],
      ],
    ] as const) {
      await show(page, fixture);
      const facts = await page.locator('.facts li').allInnerTexts();
      expect([fixture, facts]).toEqual([fixture, texts.map((text) => expect.stringMatching(text))]);
    }
    await show(page, 'person-permission-selfie');
    expect(await page.locator('.facts li').last().innerText()).toMatch(/^One photo of your face is sent/);
  });

  it('title the page by the operation', async () => {
    const page = await gallery.open();
    for (const [fixture, head, title] of [
      ['welcome', 'Age check', 'Age check: A quick age check'],
      ['welcome-enrol', 'Face sign-in setup', 'Face sign-in setup · Set up sign-in with your face'],
      ['not-recognized', 'Face sign-in', 'Face sign-in · We did not recognize you'],
    ] as const) {
      await show(page, fixture);
      expect([await page.locator('.head').innerText(), await page.title()]).toEqual([head, title]);
    }
  });

  it('lead back to a listening host, with or without a redirect URL', async () => {
    const page = await gallery.open();
    for (const [fixture, buttons, text] of [
      ['end-done', 0, 'You can close this page.'],
      ['end-in-host', 1, 'You are being taken back…'],
      ['end-redirect', 1, 'You are being taken back…'],
    ] as const) {
      await show(page, fixture);
      expect([fixture, await page.getByRole('button', { name: 'Back to the site' }).count()]).toEqual([
        fixture,
        buttons,
      ]);
      expect(await page.locator('.small').allInnerTexts()).toEqual([text]);
    }
  });

  it('offer no other device if the host does not allow it', async () => {
    const page = await gallery.open();
    for (const [fixture, buttons] of [
      ['permission-refused', 1],
      ['permission-stays-here', 0],
      ['welcome', 1],
      ['welcome-phone-link', 0],
    ] as const) {
      await show(page, fixture);
      expect([fixture, await page.getByRole('button', { name: 'Use another device' }).count()]).toEqual([
        ...[fixture, buttons],
      ]);
    }
    expect(await page.getByRole('button', { name: 'Continue' }).count()).toBe(0);
  });

  it('announce the wait and its end', async () => {
    const page = await gallery.open();
    const region = page.locator('[role=status]');
    await show(page, 'wait');
    await region.getByText('You can try again in 4 minutes.').waitFor();
    expect(await page.getByRole('button', { name: 'Try again' }).count()).toBe(0);
    await show(page, 'wait-over');
    await region.getByText('You can try again now.').waitFor();
    expect(await page.getByRole('button', { name: 'Try again' }).count()).toBe(1);
  });

  it('offer to cancel if there is something to cancel', async () => {
    const page = await gallery.open();
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

  it('mention the automatic redirect only if there is one', async () => {
    const page = await gallery.open();
    for (const [fixture, texts] of [
      ['end-redirect', 1],
      ['end-back', 0],
    ] as const) {
      await show(page, fixture);
      expect([fixture, await page.locator('.small').count()]).toEqual([fixture, texts]);
      expect(await page.locator('.buttons button').count()).toBe(1);
    }
  });

  it.each([['handoff-code', 'https://check.example/launch'], ...onlyWhenLong([['wallet-link', 'av://?']], [])] as [
    string,
    string,
  ][])('copy the link of %s and confirm it, or show it if the clipboard is blocked', async (fixture, link) => {
    const page = await gallery.open();
    await page.evaluate(() => {
      let isClosed = false;
      const writeText = async () => {
        if (isClosed) throw new Error('closed');
        isClosed = true;
      };
      Object.defineProperty(navigator, 'clipboard', { value: { writeText } });
    });
    await show(page, fixture);
    const button = page.locator('.buttons button').first();
    await button.click();
    await button.getByText('Copied').waitFor();
    await page.locator('[role=status]').getByText('Copied').waitFor();
    await button.click();
    await page.locator('.link').getByText(link).waitFor();
  });
});

describe.skipIf(!chromiumPath)('the dialogs', () => {
  it.each([
    ['cancel', '.quiet'],
    ['privacy', 'footer button'],
  ])('%s traps the focus and restores it', async (_name, opener) => {
    const page = await gallery.open();
    const where = () => page.evaluate(() => document.activeElement?.closest('dialog, main, footer')?.tagName ?? 'BODY');
    await page.locator(opener).click();
    await expect.poll(where).toBe('DIALOG');
    for (const _ of [1, 2, 3, 4, 5]) {
      await page.keyboard.press('Tab');
      // The browser's own controls are between the last and the first control.
      expect(['DIALOG', 'BODY']).toContain(await where());
    }
    await page.keyboard.press('Escape');
    await page.locator('dialog[open]').waitFor({ state: 'detached' });
    await expect.poll(() => page.locator(opener).evaluate((found) => found === document.activeElement)).toBe(true);
  });

  it('ask before they forget stored data', async () => {
    const page = await gallery.open();
    await show(page, 'welcome-sign-in-known');
    await page.getByRole('button', { name: 'Forget me on this device' }).click();
    expect(await page.evaluate(() => document.activeElement?.textContent)).toBe('No, keep it');
    await page.locator('dialog .secondary').click();
    expect(await page.evaluate(() => window.gallery.called)).toEqual(['confirmForget']);
  });

  it('focus the safe answer, and run the confirmed action', async () => {
    const page = await gallery.open();
    await page.locator('.quiet').click();
    await expect.poll(() => page.evaluate(() => document.activeElement?.textContent)).toBe('No, go on');
    await page.locator('dialog .secondary').click();
    await expect.poll(() => page.evaluate(() => window.gallery.called)).toEqual(['confirmCancel']);
  });
});
