// The examples, started as in their README next to a running service: from the first page to the
// webhook, for every outcome.

import { execFileSync, spawn } from 'node:child_process';
import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { PATIENCE as WAIT } from '@limen/testing/patience.ts';
import { IS_LONG } from '@limen/testing/rounds.ts';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { chromiumPath, launchBrowser } from '../apps/server/testing/browser.ts';
import { ensurePages } from '../apps/server/testing/built-pages.ts';
import { type ConsoleApp, decideSession, newOperator, ORIGIN } from '../apps/server/testing/console/console-app.ts';
import { createManualClock } from '../apps/server/testing/manual-clock.ts';
import { startTestApp, type TestApp } from '../apps/server/testing/test-app.ts';
import { type CreatedAgeSession, createLimenClient, decide, type LimenClient } from '../packages/sdk/src/index.ts';
import { freePort } from '../testing/postgres-cluster.ts';

/** Many orders wait at once, and each check asks a shop. */
const PATIENCE = { ...WAIT, interval: 250 };

// Sequential processes, one of which needs a build of the SDK.
vi.setConfig({ testTimeout: 180_000 });

const API_KEY = 'a-key-of-the-host-application';

const TEXTS = {
  admit: 'Thank you. Your wine is on its way.',
  refuse: 'Sorry, we cannot sell you this wine.',
  again: 'Your age could not be checked. Please',
  review: 'A person has to look at your check first.',
} as const;
type Shown = keyof typeof TEXTS;

interface Play {
  name: string;
  /** Session settings, if the outcome needs others than the host's. */
  settings?: object;
  simulate: Parameters<LimenClient['ageSessions']['simulate']>[1];
  shown: Shown;
  /** The reviewer's subsequent decision, and the shop's reaction. */
  reviewed?: readonly ['ALLOW' | 'BLOCK', Shown];
}

/** Every end of the test mode, with every possible recommendation. */
const PLAYS: Play[] = [
  { name: 'ABOVE, ALLOW', simulate: { outcome: 'above' }, shown: 'admit' },
  { name: 'ABOVE, BLOCK', simulate: { outcome: 'above', flags: ['BEHAVIOR_REPLAY'] }, shown: 'refuse' },
  {
    name: 'ABOVE, REVIEW, allowed',
    simulate: { outcome: 'above', flags: ['LIGHT_NOT_AS_DRAWN'] },
    shown: 'review',
    reviewed: ['ALLOW', 'admit'],
  },
  {
    name: 'ABOVE, REVIEW, blocked',
    simulate: { outcome: 'above', flags: ['LIGHT_NOT_AS_DRAWN'] },
    shown: 'review',
    reviewed: ['BLOCK', 'refuse'],
  },
  { name: 'AT, ALLOW', simulate: { outcome: 'at' }, shown: 'admit' },
  { name: 'AT, BLOCK', simulate: { outcome: 'at', flags: ['BEHAVIOR_REPLAY'] }, shown: 'refuse' },
  { name: 'AT, REVIEW', simulate: { outcome: 'at', flags: ['LIGHT_NOT_AS_DRAWN'] }, shown: 'review' },
  { name: 'BELOW, BLOCK', simulate: { outcome: 'below' }, shown: 'refuse' },
  {
    name: 'BELOW, REVIEW, allowed',
    simulate: { outcome: 'below', age: 19 },
    shown: 'review',
    reviewed: ['ALLOW', 'admit'],
  },
  {
    name: 'BELOW, REVIEW, blocked',
    simulate: { outcome: 'below', age: 19 },
    shown: 'review',
    reviewed: ['BLOCK', 'refuse'],
  },
  { name: 'spoof', simulate: { outcome: 'spoof' }, shown: 'refuse' },
  {
    name: 'face_mismatch',
    settings: { requirements: ['face', 'identity_document'] },
    simulate: { outcome: 'face_mismatch' },
    shown: 'refuse',
  },
  {
    name: 'document_failure',
    settings: { stepUpEnabled: true },
    simulate: { outcome: 'document_failure' },
    shown: 'again',
  },
  {
    name: 'age_key',
    settings: { acceptedProofs: ['age_key'] },
    simulate: { outcome: 'above', proof: 'age_key' },
    shown: 'admit',
  },
  { name: 'camera_failure', simulate: { outcome: 'camera_failure' }, shown: 'again' },
  { name: 'desktop', settings: { enableDesktop: false }, simulate: { outcome: 'desktop' }, shown: 'again' },
  { name: 'cancelled', simulate: { outcome: 'cancelled' }, shown: 'again' },
  { name: 'cancelled, replayed', simulate: { outcome: 'cancelled', errorCode: -15 }, shown: 'refuse' },
  { name: 'expired', simulate: { outcome: 'expired' }, shown: 'again' },
];

