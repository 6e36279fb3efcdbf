// Waits until a service has loaded its lists, because nothing is screened before.
import { PATIENCE } from '@limen/testing/patience.ts';
import { vi } from 'vitest';
import type { TestApp } from './test-app.ts';

export async function untilReady({ http }: Pick<TestApp, 'http'>): Promise<void> {
  await vi.waitFor(async () => {
    const { statusCode, body } = await http.inject('/ready');
    if (statusCode !== 200) throw new Error(body);
  }, PATIENCE);
}
