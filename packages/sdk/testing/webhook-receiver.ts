// A host application's webhook receiver: verifies signatures and replies as configured.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { onTestFinished } from 'vitest';
import { type VerifiedWebhook, verifyWebhook } from '../src/index.ts';

export interface WebhookReceiver {
  url: string;
  /** Status of the next replies. */
  status: number;
  /** Verified webhooks only. Others are answered with 500. */
  webhooks: VerifiedWebhook[];
}

/** Closed when the test ends. */
export async function startWebhookReceiver(apiKey: string): Promise<WebhookReceiver> {
  const receiver: WebhookReceiver = { url: '', status: 204, webhooks: [] };
  const server = createServer(async (request, response) => {
    const webhook = await verifyWebhook(await text(request), request.headers, apiKey).catch(() => undefined);
    if (webhook) receiver.webhooks.push(webhook);
    response.writeHead(webhook ? receiver.status : 500).end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  receiver.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`;
  return receiver;
}
