// Receives the load's webhooks and counts deliveries.
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

export interface Receiver {
  url: string;
  /** Webhook ids by session token, one per delivery. */
  arrivals: ReadonlyMap<string, readonly string[]>;
  close(): void;
}

export async function startReceiver(): Promise<Receiver> {
  const arrivals = new Map<string, string[]>();
  const server = createServer(async (request, reply) => {
    const { token } = JSON.parse(await text(request)) as { token: string };
    arrivals.set(token, [...(arrivals.get(token) ?? []), String(request.headers['webhook-id'])]);
    reply.writeHead(204).end();
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`,
    arrivals,
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
}
