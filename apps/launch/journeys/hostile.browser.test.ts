// A manipulated page gets no decision from the service, and only allowed hosts may frame the page.
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { IS_LONG, onlyWhenLong } from '@limen/testing/rounds.ts';
import type { BrowserContext } from 'playwright-core';
import { afterAll, describe, expect, it } from 'vitest';
import { chromiumPath } from '../../server/testing/browser.ts';
import { changePlanAsRead, changePlanAsSent } from '../testing/hostile-page.ts';
import { openJourneys } from '../testing/journeys/journey.ts';
import { cancelCheck, expectOutcome, PATIENCE_MS, waitForHeading } from '../testing/journeys/journey-steps.ts';

const run = (content: string) => (context: BrowserContext) => context.addInitScript({ content });

describe.skipIf(!chromiumPath)('a manipulated page', { timeout: 150_000 }, async () => {
  const journeys = await openJourneys(afterAll);

  it.each([
    ['with a plan that asks for nothing', changePlanAsRead('step.challenges = [];'), [-22]],
    ...onlyWhenLong<[string, string, number[]][]>(
      [['with a forged plan that asks for easier things', changePlanAsSent("step.challenges.fill('blink');"), [-15]]],
      [],
    ),
  ])('gets no decision %s', async (_, script, codes) => {
    const journey = await journeys.begin({ prepare: run(script) });
    await journey.start();
    await journey.waitForScreen('end', 120_000);
    expect(await journey.camera.isOff()).toBe(true);
    await expectOutcome(journey, 'CANCELLED', codes);
  });

  it.each<[string, string, (body: Buffer) => Buffer | string]>([
    ['by a manifest with other thresholds', '**/launch/models/manifest.json', (body) => loosen(body.toString())],
    ['with a model of other bytes', '**/launch/models/*.onnx*', spoilLast],
  ])('does not run %s', async (_, files, change) => {
    const journey = await journeys.begin({
      prepare: (context) =>
        context.route(files, async (route) => {
          const response = await route.fetch();
          await route.fulfill({ response, body: change(await response.body()) });
        }),
    });
    const { page, camera } = journey;
    await journey.start();
    await waitForHeading(page, 'Something went wrong');
    expect(await camera.isOff()).toBe(true);
    await cancelCheck(page);
    await waitForHeading(page, 'Cancelled');
    await expectOutcome(journey, 'CANCELLED', [-20]);
  });

  it('is served with a strict policy and may not be framed', async () => {
    const { headers } = await fetch(`${journeys.url}/launch`);
    expect(headers.get('content-security-policy')).toBe(
      "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; style-src 'self'; img-src 'self'; connect-src 'self'; " +
        "worker-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    );
    const allowed = headers
      .get('permissions-policy')!
      .split(', ')
      .filter((part) => !part.endsWith('=()'));
    expect(allowed).toEqual([
      'camera=(self)',
      'digital-credentials-get=(self)',
      'publickey-credentials-create=(self)',
      'publickey-credentials-get=(self)',
    ]);
    expect(Object.fromEntries(headers)).toMatchObject({
      'cross-origin-opener-policy': 'same-origin',
      'cross-origin-embedder-policy': 'require-corp',
      'referrer-policy': 'no-referrer',
      'x-content-type-options': 'nosniff',
      'x-frame-options': 'DENY',
    });
    const { page } = await journeys.begin();
    await page.goto((await serveHost(page.url())).url);
    await expect.poll(() => page.frames().at(1)?.url(), { timeout: PATIENCE_MS }).toMatch(/^chrome-error:/);
  });
});

if (IS_LONG)
  describe.skipIf(!chromiumPath)('a service with an allowed host and short time limits', async () => {
    const host = await serveHost();
    // Shorter than any person needs.
    const journeys = await openJourneys(afterAll, { FRAME_ANCESTORS: host.url }, { movements: { count: 1, ms: 500 } });

    it('enforces its own time limit, whatever the page measures', { timeout: 120_000 }, async () => {
      const journey = await journeys.begin({ prepare: run(changePlanAsRead('step.challengeMs = 1e9;')) });
      await journey.start();
      await journey.waitForScreen('end', 100_000);
      expect(await journey.camera.isOff()).toBe(true);
      await expectOutcome(journey, 'CANCELLED', [-22]);
    });

    it('lets that host embed the page with the camera', { timeout: 120_000 }, async () => {
      const journey = await journeys.begin();
      host.framed = journey.launchUrl;
      const { page } = journey;
      await page.goto(host.url);
      const frame = page.frameLocator('iframe');
      const [begin, turnOn] = ['Start', 'Turn on the camera'].map((name) => frame.getByRole('button', { name }));
      // Chromium drops a click on a frame that has just appeared.
      await expect
        .poll(
          async () => {
            if (!(await turnOn!.isVisible())) await begin!.click({ timeout: PATIENCE_MS });
            return turnOn!.isVisible();
          },
          { timeout: PATIENCE_MS, interval: 2_000 },
        )
        .toBe(true);
      await turnOn!.click({ timeout: PATIENCE_MS });
      await frame.locator('[data-screen="capture"]').waitFor({ timeout: PATIENCE_MS });
      await frame.getByRole('button', { name: 'Cancel' }).click();
      await frame.getByRole('button', { name: 'Yes, cancel' }).click();
      await frame.getByRole('heading', { name: 'Cancelled' }).waitFor({ timeout: PATIENCE_MS });
      await expectOutcome(journey, 'CANCELLED', []);
    });
  });

function loosen(manifest: string): string {
  return manifest.replace(/"live":\s*[\d.]+/, '"live": 0');
}

function spoilLast(bytes: Buffer): Buffer {
  return Buffer.concat([bytes.subarray(0, -1), Buffer.of((bytes.at(-1) ?? 0) ^ 1)]);
}

/** Serves a host's page on another site, with the launch page in a frame as documented. */
async function serveHost(framed = ''): Promise<{ url: string; framed: string }> {
  const host = { url: '', framed };
  const server = createServer((_request, response) => {
    response.setHeader('content-type', 'text/html');
    response.end(
      `<!doctype html><iframe allow="camera; cross-origin-isolated; clipboard-write" src="${host.framed}"></iframe>`,
    );
  });
  // Unreferenced, so that it does not keep the tests from ending.
  await once(server.listen(0, '127.0.0.1').unref(), 'listening');
  host.url = `http://localhost:${(server.address() as AddressInfo).port}`;
  return host;
}
