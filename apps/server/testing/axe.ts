// axe on a page: what it finds against the rules of accessibility.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Page } from 'playwright-core';

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

interface LookedFor {
  runOnly: readonly string[] | { type: 'rule'; values: readonly string[] };
  rules?: Record<string, { enabled: boolean }>;
}

export const EVERYTHING = {
  runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'],
} satisfies LookedFor;
export const COLOURS = {
  runOnly: { type: 'rule', values: ['color-contrast', 'link-in-text-block'] },
} satisfies LookedFor;

/** Past the page's own policy: the page must have been opened with `bypassCSP`. Once per document: to read it takes half a second. */
export async function bringAxe(page: Page): Promise<void> {
  if (!(await page.evaluate("'axe' in globalThis"))) await page.addScriptTag({ content: AXE });
}

/** Each as the rule and the first element that breaks it. */
export function findFaults(page: Page, lookedFor: LookedFor): Promise<[string, string][]> {
  return page.evaluate(async (options) => {
    // biome-ignore lint/suspicious/noExplicitAny: axe is a global of the page
    const { axe } = globalThis as any;
    // There are no frames and no styles of other origins, which it would look for each time.
    const { violations } = await axe.run({ ...options, resultTypes: ['violations'], preload: false, iframes: false });
    return violations.map(({ id, nodes }: { id: string; nodes: { html: string }[] }) => [id, nodes[0]?.html]);
  }, lookedFor as LookedFor);
}
