// A receiver of webhooks on loopback that follows the test's instructions and records what it
// received.
import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';

export interface ReceivedWebhook {
  method: string;
  path: string;
  headers: IncomingHttpHeaders;
  body: string;
}

export interface Receiver {
  url: string;
  received: ReceivedWebhook[];
  /** Resolves once this many have arrived. */
  arrived(count: number): Promise<void>;
}

export type ReceiverAnswer = number | ((reply: ServerResponse, request: IncomingMessage) => void);

export const hang: ReceiverAnswer = () => {};

/**
 * `answer` chooses the reply to each request by its number from 1: a status, or a custom action.
 */
export async function startReceiver(
  answer: (nth: number) => ReceiverAnswer,
  atEnd: (close: () => void) => void = onTestFinished,
): Promise<Receiver> {
  const received: ReceivedWebhook[] = [];
  const waiting: { count: number; resolve: () => void }[] = [];
  const server = createServer(async (request, reply) => {
    let body = '';
    for await (const chunk of request) body += chunk;
    received.push({ method: request.method ?? '', path: request.url ?? '', headers: request.headers, body });
    const how = answer(received.length);
    if (typeof how === 'number') reply.writeHead(how).end('thanks');
    else how(reply, request);
    for (const { count, resolve } of waiting) if (received.length >= count) resolve();
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  atEnd(() => {
    server.closeAllConnections();
    server.close();
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`,
    received,
    async arrived(count) {
      if (received.length >= count) return;
      const { promise, resolve } = Promise.withResolvers<void>();
      waiting.push({ count, resolve });
      await promise;
    },
  };
}
