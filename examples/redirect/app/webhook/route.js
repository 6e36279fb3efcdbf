// POST /webhook: receives the outcome of a check, after verifying that the service sent it.
import { decide, verifyWebhook } from '@limen/sdk';
import { apiKey, orders } from '../_shop/limen.js';

export async function POST(request) {
  // The raw text, because the signature does not cover a re-serialized body.
  const text = await request.text();
  let webhook;
  try {
    webhook = await verifyWebhook(text, Object.fromEntries(request.headers), apiKey);
  } catch {
    return new Response(null, { status: 401 });
  }
  const { event, body } = webhook;
  if (event !== 'age_session.ended' && event !== 'review.decided') return new Response(null, { status: 204 });
  // The webhook of a session's end repeats `metadata`; that of a later review names only the
  // session.
  const order = event === 'review.decided' ? findBySession(body.sessionId) : orders.get(body.metadata.order);
  // A review can overtake its session's end. After a 404 the service sends it again.
  if (!order) return new Response(null, { status: 404 });
  settle(order, body);
  return new Response(null, { status: 204 });
}

/** Webhooks may be repeated, so a settled order stays unchanged. */
function settle(order, body) {
  if (order.decision.action !== 'wait') return;
  order.sessionId = body.sessionId;
  order.decision = decide(body);
}

function findBySession(sessionId) {
  return [...orders.values()].find((order) => order.sessionId === sessionId);
}
