// Runs axe on a page and returns its accessibility violations.
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
export const COLORS = {
  runOnly: { type: 'rule', values: ['color-contrast', 'link-in-text-block'] },
} satisfies LookedFor;

/** Injects axe once per document, because parsing it takes half a second. Requires `bypassCSP`. */
export async function bringAxe(page: Page): Promise<void> {
  if (!(await page.evaluate("'axe' in globalThis"))) await page.addScriptTag({ content: AXE });
}

/** Returns each violated rule with the first element that violates it. */
export function findFaults(page: Page, lookedFor: LookedFor): Promise<[string, string][]> {
  return page.evaluate(async (options) => {
    // biome-ignore lint/suspicious/noExplicitAny: axe is a global of the page
    const { axe } = globalThis as any;
    // Skips the search for frames and foreign styles, because there are none.
    const { violations } = await axe.run({ ...options, resultTypes: ['violations'], preload: false, iframes: false });
    return violations.map(({ id, nodes }: { id: string; nodes: { html: string }[] }) => [id, nodes[0]?.html]);
  }, lookedFor as LookedFor);
}
