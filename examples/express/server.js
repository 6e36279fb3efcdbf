// A shop that shows the check inside its own page, by the element <limen-check>.
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createLimenClient, verifyWebhook } from '@limen/sdk';
import express from 'express';

const { LIMEN_URL, LIMEN_API_KEY, PORT = '3003' } = process.env;
const hostUrl = process.env.HOST_URL ?? `http://localhost:${PORT}`;
const limen = createLimenClient({ baseUrl: LIMEN_URL, apiKey: LIMEN_API_KEY });
const OUTCOMES = { AGE_ABOVE_THRESHOLD: 'adult', AGE_BELOW_THRESHOLD: 'minor' };
/** By their id: `open`, `adult`, `minor` or `unknown`. A real shop has a database. */
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
  orders.set(order, 'open');
  response.status(201).json({ order, launchUrl });
});

app.get('/orders/:order', (request, response) => {
  response.json({ state: orders.get(request.params.order) ?? 'none' });
});

// The bytes as they came: a body that was parsed and written again has another signature.
app.post('/webhook', express.raw({ type: '*/*' }), async (request, response) => {
  const webhook = await verifyWebhook(request.body, request.headers, LIMEN_API_KEY).catch(() => undefined);
  if (!webhook) return response.sendStatus(401);
  const { event, body } = webhook;
  // It may come twice; the order is the same then.
  if (event === 'age_session.ended' && orders.has(body.metadata.order)) {
    orders.set(body.metadata.order, OUTCOMES[body.sessionStatus] ?? 'unknown');
  }
  response.sendStatus(204);
});

app.listen(Number(PORT), () => console.log(`The shop is at ${hostUrl}`));