/** Creates an order. Returns its session and what the shop shows from then on. */
type Order = (shop: Example, service: Service) => Promise<{ sessionId: string; read: () => Promise<string> }>;

const orderByForm: Order = async ({ hostUrl }, { created }) => {
  const sent = await fetch(`${hostUrl}/check`, { method: 'POST', redirect: 'manual' });
  const sessionId = sessionIdIn(sent.headers.get('location')!);
  const { redirectUrl } = created.get(sessionId)!;
  return { sessionId, read: () => read(redirectUrl!) };
};

const orderByScript: Order = async ({ hostUrl }) => {
  const sent = await fetch(`${hostUrl}/orders`, { method: 'POST' });
  const { order, launchUrl } = (await sent.json()) as { order: string; launchUrl: string };
  const texts = textsOf(await read(`${hostUrl}/shop.js`));
  return {
    sessionId: sessionIdIn(launchUrl),
    async read() {
      const { action, reason } = (await (await fetch(`${hostUrl}/orders/${order}`)).json()) as Record<string, string>;
      return texts[reason!] ?? texts[action!] ?? '';
    },
  };
};

const orderByLine: Order = async ({ said, write }) => {
  const links = () => [...said().matchAll(/^Order (\d+)\. The link for the person: (\S+)$/gm)];
  const before = links().length;
  write('\n');
  await expect.poll(() => links().length, PATIENCE).toBe(before + 1);
  const [, order, link] = links().at(-1)!;
  const told = new RegExp(`^Order ${order}\\. To the person: (.*)$`, 'gm');
  const check = new URLSearchParams(new URL(link!).hash.slice(1)).get('check')!;
  return { sessionId: sessionIdIn(check), read: async () => [...said().matchAll(told)].at(-1)?.[1] ?? '' };
};

describe.each([
  ['redirect', orderByForm],
  ['python', orderByForm],
  ['express', orderByScript],
  ['static', orderByLine],
] as const)('the host of %s', (name, order) => {
  it('acts correctly on every outcome of the test mode', async () => {
    const service = await startService();
    // Without the command, which would build the SDK for express. The long run uses the command
    // below.
    const shop = await startExample(name, service.url, { byCommand: name !== 'express' });
    const reviewer = await newOperator(asConsole(service.app), 'reviewer');
    const placed: (Play & Awaited<ReturnType<Order>>)[] = [];
    for (const play of PLAYS) {
      service.settings = play.settings ?? {};
      placed.push({ ...play, ...(await order(shop, service)) });
    }
    await Promise.all(
      placed.map(async ({ name: played, simulate, sessionId, read: look, shown, reviewed }) => {
        const before = await look();
        const shows = (text: string) => [played, text] as const;
        expect(shows(before)).not.toEqual(shows(expect.stringContaining(TEXTS.admit)));
        await service.limen.ageSessions.simulate(service.created.get(sessionId)!.token, simulate);
        await expect.poll(async () => shows(await look()), PATIENCE).toEqual(shows(including(shown)));
        if (!reviewed) return;
        expect((await decideSession(reviewer, sessionId, reviewed[0])).statusCode).toBe(200);
        await expect.poll(async () => shows(await look()), PATIENCE).toEqual(shows(including(reviewed[1])));
      }),
    );
  });
});

function including(shown: Shown): string {
  return expect.stringContaining(TEXTS[shown]) as unknown as string;
}

