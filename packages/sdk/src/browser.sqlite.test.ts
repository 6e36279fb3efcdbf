// The built SDK in a real browser, on a page whose server forwards calls to the real service.
import { expect, it } from 'vitest';
import { chromiumPath, launchBrowser, PLAIN_HTTP_HOST } from '../../../apps/server/testing/browser.ts';
import { installSdkOnce } from '../testing/installed-sdk.ts';
import { startLiveService } from '../testing/live-service.ts';
import { startPageServer } from '../testing/page-server.ts';

const sdk = installSdkOnce();

/** Runs on the page, as text that must not be compiled here. */
const PROGRAM = `(async () => {
  const { createLimenClient, LimenError } = await import('/sdk/index.js');
  const limen = createLimenClient({ baseUrl: '/limen' });
  const created = await limen.strings.create('from a page');
  const found = await limen.strings.get(created.id);
  const walked = [];
  for await (const { id } of limen.strings.iterate({ pageSize: 1 })) walked.push(id);
  await limen.strings.delete(created.id);
  const error = await limen.strings.get(created.id).catch((error) => error);
  return {
    isSecureContext,
    created,
    found,
    walked,
    error: { known: error instanceof LimenError, status: error.status, code: error.code, requestId: error.requestId },
  };
})()`;

it.skipIf(!chromiumPath).each([
  ['localhost', true],
  // crypto.randomUUID requires https.
  [PLAIN_HTTP_HOST, false],
])('works on a page of http://%s', async (host, secure) => {
  const { url: limenUrl, connect } = await startLiveService();
  const port = await startPageServer({ sdkFolder: sdk().packageFolder, limenUrl });
  const browser = await launchBrowser();
  const page = await browser.newPage();
  await page.goto(`http://${host}:${port}/`);
  const earlier = await connect().strings.create('from a server');

  const seen = (await page.evaluate(PROGRAM)) as { created: { id: string } };

  expect(seen).toEqual({
    isSecureContext: secure,
    created: { id: expect.any(String), value: 'from a page', createdAt: expect.any(String) },
    found: seen.created,
    walked: [seen.created.id, earlier.id],
    error: { known: true, status: 404, code: 'not_found', requestId: expect.stringMatching(/^[0-9a-f-]{36}$/) },
  });
  expect(await connect().strings.list()).toEqual({ strings: [earlier] });
});
