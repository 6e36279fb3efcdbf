// POST /webhook: what the service says of a check, if it is the service that says it.
import { verifyWebhook } from '@limen/sdk';
import { apiKey, orders } from '../_shop/limen.js';

const OUTCOMES = { AGE_ABOVE_THRESHOLD: 'adult', AGE_BELOW_THRESHOLD: 'minor' };

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
  // It may come twice; the order is the same then.
  if (event === 'age_session.ended' && orders.has(body.metadata.order)) {
    orders.set(body.metadata.order, OUTCOMES[body.sessionStatus] ?? 'unknown');
  }
  return new Response(null, { status: 204 });
}
