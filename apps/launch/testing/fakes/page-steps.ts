// Common starts of page tests.
import type { Screen } from '../../src/course/screens.ts';
import { settle, untilTrue } from './fake-flow.ts';
import type { FakePage } from './fake-page.ts';
import { GOOD } from './fake-reports.ts';

/** Continues to the explanation of the camera. */
export async function startAndRead(page: FakePage): Promise<void> {
  await page.open();
  page.actions.start();
  await page.see('permission', { state: 'explain' });
}

/** Continues to the middle of the first challenge. */
export async function startCapture(page: FakePage): Promise<void> {
  await startAndRead(page);
  page.camera.put(...GOOD.slice(0, 6));
  page.actions.askForCamera();
  await untilTrue(() => page.client.calls.includes('record shown 0') && page.camera.left === 0);
  await settle();
}

/** Acts once the screen is shown and the flow waits for input. */
export async function act(page: FakePage, name: Screen['name'], action: () => void): Promise<void> {
  await page.see(name);
  await settle();
  action();
}
