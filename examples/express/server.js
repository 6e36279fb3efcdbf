// A shop that shows the check inside its own page, with the element <limen-check>.
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createLimenClient, decide, verifyWebhook } from '@limen/sdk';
import express from 'express';

const { LIMEN_URL, LIMEN_API_KEY, PORT = '3003' } = process.env;
const hostUrl = process.env.HOST_URL ?? `http://localhost:${PORT}`;
const limen = createLimenClient({ baseUrl: LIMEN_URL, apiKey: LIMEN_API_KEY });
/**
 * Orders by id with their decision, and with their session once a webhook has named it. A real shop
 * has a database.
 */
const orders = new Map();

const app = express();
app.use(express.static(join(import.meta.dirname, 'public')));
// The element needs no bundler: it is a single file, served unchanged.
const element = fileURLToPath(import.meta.resolve('@limen/sdk/element'));
app.get('/limen/element.js', (_request, response) => response.sendFile(element));

app.post('/orders', async (_request, response) => {
  const order = randomUUID();
  const { launchUrl } = await limen.ageSessions.create({
    ageThreshold: 18,
    enableDesktop: true,
    metadata: { order },
    callback: { url: `${hostUrl}/webhook` },
  });
  orders.set(order, { decision: { action: 'wait', reason: 'not_ended' } });
  response.status(201).json({ order, launchUrl });
});

app.get('/orders/:order', (request, response) => {
  const order = orders.get(request.params.order);
  if (!order) return response.sendStatus(404);
  response.json(order.decision);
});

// The raw bytes, because the signature does not cover a re-serialized body.
app.post('/webhook', express.raw({ type: '*/*' }), async (request, response) => {
  const webhook = await verifyWebhook(request.body, request.headers, LIMEN_API_KEY).catch(() => undefined);
  if (!webhook) return response.sendStatus(401);
  const { event, body } = webhook;
  if (event !== 'age_session.ended' && event !== 'review.decided') return response.sendStatus(204);
  // The webhook of a session's end repeats `metadata`; that of a later review names only the
  // session.
  const order = event === 'review.decided' ? findBySession(body.sessionId) : orders.get(body.metadata.order);
  // A review can overtake its session's end. After a 404 the service sends it again.
  if (!order) return response.sendStatus(404);
  settle(order, body);
  response.sendStatus(204);
});

/** Webhooks may be repeated, so a settled order stays unchanged. */
function settle(order, body) {
  if (order.decision.action !== 'wait') return;
  order.sessionId = body.sessionId;
  order.decision = decide(body);
}

function findBySession(sessionId) {
  return [...orders.values()].find((order) => order.sessionId === sessionId);
}

app.listen(Number(PORT), () => console.log(`The shop is at ${hostUrl}`));
