// What people do in a journey and what everybody sees of it, in one line each.
import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import type { Journey } from './journey.ts';

/** Longer than anything takes on a machine that is busy with other tests. */
export const PATIENCE_MS = 50_000;

export async function press(page: Page, name: string): Promise<void> {
  await page.getByRole('button', { name, exact: true }).click({ timeout: PATIENCE_MS });
}

export async function waitForHeading(page: Page, name: string): Promise<void> {
  await page.getByRole('heading', { level: 1, name, exact: true }).waitFor({ timeout: PATIENCE_MS });
}

export async function waitForText(page: Page, text: string): Promise<void> {
  await page.locator('main').getByText(text).first().waitFor({ timeout: PATIENCE_MS });
}

/** Any of the plan's movements is asked for. */
export async function waitForChallenge(page: Page): Promise<void> {
  const names = ['turnLeft', 'turnRight', 'lookUp', 'blink'];
  const asked = names.map((name) => `[data-prompt="challenge.${name}"]`).join();
  await page.locator(asked).waitFor({ state: 'attached', timeout: PATIENCE_MS });
}

export async function cancelCheck(page: Page, button = 'Cancel'): Promise<void> {
  await press(page, button);
  await press(page, 'Yes, cancel');
}

/** As the host sees it, by its own look and by the one webhook. */
export async function expectOutcome(
  { result, webhooks }: Pick<Journey, 'result' | 'webhooks'>,
  flowStatus: 'CANCELLED' | 'EXPIRED' | 'COMPLETED',
  codes: readonly number[],
): Promise<void> {
  await expect.poll(() => webhooks.length, { timeout: PATIENCE_MS }).toBe(1);
  const seen = await result();
  expect(seen).toMatchObject({ sessionStatus: 'AGE_UNKNOWN', flowStatus });
  expect(codesOf(seen)).toEqual(codes);
  expect(seen).not.toHaveProperty('result');
  expect(webhooks[0]?.body).toMatchObject({ sessionId: seen['sessionId'], flowStatus, errors: seen['errors'] });
}

export function codesOf(result: Record<string, unknown>): number[] {
  return (result['errors'] as { code: number }[]).map(({ code }) => code);
}
