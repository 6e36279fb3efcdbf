// Checks every screen with axe, in light and dark, and the size of touch targets.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { onlyWhenLong } from '@limen/testing/rounds.ts';
import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { chromiumPath } from '../../../server/testing/browser.ts';
import { FIXTURES } from '../../testing/gallery/fixtures.ts';
import type {} from '../../testing/gallery/main.tsx';
import { chooseColored, chooseFixtures, chooseKinds, PHONE, useGallery } from '../../testing/gallery/open-gallery.ts';
import { LANGUAGES } from '../i18n/index.ts';

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const SPOKEN = onlyWhenLong(
  LANGUAGES.map(({ tag }) => tag),
  ['en'],
);
/** Colors do not depend on the language. */
const COLORED = onlyWhenLong(['en', 'ar'], ['en']).flatMap((tag) => [[tag, 'light'] as const, [tag, 'dark'] as const]);

interface RunOnly {
  type: 'tag' | 'rule';
  values: string[];
}

const EVERYTHING: RunOnly = {
  type: 'tag',
  values: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'],
};
type Rules = Record<string, { enabled: boolean }>;
const NO_COLORS: Rules = { 'color-contrast': { enabled: false }, 'link-in-text-block': { enabled: false } };
const COLORS: RunOnly = { type: 'rule', values: ['color-contrast', 'link-in-text-block'] };

interface Axe {
  run(options: {
    runOnly: RunOnly;
    rules?: Rules;
    resultTypes: string[];
    preload: boolean;
    iframes: boolean;
  }): Promise<{ violations: { id: string; nodes: { html: string }[] }[] }>;
}

/** Runs on the page, so it must be self-contained. */
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
    // The page has no frames and no cross-origin styles, which axe would look for each time.
    const { violations } = await axe.run({ ...options, resultTypes: ['violations'], preload: false, iframes: false });
    for (const { id, nodes } of violations) found.push(`${fixture}: ${id}: ${nodes[0]?.html}`);
  }
  return found;
}

/** Keeps the first fixture of each screen, by the prefix of its name. */
function onePerScreen(fixtures: readonly string[]): string[] {
  const first = new Map(fixtures.toReversed().map((fixture) => [fixture.split('-')[0], fixture]));
  return [...first.values()];
}

/**
 * English covers all fixtures. Other languages only change words, so the long run checks one
 * fixture per screen. Color checks are the slowest and have their own test.
 */
async function chooseSeen(page: Page, tag: string): Promise<string[]> {
  if (tag === 'en') return chooseFixtures(page);
  const kinds = await chooseKinds(page);
  return onlyWhenLong(kinds, onePerScreen(kinds));
}

describe.skipIf(!chromiumPath)('the screens', () => {
  const gallery = useGallery();

  it.each(SPOKEN)('have no accessibility fault in %s', async (tag) => {
    // The driver injects axe, bypassing the page's policy.
    const page = await gallery.open({ viewport: PHONE, colorScheme: 'light', bypassCSP: true });
    await page.addScriptTag({ content: AXE });
    const fixtures = await chooseSeen(page, tag);
    const how = { language: tag, runOnly: EVERYTHING, rules: NO_COLORS, fixtures };
    expect(await page.evaluate(runAxe, how)).toEqual([]);
  });

  it.each(COLORED)('have no fault of color in %s in the %s', async (tag, colorScheme) => {
    const page = await gallery.open({ viewport: PHONE, colorScheme, bypassCSP: true });
    await page.addScriptTag({ content: AXE });
    const fixtures = await chooseColored(page);
    expect(await page.evaluate(runAxe, { language: tag, runOnly: COLORS, fixtures })).toEqual([]);
  });

  it('fail the check if they have a fault', async () => {
    const page = await gallery.open({ viewport: PHONE, bypassCSP: true });
    await page.addScriptTag({ content: AXE });
    await page.addStyleTag({ content: ':root { --quiet: #bbb }' });
    const fixtures = [...FIXTURES.keys()].filter((fixture) => fixture.startsWith('welcome')).slice(0, 6);
    const faults = await page.evaluate(runAxe, { language: 'en', runOnly: COLORS, fixtures });
    expect(faults.length).toBeGreaterThan(4);
  });

  it('are large enough to touch', async () => {
    const page = await gallery.open({ viewport: { width: 320, height: 568 } });
    const measured = await page.evaluate(async () => {
      const found: [fixture: string, height: number][] = [];
      for (const fixture of window.gallery.fixtures) {
        await window.gallery.show(fixture, 'en');
        const controls = document.querySelectorAll(
          'button, a.button, label.button, label.option, input:not([type=file], [type=checkbox], [type=radio])',
        );
        const shown = [...controls].filter((control) => control.checkVisibility());
        for (const control of shown) found.push([fixture, control.getBoundingClientRect().height]);
      }
      return found;
    });
    expect(measured.length).toBeGreaterThan(FIXTURES.size);
    expect(measured.filter(([, height]) => height < 44)).toEqual([]);
  });
});
