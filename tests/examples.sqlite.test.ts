// The examples as their README starts them, beside a running service: from the first page to the webhook.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { PATIENCE } from '@limen/testing/patience.ts';
import { IS_LONG } from '@limen/testing/rounds.ts';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { chromiumPath, launchBrowser } from '../apps/server/testing/browser.ts';
import { ensurePages } from '../apps/server/testing/built-pages.ts';
import { startTestApp } from '../apps/server/testing/test-app.ts';
import { createLimenClient } from '../packages/sdk/src/index.ts';
import { freePort } from '../testing/postgres-cluster.ts';

// Processes one after the other, and for one of them the SDK is built.
vi.setConfig({ testTimeout: 180_000 });

const API_KEY = 'a-key-of-the-host-application';

describe.each(['redirect', 'python'])('the shop of %s', (name) => {
  it('sends people to the check and believes the service alone', async () => {
    const { limen, tokens, url } = await startService();
    const { hostUrl } = await startExample(name, url);
    expect(await read(`${hostUrl}/`)).toContain('<form method="post" action="/check">');
    expect((await fetch(`${hostUrl}//`)).status).toBeLessThan(500);
    expect(await sendRaw(hostUrl, 'POST /webhook HTTP/1.1\r\nhost: x\r\ncontent-length: -1\r\n\r\n')).toMatch(
      /^HTTP\S+ 4/,
    );

    const outcomes = { above: 'Your wine is on its way', below: 'Sorry, not before you are 18' } as const;
    for (const [outcome, told] of Object.entries(outcomes)) {
      const sent = await fetch(`${hostUrl}/check`, { method: 'POST', redirect: 'manual' });
      expect([sent.status, sent.headers.get('location')]).toEqual([303, expect.stringContaining('/launch?sessionId=')]);
      const token = tokens.at(-1)!;
      const { metadata } = await limen.ageSessions.result(token);
      const back = `${hostUrl}/back?order=${metadata['order']}`;
      expect(await read(back)).toContain('The check is not over yet');

      const forged = JSON.stringify({ sessionStatus: 'AGE_ABOVE_THRESHOLD', metadata });
      const headers = { 'x-service-timestamp': `${Math.floor(Date.now() / 1000)}`, 'x-service-signature': 'sha256=00' };
      expect((await fetch(`${hostUrl}/webhook`, { method: 'POST', body: forged, headers })).status).toBe(401);
      expect(await read(back)).toContain('The check is not over yet');

      await limen.ageSessions.simulate(token, { outcome: outcome as keyof typeof outcomes });
      await expect.poll(() => read(back), PATIENCE).toContain(told);
    }
    expect(await read(`${hostUrl}/back?order=another`)).toContain('There is no such order');
  });
});

describe.skipIf(!chromiumPath)('the shop of express', () => {
  it.runIf(IS_LONG)('shows the check in its own page, and hears of its end from the service', async () => {
    await ensurePages('launch');
    const { url, app, tokens, limen } = await startService();
    const { hostUrl } = await startExample('express', url);
    const { id } = (await app.apiKeys.list()).find(({ kind }) => kind === 'development')!;
    await app.apiKeys.limitOrigins(id, [hostUrl]);
    const page = await (await launchBrowser()).newPage();
    await page.goto(hostUrl);
    await page.getByRole('button', { name: 'Buy, and show my age' }).click();
    const check = page.frameLocator('limen-check iframe');
    // The last button of a screen is the way out, and the last of the question that follows means it.
    await check.locator('[data-screen="welcome"] button').last().click();
    await check.locator('dialog[open] button').last().click();
    await expect.poll(() => page.locator('#text').textContent(), PATIENCE).toBe('Your age could not be found out.');

    const { order } = (await (await fetch(`${hostUrl}/orders`, { method: 'POST' })).json()) as { order: string };
    const forged = JSON.stringify({ sessionStatus: 'AGE_ABOVE_THRESHOLD', metadata: { order } });
    expect((await fetch(`${hostUrl}/webhook`, { method: 'POST', body: forged })).status).toBe(401);
    await limen.ageSessions.simulate(tokens.at(-1)!, { outcome: 'above' });
    await expect.poll(() => read(`${hostUrl}/orders/${order}`), PATIENCE).toBe('{"state":"adult"}');
  });
});

describe.skipIf(!chromiumPath)('the static page', () => {
  it('leads to its check, to no other place, and takes people back', async () => {
    const { url } = await startService();
    const { said } = await startExample('static', url);
    const link = /The link for the person: (\S+)/.exec(said)![1]!;
    const page = await (await launchBrowser()).newPage();
    await page.goto(link);
    const there = page.getByRole('link', { name: 'Go to the check' });
    expect(await there.getAttribute('href')).toContain('/launch?sessionId=');

    const elsewhere = new URL(link);
    elsewhere.hash = new URLSearchParams({ check: 'https://elsewhere.example/launch?sessionId=x' }).toString();
    await page.goto('about:blank');
    await page.goto(elsewhere.href);
    expect(await there.isVisible()).toBe(false);

    await page.goto('about:blank');
    await page.goto(`${elsewhere.origin}/#back`);
    expect(await page.locator('#text').textContent()).toContain('Thank you');
  });
});

/** The service, and the tokens that the example is given and keeps to itself: they are read on the way. */
async function startService() {
  const app = await startTestApp({ environment: { DEV_API_KEY: API_KEY } });
  await app.apiKeys.ensureDevelopmentKey(API_KEY);
  const service = await app.listen();
  await app.jobs.start();
  const tokens: string[] = [];
  const server = createServer(async (request, response) => {
    if (request.method === 'GET') return response.end(); // whether there is a service
    const headers = { 'content-type': 'application/json', 'x-api-key': `${request.headers['x-api-key']}` };
    const body = await text(request);
    const reply = await fetch(new URL(request.url!, service), { method: 'POST', headers, body });
    const told = await reply.text();
    tokens.push((JSON.parse(told) as { token: string }).token);
    response.writeHead(reply.status, { 'content-type': 'application/json' }).end(told);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { url, app, tokens, limen: createLimenClient({ baseUrl: service, apiKey: API_KEY }) };
}

/** Until it has said where it is. */
async function startExample(name: string, url: string): Promise<{ hostUrl: string; said: string }> {
  const port = await freePort();
  const child = spawn(process.execPath, ['examples/run.js', name], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, LIMEN_URL: url, LIMEN_API_KEY: API_KEY, PORT: `${port}` },
  });
  const ended = once(child, 'close');
  onTestFinished(async () => {
    child.kill();
    await ended;
  });
  let said = '';
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', (data) => (said += data));
  await expect.poll(() => said, PATIENCE).toContain('http://localhost:');
  const hostUrl = `http://localhost:${port}`;
  await expect
    .poll(
      () =>
        fetch(hostUrl).then(
          ({ ok }) => ok,
          () => false,
        ),
      PATIENCE,
    )
    .toBe(true);
  return { hostUrl, said };
}

/** The first line of the answer to a request that no client makes. */
async function sendRaw(url: string, request: string): Promise<string> {
  const socket = connect(Number(new URL(url).port), '127.0.0.1').setEncoding('utf8');
  socket.write(request);
  const [answer] = (await once(socket, 'data')) as [string];
  socket.destroy();
  return answer;
}

async function read(url: string): Promise<string> {
  return (await fetch(url)).text();
}