describe.each(['redirect', 'python'])('the shop of %s', (name) => {
  it('redirects people to the check, trusts only the service, and keeps settled orders', async () => {
    const service = await startService();
    const { limen, created } = service;
    const shop = await startExample(name, service.url);
    const { hostUrl } = shop;
    expect(await read(`${hostUrl}/`)).toContain('<form method="post" action="/check">');
    expect((await fetch(`${hostUrl}//`)).status).toBeLessThan(500);
    expect(await sendRaw(hostUrl, 'POST /webhook HTTP/1.1\r\nhost: x\r\ncontent-length: -1\r\n\r\n')).toMatch(
      /^HTTP\S+ 4/,
    );
    expect(await read(`${hostUrl}/back?order=another`)).toContain('There is no such order');

    const { sessionId, read: back } = await orderByForm(shop, service);
    expect(await back()).toContain('The check is not over yet');
    const outcome = (recommendation: string) =>
      JSON.stringify({
        sessionId,
        metadata: { order: new URL(service.created.get(sessionId)!.redirectUrl!).searchParams.get('order') },
        sessionStatus: 'AGE_ABOVE_THRESHOLD',
        flowStatus: 'COMPLETED',
        riskEvaluation: { recommendation },
      });
    const send = async (body: string, key: string) => {
      const timestamp = `${Math.floor(Date.now() / 1000)}`;
      const signature = createHmac('sha256', key).update(`${timestamp}.${body}`).digest('hex');
      const headers = { 'x-service-timestamp': timestamp, 'x-service-signature': `sha256=${signature}` };
      return (await fetch(`${hostUrl}/webhook`, { method: 'POST', body, headers })).status;
    };
    expect(await send(outcome('ALLOW'), 'another key')).toBe(401);
    expect(await back()).toContain('The check is not over yet');

    await limen.ageSessions.simulate(created.get(sessionId)!.token, { outcome: 'spoof' });
    await expect.poll(back, PATIENCE).toContain(TEXTS.refuse);
    expect(await send(outcome('ALLOW'), API_KEY)).toBe(204);
    expect(await back()).toContain(TEXTS.refuse);
  });
});

it('decides in Python as the SDK does', () => {
  const review = (decision: string) => ({ decision, decidedAt: '2026-03-01T12:00:00.000Z' });
  const reviews = [{}, { review: review('ALLOW') }, { review: review('BLOCK') }, { review: review('LATER') }];
  const outcomes: object[] = reviews.map((told) => ({ event: 'review.decided', ...told }));
  for (const sessionStatus of ['AGE_ABOVE_THRESHOLD', 'AGE_AT_THRESHOLD', 'AGE_BELOW_THRESHOLD', 'AGE_UNKNOWN', 'X']) {
    for (const flow of [{}, ...['COMPLETED', 'CANCELLED', 'EXPIRED', 'X'].map((flowStatus) => ({ flowStatus }))]) {
      for (const recommendation of ['ALLOW', 'REVIEW', 'BLOCK', 'X']) {
        for (const told of reviews)
          outcomes.push({ sessionStatus, ...flow, riskEvaluation: { recommendation }, ...told });
      }
    }
  }
  const script = 'import json, sys, host; print(json.dumps([host.decide(each) for each in json.load(sys.stdin)]))';
  const decided = execFileSync('python3', ['-c', script], {
    cwd: 'examples/python',
    input: JSON.stringify(outcomes),
    encoding: 'utf8',
    env: { ...process.env, LIMEN_URL: '', LIMEN_API_KEY: '', PYTHONDONTWRITEBYTECODE: '1' },
  });
  const wanted = outcomes.map(decide).map(({ action, reason }) => [action, reason]);
  expect(JSON.parse(decided)).toEqual(wanted);
  expect(new Set(wanted.map(String)).size).toBe(8);
});

