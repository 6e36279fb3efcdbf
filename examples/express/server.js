// A shop that shows the check inside its own page, by the element <limen-check>.
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createLimenClient, decide, verifyWebhook } from '@limen/sdk';
import express from 'express';

const { LIMEN_URL, LIMEN_API_KEY, PORT = '3003' } = process.env;
const hostUrl = process.env.HOST_URL ?? `http://localhost:${PORT}`;
const limen = createLimenClient({ baseUrl: LIMEN_URL, apiKey: LIMEN_API_KEY });
/** Orders by id, each with what to do with it, and with its session once a webhook has named it. A real shop has a database. */
const orders = new Map();

const app = express();
app.use(express.static(join(import.meta.dirname, 'public')));
// The element needs no bundler: it is one file, served as it is.
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

// The bytes as they came: a body that was parsed and written again has another signature.
app.post('/webhook', express.raw({ type: '*/*' }), async (request, response) => {
  const webhook = await verifyWebhook(request.body, request.headers, LIMEN_API_KEY).catch(() => undefined);
  if (!webhook) return response.sendStatus(401);
  const { event, body } = webhook;
  if (event !== 'age_session.ended' && event !== 'review.decided') return response.sendStatus(204);
  // The end of a session repeats `metadata`; a review that is decided later names the session only.
  const order = event === 'review.decided' ? findBySession(body.sessionId) : orders.get(body.metadata.order);
  // A review can overtake the end of its session. After a 404 the service sends it again.
  if (!order) return response.sendStatus(404);
  settle(order, body);
  response.sendStatus(204);
});

/** Either webhook may come twice, so a settled order stays as it is. */
function settle(order, body) {
  if (order.decision.action !== 'wait') return;
  order.sessionId = body.sessionId;
  order.decision = decide(body);
}

function findBySession(sessionId) {
  return [...orders.values()].find((order) => order.sessionId === sessionId);
}

app.listen(Number(PORT), () => console.log(`The shop is at ${hostUrl}`));
