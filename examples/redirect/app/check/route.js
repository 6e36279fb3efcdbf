// POST /check: creates a session and redirects the person there.
import { randomUUID } from 'node:crypto';
import { hostUrl, limen, orders } from '../_shop/limen.js';

export async function POST() {
  const order = randomUUID();
  const { launchUrl } = await limen.ageSessions.create({
    ageThreshold: 18,
    enableDesktop: true,
    metadata: { order },
    callback: { url: `${hostUrl}/webhook` },
    redirectUrl: `${hostUrl}/back?order=${order}`,
  });
  orders.set(order, { decision: { action: 'wait', reason: 'not_ended' } });
  return Response.redirect(launchUrl, 303);
}
