// The built device client in a real browser: keys in IndexedDB, a reload in the middle, following
// by stream.
import { expect, it } from 'vitest';
import { chromiumPath, launchBrowser } from '../../../../apps/server/testing/browser.ts';
import { installSdkOnce } from '../../testing/installed-sdk.ts';
import { startLiveService } from '../../testing/live-service.ts';
import { startPageServer } from '../../testing/page-server.ts';
import { parseLaunchUrl } from '../device.ts';

const sdk = installSdkOnce();

/** Each runs on the page, as text that must not be compiled here. */
const OPEN = `
  const { createDeviceClient, createIndexedDbKeys } = await import('/sdk/device.js');
  const keys = createIndexedDbKeys();
  const open = () => createDeviceClient({ baseUrl: '/limen', sessionId, keys });`;
const FIRST_VISIT = (sessionId: string) => `(async () => {
  const sessionId = ${JSON.stringify(sessionId)};${OPEN}
  const [device, tab] = await Promise.all([open(), open()]);
  const before = await device.view();
  const { nonce } = await device.claim();
  await device.record('started', 0);
  const again = await tab.claim();
  const { privateKey } = await keys.load(sessionId);
  return { role: before.role, nonce, sameInOtherTab: again.nonce === nonce, extractable: privateKey.extractable };
})()`;
const SECOND_VISIT = (sessionId: string) => `(async () => {
  const sessionId = ${JSON.stringify(sessionId)};${OPEN}
  const device = await open();
  const { role } = await device.view();
  const { nonce, steps: [step] } = await device.claim();
  const logBefore = device.log().map(([event]) => event);
  const states = [];
  const following = (async () => { for await (const view of device.follow()) states.push(view.state); })();
  await device.record('retried', 0);
  for (const index of [0, 1, 2]) {
    await device.record('shown', index);
    await device.record('done', index);
    if (step.cameraRequest.after === index) await device.record('asked', index);
  }
  await device.record('finished', 0);
  const view = await device.submit({ face: { spoof: false, thresholdResult: 'AGE_ABOVE_THRESHOLD', light: 'declined' } });
  await following;
  const other = await keys.load('another session');
  return { role, nonce, logBefore, flowStatus: view.end.flowStatus, last: states.at(-1), other };
})()`;

it.skipIf(!chromiumPath)('remains the same device after a reload, and finishes', async () => {
  const { app, url: limenUrl, connect } = await startLiveService();
  const { apiKey } = await app.apiKeys.create({ kind: 'test', clientCredentials: false });
  const limen = connect({ apiKey });
  const { token, launchUrl } = await limen.ageSessions.create();
  const { sessionId } = parseLaunchUrl(launchUrl) ?? expect.unreachable();
  const port = await startPageServer({ sdkFolder: sdk().packageFolder, limenUrl });
  const page = await (await launchBrowser()).newPage();
  await page.goto(`http://localhost:${port}/`);

  const first = (await page.evaluate(FIRST_VISIT(sessionId))) as { nonce: string };
  expect(first).toEqual({ role: 'none', nonce: expect.any(String), sameInOtherTab: true, extractable: false });
  await page.reload();
  expect(await page.evaluate(SECOND_VISIT(sessionId))).toEqual({
    role: 'active',
    nonce: first.nonce,
    logBefore: ['started'],
    flowStatus: 'COMPLETED',
    last: 'completed',
    other: undefined,
  });
  expect((await limen.ageSessions.result(token)).sessionStatus).toBe('AGE_ABOVE_THRESHOLD');
});
