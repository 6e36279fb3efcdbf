// The detectors in a real headless Chromium, with its fake camera.
import { existsSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { stripTypeScriptTypes } from 'node:module';
import type { AddressInfo } from 'node:net';
import { basename, join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { chromiumPath, launchBrowserWith } from '../../../server/testing/browser.ts';
import type { collectSignals } from './collect-signals.ts';

/** Runs on the page as text, so it must not be compiled here. */
const PROGRAM = `(async () => {
  const { collectSignals } = await import('/collect-signals.ts');
  const stream = await navigator.mediaDevices.getUserMedia({ video: true });
  const [track] = stream.getVideoTracks();
  const seen = await collectSignals({ browser: window, cameraLabel: track.label });
  track.stop();
  return seen;
})()`;

it.skipIf(!chromiumPath)('detects the remote control, the headless browser and its fake camera', async () => {
  const browser = await launchBrowserWith('--use-fake-device-for-media-stream', '--use-fake-ui-for-media-stream');
  const page = await browser.newPage();
  await page.goto(`http://127.0.0.1:${await serveModules()}/`);

  const seen = (await page.evaluate(PROGRAM)) as Awaited<ReturnType<typeof collectSignals>>;

  // WebGL depends on the machine. Anything else would be a false alarm in every Chromium of this
  // version.
  expect({ ...seen, headless: seen.headless.filter((name) => name !== 'webGL') }).toEqual({
    headless: ['webdriver', 'userAgent'],
    virtualCamera: ['virtualCameraSoftware'],
    browserAnomalies: [],
  });
});

/** Returns the server's port. The server closes after the test. */
async function serveModules(): Promise<number> {
  const server = createServer(({ url = '/' }, response) => {
    if (!url.endsWith('.ts')) {
      response.writeHead(200, { 'content-type': 'text/html' }).end('<!doctype html><title>Signals</title>');
      return;
    }
    const path = join(import.meta.dirname, basename(url));
    if (!existsSync(path)) {
      response.writeHead(404).end();
      return;
    }
    const module = readFileSync(path, 'utf8');
    response.writeHead(200, { 'content-type': 'text/javascript' }).end(stripTypeScriptTypes(module));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return (server.address() as AddressInfo).port;
}
