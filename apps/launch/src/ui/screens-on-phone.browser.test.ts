// Every screen on a phone: keyboard access, input, and the direction of drawings.
import { IS_LONG } from '@limen/testing/rounds.ts';
import { describe, expect, it } from 'vitest';
import { chromiumPath } from '../../../server/testing/browser.ts';
import { FIXTURES } from '../../testing/gallery/fixtures.ts';
import { chooseFixtures, PHONE, show, useGallery } from '../../testing/gallery/open-gallery.ts';

/** Runs on the page: records each focused control. Inputs are recorded by their label. */
const NOTE_FOCUS = `{
  globalThis.reached = [];
  addEventListener('focusin', ({ target }) => reached.push((target.labels?.[0] ?? target).textContent));
}`;

describe.skipIf(!chromiumPath)('the screens', () => {
  const gallery = useGallery();

  it('make every control reachable by keyboard, in the order of the page', async () => {
    const page = await gallery.open({ viewport: PHONE });
    await page.evaluate(NOTE_FOCUS);
    // The short run takes every third fixture, because key presses are slow.
    const chosen = (await chooseFixtures(page)).filter((_, nth) => IS_LONG || nth % 3 === 0);
    for (const fixture of chosen) {
      if (FIXTURES.get(fixture)!.dialog) continue;
      await show(page, fixture);
      // Tab reaches the selected radio button; arrow keys lead to the others.
      const controls = await page
        .locator('a:visible, button:visible, label:visible')
        .evaluateAll((elements) =>
          elements
            .filter((element) => !element.querySelector('[type=radio]:not(:checked)'))
            .map((element) => element.textContent),
        );
      await page.evaluate('reached.length = 0; document.activeElement.blur(); document.querySelector(".skip").focus()');
      for (const _ of controls.slice(1)) await page.keyboard.press('Tab');
      const reached = await page.evaluate('reached');
      expect([fixture, reached]).toEqual([fixture, controls]);
    }
  });

  it('show the focus', async () => {
    const page = await gallery.open({ viewport: PHONE });
    for (const button of await page.locator('button').all()) {
      await page.keyboard.press('Tab');
      await button.focus();
      expect(await button.evaluate((found) => getComputedStyle(found).outlineStyle)).toBe('solid');
    }
  });

  it('point to the left of the screen for the left of the mirror, in every writing direction', async () => {
    const page = await gallery.open({ viewport: PHONE });
    for (const language of ['en', 'ar']) {
      await show(page, 'capture-turn-left', language);
      const box = await page.locator('.sign').boundingBox();
      expect([language, box!.x + box!.width < PHONE.width / 2]).toEqual([language, true]);
      expect(await page.locator('video').evaluate((video) => getComputedStyle(video).scale)).toBe('-1 1');
    }
  });

  it('never mirror a document, not even in right-to-left languages', async () => {
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

  it('accept a document type and a file, even if the same file is chosen again', async () => {
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

  it('accept contact details by keyboard, and show faults next to the field and to screen readers', async () => {
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
    // The input was kept.
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

  it('accept the number of the other device, or none, once, with a label', async () => {
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

  it('accept the phone’s code as a one-time code, and show faults', async () => {
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
});
