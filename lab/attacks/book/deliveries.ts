// The delivery log, as read by a host.
import type { WebhookDelivery } from '@limen/contract';
import type { Host } from './host.ts';

const PATIENCE_MS = 20_000;

/** Waits for the session's delivery to satisfy `isThere`. */
export async function waitForDelivery(
  host: Host,
  sessionId: string,
  isThere: (delivery: WebhookDelivery) => boolean = () => true,
): Promise<WebhookDelivery> {
  const until = performance.now() + PATIENCE_MS;
  while (performance.now() < until) {
    const reply = await host.call('GET', `/v2/webhook-deliveries?sessionId=${sessionId}`);
    const [delivery] = reply.json<{ deliveries: WebhookDelivery[] }>().deliveries;
    if (delivery && isThere(delivery)) return delivery;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error('there is no such delivery');
}
