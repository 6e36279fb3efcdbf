// Serves the static page, as any web server does. Also plays the back office that creates a check
// per order, sends the link to the person, and acts on the outcome. It reads results instead of
// receiving webhooks.
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { createLimenClient, decide } from '@limen/sdk';

const { LIMEN_URL, LIMEN_API_KEY, PORT = '3002' } = process.env;
const hostUrl = process.env.HOST_URL ?? `http://localhost:${PORT}`;
const limen = createLimenClient({ baseUrl: LIMEN_URL, apiKey: LIMEN_API_KEY });
const TEXTS = {
  admit: 'Thank you. Your wine is on its way.',
  refuse: 'Sorry, we cannot sell you this wine.',
  not_completed: 'Your age could not be checked. Please ask us for a new link.',
  in_review: 'A person has to look at your check first. We keep your order until then.',
};
let orders = 0;

const page = await readFile(join(import.meta.dirname, 'index.html'), 'utf8');
// The page only follows links to this service.
const first = await takeOrder().catch((error) => {
  console.error(`No check can be made. ${error.message}`);
  process.exit(1);
});
const launchOrigin = new URL(first.launchUrl).origin;
const served = page.replace('<script>', `<script data-service="${launchOrigin}">`);
const server = createServer((_request, response) => {
  response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' }).end(served);
});
server.listen(Number(PORT), () => console.log('Press Enter for another order.'));
process.stdin.on('data', takeOrder);

async function takeOrder() {
  const { launchUrl, token } = await limen.ageSessions.create({
    ageThreshold: 18,
    enableDesktop: true,
    redirectUrl: `${hostUrl}/#back`,
  });
  orders += 1;
  const order = orders;
  console.log(`Order ${order}. The link for the person: ${hostUrl}/#${new URLSearchParams({ check: launchUrl })}`);
  follow(order, token).catch((error) => console.error(`Order ${order}. The result cannot be read: ${error.message}`));
  return { launchUrl };
}

/** Polls the result until it is settled. The token is the credential for it, so it stays here. */
async function follow(order, token, told) {
  const { action, reason } = decide(await limen.ageSessions.result(token));
  const text = TEXTS[reason] ?? TEXTS[action];
  if (text !== told) console.log(`Order ${order}. To the person: ${text}`);
  if (action !== 'wait') return;
  await new Promise((resolve) => setTimeout(resolve, 1_000));
  await follow(order, token, text);
}
