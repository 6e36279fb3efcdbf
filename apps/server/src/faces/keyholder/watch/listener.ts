// Serves Prometheus and probes on a second port of the key-holder. Its connections are limited, and no failure here ends the process.
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Logger } from 'pino';
import { describeForLog } from '../../../platform/base/errors.ts';
import { isSameText } from '../../../platform/sealing/same-text.ts';
import type { KeyHolderMetrics } from './metrics.ts';

const MAX_CONNECTIONS = 32;
const LIMITS = {
  maxHeaderSize: 8_192,
  headersTimeout: 5_000,
  requestTimeout: 5_000,
  connectionsCheckingInterval: 1_000,
};
/** A client that neither sends nor reads for so long is gone. */
const IDLE_MS = 10_000;
const TEXT = 'text/plain; charset=utf-8';

interface MetricsListenerOptions {
  host: string;
  port: number;
  /** Without it, everyone who reaches the port may read. */
  token: string | undefined;
  watched: KeyHolderMetrics;
  log: Pick<Logger, 'error'>;
}

interface HttpAnswer {
  status: number;
  type: string;
  body: string;
}

export type MetricsListener = NonNullable<Awaited<ReturnType<typeof listenForMetrics>>>;

/** Returns undefined if it cannot listen: the key-holder goes on without it. */
export async function listenForMetrics({ host, port, token, watched, log }: MetricsListenerOptions) {
  async function answer({ method, url, headers }: IncomingMessage): Promise<HttpAnswer> {
    if (method !== 'GET' && method !== 'HEAD') return say(405, 'Only GET and HEAD are answered here.');
    switch (url?.split('?')[0]) {
      case '/health':
        return say(200, 'ok');
      case '/ready': {
        const report = await watched.readiness.report();
        const status = report.status === 'ready' ? 200 : 503;
        return { status, type: 'application/json', body: JSON.stringify(report) };
      }
      case '/metrics':
        if (token !== undefined && !isSameText(headers.authorization ?? '', `Bearer ${token}`))
          return say(401, 'Send KEYHOLDER_METRICS_TOKEN as the bearer token.');
        return { status: 200, type: 'text/plain; version=0.0.4; charset=utf-8', body: await watched.metrics.text() };
      default:
        return say(404, 'Here are /metrics, /health and /ready.');
    }
  }

  const server = createServer(LIMITS, (request, reply) => {
    answer(request)
      .catch((error: unknown) => {
        log.error(describeForLog(error), 'a request for metrics failed');
        return say(500, 'The metrics cannot be read; the log of the key-holder has the reason.');
      })
      .then((answered) => send(reply, answered, request.method === 'HEAD'))
      .catch(() => void reply.destroy());
  });
  server.maxConnections = MAX_CONNECTIONS;
  server.timeout = IDLE_MS;
  server.on('clientError', (_error, socket) => socket.destroy());
  const isListening = await new Promise<boolean>((resolve) => {
    server.on('error', (error) => {
      log.error(
        describeForLog(error),
        'metrics cannot be served; the key-holder goes on: check KEYHOLDER_METRICS_PORT and KEYHOLDER_METRICS_HOST',
      );
      resolve(false);
    });
    server.listen(port, host, () => resolve(true));
  });
  if (!isListening) return undefined;
  return {
    port: (server.address() as AddressInfo).port,
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
}

function say(status: number, sentence: string): HttpAnswer {
  return { status, type: TEXT, body: `${sentence}\n` };
}

function send(reply: ServerResponse, { status, type, body }: HttpAnswer, isHead: boolean): void {
  reply.writeHead(status, {
    'content-type': type,
    'content-length': Buffer.byteLength(body),
    'cache-control': 'no-store',
    connection: 'close',
    ...(status === 401 && { 'www-authenticate': 'Bearer' }),
  });
  reply.end(isHead ? undefined : body);
}
