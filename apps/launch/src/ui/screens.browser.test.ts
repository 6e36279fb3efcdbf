// Every screen in a real browser: nothing for axe to find, everything by keyboard, the focus where a person expects it.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { IS_LONG, onlyWhenLong } from '@limen/testing/rounds.ts';
import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { chromiumPath } from '../../../server/testing/browser.ts';
import { FIXTURES } from '../../testing/gallery/fixtures.ts';
import type {} from '../../testing/gallery/main.tsx';
import { useGallery } from '../../testing/gallery/open-gallery.ts';
import { LANGUAGES } from '../i18n/index.ts';

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const SPOKEN = onlyWhenLong(
  LANGUAGES.map(({ tag }) => tag),
  ['en', 'ar'],
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
type Rules = Record<string, { enabled: boolean }>;
const NO_COLOURS: Rules = { 'color-contrast': { enabled: false } };
const COLOURS: RunOnly = { type: 'rule', values: ['color-contrast', 'link-in-text-block'] };

interface Axe {
  run(options: {
    runOnly: RunOnly;
    rules?: Rules;
    resultTypes: string[];
    preload: boolean;
    iframes: boolean;
  }): Promise<{ violations: { id: string; nodes: { html: string }[] }[] }>;
}

/** Runs on the page, so it holds all that it needs. */
async function runAxe(how: {
  fixtures: readonly string[];
  language: string;
  runOnly: RunOnly;
  rules?: Rules;
}): Promise<string[]> {
  const { fixtures, language, ...options } = how;
  const { axe } = globalThis as unknown as { axe: Axe };
  const found: string[] = [];
  for (const fixture of fixtures) {
    await window.gallery.show(fixture, language);
    // There are no frames and no styles of other origins, which it would look for each time.
    const { violations } = await axe.run({ ...options, resultTypes: ['violations'], preload: false, iframes: false });
    for (const { id, nodes } of violations) found.push(`${fixture}: ${id}: ${nodes[0]?.html}`);
  }
  return found;
}

/** On the page: what gets the focus, one after the other. What is typed or chosen into has its words in a label. */
const NOTE_FOCUS = `{
  globalThis.reached = [];
  addEventListener('focusin', ({ target }) => reached.push((target.labels?.[0] ?? target).textContent));
}`;

async function show(page: Page, fixture: string, language = 'en'): Promise<void> {
  await page.evaluate(([name, tag]) => window.gallery.show(name!, tag!), [fixture, language]);
  await page.evaluate(() => window.gallery.settle());
}

const gallery = useGallery();
let kinds: string[] | undefined;

/** The long run looks at every screen, the short one at those that differ in more than words. */
async function chooseFixtures(page: Page): Promise<string[]> {
  if (IS_LONG) return [...FIXTURES.keys()];
  kinds ??= await page.evaluate(() => window.gallery.findKinds());
  return kinds;
}

/** The first of each, by the beginnings of their names. */
function onePerScreen(fixtures: readonly string[]): string[] {
  const first = new Map(fixtures.toReversed().map((fixture) => [fixture.split('-')[0], fixture]));
  return [...first.values()];
}

describe.skipIf(!chromiumPath)('the screens', () => {
  it.each(SPOKEN)('have no accessibility fault in %s', async (tag) => {
    // axe is put in by the driver, past the page's own policy.
    const page = await gallery.open({ viewport: PHONE, colorScheme: 'light', bypassCSP: true });
    await page.addScriptTag({ content: AXE });
    const fixtures = await chooseFixtures(page);
    // In the long run every language has them all.
    const fewer = IS_LONG || tag === 'en' ? { fixtures } : { fixtures: onePerScreen(fixtures), rules: NO_COLOURS };
    expect(await page.evaluate(runAxe, { language: tag, runOnly: EVERYTHING, ...fewer })).toEqual([]);
  });

  it.each(SEEN_IN_THE_DARK)('have no fault of colour in %s in the dark', async (tag) => {
    const page = await gallery.open({ viewport: PHONE, colorScheme: 'dark', bypassCSP: true });
    await page.addScriptTag({ content: AXE });
    const fixtures = await chooseFixtures(page);
    // Only the colours are others.
    expect(await page.evaluate(runAxe, { language: tag, runOnly: COLOURS, fixtures })).toEqual([]);
  });

  it('would be caught with a fault', async () => {
    const page = await gallery.open({ viewport: PHONE, bypassCSP: true });
    await page.addScriptTag({ content: AXE });
    await page.addStyleTag({ content: ':root { --quiet: #bbb }' });
    const fixtures = [...FIXTURES.keys()].filter((fixture) => fixture.startsWith('welcome')).slice(0, 6);
    const faults = await page.evaluate(runAxe, { language: 'en', runOnly: COLOURS, fixtures });
    expect(faults.length).toBeGreaterThan(4);
  });

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

  it('give every control to the keyboard, in the order of the page', async () => {
    const page = await gallery.open({ viewport: PHONE });
    await page.evaluate(NOTE_FOCUS);
    for (const fixture of await chooseFixtures(page)) {
      if (FIXTURES.get(fixture)!.dialog) continue;
      await show(page, fixture);
      const controls = await page
        .locator('a:visible, button:visible, label:visible')
        .evaluateAll((all) => all.map((one) => one.textContent));
      await page.evaluate('reached.length = 0; document.activeElement.blur(); document.querySelector(".skip").focus()');
      for (const _ of controls.slice(1)) await page.keyboard.press('Tab');
      const reached = await page.evaluate('reached');
      expect([fixture, reached]).toEqual([fixture, controls]);
    }
  });

  it('show where the focus is', async () => {
    const page = await gallery.open({ viewport: PHONE });
    for (const button of await page.locator('button').all()) {
      await page.keyboard.press('Tab');
      await button.focus();
      expect(await button.evaluate((found) => getComputedStyle(found).outlineStyle)).toBe('solid');
    }
  });

  it('are large enough to touch', async () => {
    const page = await gallery.open({ viewport: { width: 320, height: 568 } });
    const measured = await page.evaluate(async () => {
      const found: [fixture: string, height: number][] = [];
      for (const fixture of window.gallery.fixtures) {
        await window.gallery.show(fixture, 'en');
        const controls = document.querySelectorAll('button, label.button, input:not([type=file])');
        const shown = [...controls].filter((one) => one.checkVisibility());
        for (const one of shown) found.push([fixture, one.getBoundingClientRect().height]);
      }
      return found;
    });
    expect(measured.length).toBeGreaterThan(FIXTURES.size);
    expect(measured.filter(([, height]) => height < 44)).toEqual([]);
  });

  it('move the focus to the heading when another one comes, and not when the same one changes', async () => {
    const page = await gallery.open();
    const focused = () => page.evaluate(() => document.activeElement?.tagName);
    expect(await focused()).toBe('BODY');
    await show(page, 'permission-explain');
    await expect.poll(focused).toBe('H1');
    await page.keyboard.press('Tab');
    await show(page, 'permission-asking');
    expect(await focused()).toBe('BUTTON');
  });

  it('offer a photo where there is no camera and a file will do, and count no tries for one that is none', async () => {
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
    await show(page, 'document-unreadable');
    expect(await page.getByText('1 more try').count()).toBe(1);
    await show(page, 'document-unusable-file');
    expect(await page.getByText(/more tr(y|ies)/).count()).toBe(0);
  });

  it('find the heading again when the focused control has gone', async () => {
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

  it('point to the left of the screen for the left of the mirror, in every direction of writing', async () => {
    const page = await gallery.open({ viewport: PHONE });
    for (const language of ['en', 'ar']) {
      await show(page, 'capture-turn-left', language);
      const box = await page.locator('.sign').boundingBox();
      expect([language, box!.x + box!.width < PHONE.width / 2]).toEqual([language, true]);
      expect(await page.locator('video').evaluate((video) => getComputedStyle(video).scale)).toBe('-1 1');
    }
  });

  it('show a document as it is: not mirrored, and not turned round where one writes from the right', async () => {
    const page = await gallery.open({ viewport: PHONE });
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
    const page = await gallery.open({ viewport: PHONE });
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
    const page = await gallery.open();
    const region = page.locator('[role=status]');
    await show(page, 'document-scan-glare');
    await region.getByText('It reflects light').waitFor();
    await show(page, 'document-unreadable');
    await region.getByText('You have 1 more try.').waitFor();
  });

  it('say at the start all that leaves the device, a document’s facts where one is asked for or may be', async () => {
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

  it('say at the start what is kept of a face, and first of all whether a photo is shared', async () => {
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

  it('call the page by what the session is for', async () => {
    const page = await gallery.open();
    for (const [fixture, head, title] of [
      ['welcome', 'Age check', 'Age check: A quick age check'],
      ['welcome-enrol', 'Face sign-in setup', 'Face sign-in setup · Set up sign-in with your face'],
      ['not-recognized', 'Face sign-in', 'Face sign-in · We did not recognise you'],
    ] as const) {
      await show(page, fixture);
      expect([await page.locator('.head').innerText(), await page.title()]).toEqual([head, title]);
    }
  });

  it('take contact details with the keyboard alone, and say what is wrong beside the field and to its reader', async () => {
    const page = await gallery.open({ viewport: PHONE });
    await show(page, 'contact');
    const email = page.getByRole('textbox', { name: 'Email address' });
    const phone = page.getByRole('textbox', { name: 'Phone number' });
    await email.focus();
    await page.keyboard.type('name@example.org');
    await page.keyboard.press('Tab');
    await page.keyboard.type('12');
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Skip this' }).press('Enter');
    expect(await page.evaluate(() => window.gallery.called)).toEqual([
      'giveContact {"email":"name@example.org","phone":"12"}',
      'giveContact {}',
    ]);
    expect([await email.getAttribute('autocomplete'), await phone.getAttribute('autocomplete')]).toEqual([
      'email',
      'tel',
    ]);
    await show(page, 'contact-faults');
    expect(await email.evaluate((field) => field === document.activeElement)).toBe(true);
    // What was typed is still there.
    expect(await email.inputValue()).toBe('name@example.org');
    for (const [field, error] of [
      [email, /^This is not an email address/],
      [phone, /^This is not a phone number/],
    ] as const) {
      expect(await field.getAttribute('aria-invalid')).toBe('true');
      const note = await field.getAttribute('aria-describedby');
      expect(await page.locator(`[id="${note}"]`).innerText()).toMatch(error);
    }
  });

  it('take the number of the other device, or none, once, and ask for it in words', async () => {
    const page = await gallery.open({ viewport: PHONE });
    await show(page, 'take-over');
    const numbers = page.getByRole('group', { name: 'Which number does that device show?' }).getByRole('button');
    expect(await numbers.allInnerTexts()).toEqual(['17', '42', '83']);
    await numbers.nth(1).press('Enter');
    await page.getByRole('button', { name: 'None of these' }).press('Enter');
    await show(page, 'take-over-unknown');
    await numbers.first().press('Enter');
    expect(await page.evaluate(() => window.gallery.called)).toEqual(['chooseNumber 42', 'chooseNumber null']);
    expect(await page.locator('dd').first().innerText()).toContain('Unknown device');
  });

  it('take the code of the phone as one-time codes are taken, and say what is wrong with it', async () => {
    const page = await gallery.open({ viewport: PHONE });
    await show(page, 'return-code');
    const field = page.getByRole('textbox', { name: 'Code on your phone' });
    const has = (name: string) => field.getAttribute(name);
    expect([await has('autocomplete'), await has('inputmode'), await has('aria-invalid')]).toEqual([
      ...['one-time-code', 'numeric', null],
    ]);
    await field.focus();
    await page.keyboard.type('271 829');
    await page.keyboard.press('Enter');
    await show(page, 'return-code-checking');
    await field.press('Enter');
    expect(await page.evaluate(() => window.gallery.called)).toEqual(['giveReturnCode 271 829']);
    await show(page, 'return-code-wrong');
    expect(await field.evaluate((found) => found === document.activeElement)).toBe(true);
    expect([await field.inputValue(), await has('aria-invalid')]).toEqual(['', 'true']);
    const note = page.locator(`[id="${await has('aria-describedby')}"]`);
    expect(await note.innerText()).toBe('This is not the code. You have 2 more tries.');
    await page.locator('[role=status]').getByText('You have 2 more tries.').waitFor();
  });

  it('offer no other device where the host wants none', async () => {
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

  it('announce how long to wait, and that it is over', async () => {
    const page = await gallery.open();
    const region = page.locator('[role=status]');
    await show(page, 'wait');
    await region.getByText('You can try again in 4 minutes.').waitFor();
    expect(await page.getByRole('button', { name: 'Try again' }).count()).toBe(0);
    await show(page, 'wait-over');
    await region.getByText('You can try again now.').waitFor();
    expect(await page.getByRole('button', { name: 'Try again' }).count()).toBe(1);
  });

  it('offer to cancel where there is something to cancel', async () => {
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

  it('say that one is taken back only where that is so', async () => {
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

  it('copy the link to the phone and say so, or show it where the clipboard is closed', async () => {
    const page = await gallery.open();
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
  it.each([
    ['cancel', '.quiet'],
    ['privacy', 'footer button'],
  ])('%s keeps the focus in and gives it back', async (_name, opener) => {
    const page = await gallery.open();
    const where = () => page.evaluate(() => document.activeElement?.closest('dialog, main, footer')?.tagName ?? 'BODY');
    await page.locator(opener).click();
    await expect.poll(where).toBe('DIALOG');
    for (const _ of [1, 2, 3, 4, 5]) {
      await page.keyboard.press('Tab');
      // Between its last and its first control the browser's own is one.
      expect(['DIALOG', 'BODY']).toContain(await where());
    }
    await page.keyboard.press('Escape');
    await page.locator('dialog[open]').waitFor({ state: 'detached' });
    await expect.poll(() => page.locator(opener).evaluate((found) => found === document.activeElement)).toBe(true);
  });

  it('ask before what is kept here is forgotten', async () => {
    const page = await gallery.open();
    await show(page, 'welcome-sign-in-known');
    await page.getByRole('button', { name: 'Forget me on this device' }).click();
    expect(await page.evaluate(() => document.activeElement?.textContent)).toBe('No, keep it');
    await page.locator('dialog .secondary').click();
    expect(await page.evaluate(() => window.gallery.called)).toEqual(['confirmForget']);
  });

  it('have the careful answer focused, and do what is confirmed', async () => {
    const page = await gallery.open();
    await page.locator('.quiet').click();
    await expect.poll(() => page.evaluate(() => document.activeElement?.textContent)).toBe('No, go on');
    await page.locator('dialog .secondary').click();
    await expect.poll(() => page.evaluate(() => window.gallery.called)).toEqual(['confirmCancel']);
  });
});
