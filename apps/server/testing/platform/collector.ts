// A collector of traces on loopback that stores everything.
import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';

export interface CollectedSpan {
  traceId: string;
  spanId: string;
  parentSpanId?: string;
  name: string;
  kind: number;
  startTimeUnixNano: string;
  endTimeUnixNano: string;
  attributes: { key: string; value: { stringValue?: string; intValue?: number } }[];
  status: { code?: number };
}

export interface Collector {
  url: string;
  spans: CollectedSpan[];
  /** Received batches, as text */
  texts: string[];
  headers: IncomingHttpHeaders[];
  /** Sets the status of later replies. */
  answer(status: number): void;
}

export async function startCollector(): Promise<Collector> {
  const [spans, texts, headers]: [CollectedSpan[], string[], IncomingHttpHeaders[]] = [[], [], []];
  let status = 200;
  const server = createServer(async (request, reply) => {
    let body = '';
    for await (const chunk of request) body += chunk;
    if (request.method !== 'POST' || request.url !== '/v1/traces') return void reply.writeHead(404).end();
    headers.push(request.headers);
    if (status === 200) {
      texts.push(body);
      spans.push(...JSON.parse(body).resourceSpans[0].scopeSpans[0].spans);
    }
    reply.writeHead(status, { 'content-type': 'application/json' }).end('{}');
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url,
    spans,
    texts,
    headers,
    answer(next) {
      status = next;
    },
  };
}
