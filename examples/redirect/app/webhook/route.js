// POST /webhook: what the service says of a check, if it is the service that says it.
import { decide, verifyWebhook } from '@limen/sdk';
import { apiKey, orders } from '../_shop/limen.js';

export async function POST(request) {
  // The text as it came: a body that was parsed and written again has another signature.
  const text = await request.text();
  let webhook;
  try {
    webhook = await verifyWebhook(text, Object.fromEntries(request.headers), apiKey);
  } catch {
    return new Response(null, { status: 401 });
  }
  const { event, body } = webhook;
  if (event !== 'age_session.ended' && event !== 'review.decided') return new Response(null, { status: 204 });
  // The end of a session repeats `metadata`; a review that is decided later names the session only.
  const order = event === 'review.decided' ? findBySession(body.sessionId) : orders.get(body.metadata.order);
  // A review can overtake the end of its session. After a 404 the service sends it again.
  if (!order) return new Response(null, { status: 404 });
  settle(order, body);
  return new Response(null, { status: 204 });
}

/** Either webhook may come twice, so a settled order stays as it is. */
function settle(order, body) {
  if (order.decision.action !== 'wait') return;
  order.sessionId = body.sessionId;
  order.decision = decide(body);
}

function findBySession(sessionId) {
  return [...orders.values()].find((order) => order.sessionId === sessionId);
}
