// The demo's webhook receiver: a small loopback server, started with the first check.
import type { IncomingHttpHeaders, Server } from 'node:http';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** Above a result with the largest metadata, or with the largest picture. */
const MAX_BODY_BYTES = 384 * 1024;
const MAX_CONNECTIONS = 32;
const PATIENCE_MS = 5_000;
const PATH = /^\/hooks\/([0-9a-f-]{36})$/;

export interface ReceivedWebhook {
  headers: IncomingHttpHeaders;
  rawBody: Buffer;
}

/** Returns the reply's status. */
type Receive = (id: string, webhook: ReceivedWebhook) => Promise<number>;

export interface WebhookReceiver {
  /** URL for this check's webhooks. */
  urlFor(id: string): Promise<string>;
  close(): Promise<void>;
}

export function createWebhookReceiver(receive: Receive): WebhookReceiver {
  let opening: Promise<Server> | undefined;
  return {
    async urlFor(id) {
      opening ??= open(receive);
      const { port } = (await opening).address() as AddressInfo;
      return `http://127.0.0.1:${port}/hooks/${id}`;
    },
    async close() {
      const server = await opening;
      if (!server) return;
      const closed = new Promise((resolve) => server.close(resolve));
      server.closeAllConnections();
      await closed;
    },
  };
}

function open(receive: Receive): Promise<Server> {
  const timeouts = { headersTimeout: PATIENCE_MS, requestTimeout: PATIENCE_MS, maxHeaderSize: 16 * 1024 };
  const server = createServer(timeouts, (request, response) => {
    const answer = (status: number) => response.writeHead(status, { connection: 'close' }).end();
    const id = PATH.exec(request.url ?? '')?.[1];
    if (id === undefined || request.method !== 'POST') return void answer(404);
    const parts: Buffer[] = [];
    let bytes = 0;
    request.on('data', (part: Buffer) => {
      bytes += part.length;
      if (bytes <= MAX_BODY_BYTES) return void parts.push(part);
      parts.length = 0;
      answer(413);
      request.destroy();
    });
    request.once('error', () => {}); // interrupted, so there is no one to answer
    request.once('end', () => {
      receive(id, { headers: request.headers, rawBody: Buffer.concat(parts) }).then(answer, () => answer(500));
    });
  });
  server.maxConnections = MAX_CONNECTIONS;
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, '127.0.0.1', () => resolve(server.unref()));
  });
}