describe.skipIf(!chromiumPath)('the shop of express', () => {
  it.runIf(IS_LONG)('shows the check in its own page and learns its end from the service', async () => {
    await ensurePages('launch');
    const service = await startService();
    const { app, created, limen } = service;
    const shop = await startExample('express', service.url);
    const { hostUrl } = shop;
    const { id } = (await app.apiKeys.list()).find(({ kind }) => kind === 'development')!;
    await app.apiKeys.limitOrigins(id, [hostUrl]);
    const page = await (await launchBrowser()).newPage();
    await page.goto(hostUrl);
    await page.getByRole('button', { name: 'Buy, and show my age' }).click();
    const check = page.frameLocator('limen-check iframe');
    // The last button of a screen cancels, and the last one of the confirmation confirms.
    await check.locator('[data-screen="welcome"] button').last().click();
    await check.locator('dialog[open] button').last().click();
    await expect.poll(() => page.locator('#text').textContent(), PATIENCE).toContain(TEXTS.again);

    const { sessionId, read: look } = await orderByScript(shop, service);
    const forged = JSON.stringify({ event: 'review.decided', sessionId, review: { decision: 'ALLOW' } });
    expect((await fetch(`${hostUrl}/webhook`, { method: 'POST', body: forged })).status).toBe(401);
    await limen.ageSessions.simulate(created.get(sessionId)!.token, { outcome: 'above' });
    await expect.poll(look, PATIENCE).toBe(TEXTS.admit);
  });
});

describe.skipIf(!chromiumPath)('the static page', () => {
  it('links only to its check and takes people back', async () => {
    const { url } = await startService();
    const { said } = await startExample('static', url);
    const link = /The link for the person: (\S+)/.exec(said())![1]!;
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

interface Created {
  token: string;
  /** As requested by the host. */
  redirectUrl?: string;
}

interface Service {
  url: string;
  app: TestApp;
  limen: LimenClient;
  /** Tokens and URLs of the host by session. Read by the proxy. */
  created: ReadonlyMap<string, Created>;
  /** Replaces the host's own. */
  settings: object;
}

async function startService(): Promise<Service> {
  const environment = { DEV_API_KEY: API_KEY, SERVE: 'core,launch,console', CONSOLE_URL: `${ORIGIN}/console` };
  const app = await startTestApp({ environment });
  await app.apiKeys.ensureDevelopmentKey(API_KEY);
  const address = await app.listen();
  await app.jobs.start();
  const created = new Map<string, Created>();
  const server = createServer(async (request, response) => {
    const headers = { 'content-type': 'application/json', 'x-api-key': `${request.headers['x-api-key']}` };
    const url = new URL(request.url!, address);
    const { method } = request;
    if (method !== 'POST') {
      const reply = await fetch(url, { headers });
      response.writeHead(reply.status, { 'content-type': 'application/json' }).end(await reply.text());
      return;
    }
    const wanted = { ...(JSON.parse(await text(request)) as { redirectUrl?: string }), ...service.settings };
    const reply = await fetch(url, { method, headers, body: JSON.stringify(wanted) });
    const told = await reply.text();
    const { token, launchUrl } = JSON.parse(told) as CreatedAgeSession;
    created.set(sessionIdIn(launchUrl), { token, ...(wanted.redirectUrl && { redirectUrl: wanted.redirectUrl }) });
    response.writeHead(reply.status, { 'content-type': 'application/json' }).end(told);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const limen = createLimenClient({ baseUrl: address, apiKey: API_KEY });
  const service: Service = { url, app, limen, created, settings: {} };
  return service;
}

/** The operators act immediately, because nothing here waits for a time. */
function asConsole(app: TestApp): ConsoleApp {
  return { ...app, clock: createManualClock() };
}

interface Example {
  hostUrl: string;
  /** Complete output. */
  said(): string;
  write(line: string): void;
}

/** Waits until it has printed its URL. */
async function startExample(name: string, url: string, { byCommand = true } = {}): Promise<Example> {
  const port = await freePort();
  const file = byCommand ? ['examples/run.js', name] : [`examples/${name}/server.js`];
  const child = spawn(process.execPath, file, {
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
  return { hostUrl, said: () => said, write: (line) => void child.stdin.write(line) };
}

function sessionIdIn(launchUrl: string): string {
  return new URL(launchUrl).searchParams.get('sessionId')!;
}

/** Texts of the shop's page, without a browser. */
function textsOf(script: string): Record<string, string> {
  return Object.fromEntries([...script.matchAll(/^ {2}(\w+): '(.*)',$/gm)].map(([, name, shown]) => [name, shown]));
}

/** First line of the reply to a request that no client makes. */
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
