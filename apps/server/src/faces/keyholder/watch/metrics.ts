// Metrics and readiness of a key-holder's process, served on a second port. No label has a customer, a person or an address.
import type { IncomingMessage } from 'node:http';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Logger } from 'pino';
import { describeForLog } from '../../../platform/base/errors.ts';
import { isSameText } from '../../../platform/sealing/same-text.ts';
import { createMetrics } from '../../../platform/watch/metrics.ts';
import { createReadiness, isReady, READY } from '../../../platform/watch/readiness.ts';
import type { CallCounts } from '../answer-call.ts';
import type { OpenedService } from '../open.ts';
import type { TlsServer } from '../tls-server.ts';

const REPORT_TTL_MS = 1_000;
const PATIENCE_MS = 3_000;
const SILENT = 'the store does not answer';

export type KeyHolderMetrics = ReturnType<typeof createKeyHolderMetrics>;

export function createKeyHolderMetrics(
  service: Pick<OpenedService, 'report' | 'auditProblems'>,
  server: Pick<TlsServer, 'connections' | 'refused'>,
  counts: CallCounts,
  { processMetrics }: { processMetrics: boolean },
) {
  const report = cacheReport(service.report);
  const metrics = createMetrics(processMetrics);
  const readiness = createReadiness();
  const addCheck = (name: string, findFault: (found: Awaited<ReturnType<typeof report>>) => string | undefined) =>
    readiness.add(name, () =>
      report().then(
        (found) => findFault(found) ?? READY,
        () => SILENT,
      ),
    );
  addCheck('store', () => undefined);
  addCheck('audit', ({ auditFault }) => auditFault);

  metrics.addCounters('limen_keyholder_calls_total', 'Calls by name.', 'call', () => counts.calls);
  const refusals = 'Calls that were refused, by reason; answers_spent are those beyond a budget of the hour.';
  metrics.addCounters('limen_keyholder_refusals_total', refusals, 'reason', () => counts.refusals);
  const refused = 'Connections that were refused; by secret are those that did not prove KEYHOLDER_SECRET.';
  metrics.addCounters('limen_keyholder_refused_connections_total', refused, 'reason', () => server.refused);
  metrics.addGauge('limen_keyholder_connections', 'Connections that proved the secret.', [], async (gauge) =>
    gauge.set(server.connections()),
  );
  const ready = 'Whether a part is ready, as /ready says; 0 or 1.';
  metrics.addGauge('limen_keyholder_ready', ready, ['part'], async (gauge) => {
    const { checks } = await readiness.report();
    for (const [part, state] of Object.entries(checks)) gauge.set({ part }, isReady(state) ? 1 : 0);
  });
  const spent = 'Most answers that anyone has had of a budget in this hour.';
  metrics.addGauge('limen_keyholder_answers_spent', spent, ['budget'], async (gauge) => {
    for (const { budget, spent } of (await report()).answers) gauge.set({ budget }, spent);
  });
  metrics.addGauge('limen_keyholder_answers_budget', 'Answers in an hour.', ['budget'], async (gauge) => {
    for (const { budget, most } of (await report()).answers) gauge.set({ budget }, most);
  });
  const masterKey =
    'Which key of KEYHOLDER_MASTER_KEY opens the store; 0 for none, so that the process could not start again.';
  metrics.addGauge('limen_keyholder_master_key', masterKey, [], async (gauge) => gauge.set((await report()).masterKey));
  const problems = 'Whether the audit has a problem; 0 or 1.';
  metrics.addGauge('limen_keyholder_audit_problem', problems, ['problem'], async (gauge) => {
    for (const [problem, isThere] of Object.entries(service.auditProblems)) gauge.set({ problem }, isThere ? 1 : 0);
  });
  return { metrics, readiness };
}

/** Never requests two reports at once: a silent store must not take up connections that calls need. */
function cacheReport<Report>(request: () => Promise<Report>): () => Promise<Report> {
  let report: Promise<Report> | undefined;
  let isUnderWay = false;
  let at = Number.NEGATIVE_INFINITY;
  return () => {
    if (!report || (!isUnderWay && performance.now() - at > REPORT_TTL_MS)) {
      at = performance.now();
      isUnderWay = true;
      report = request().finally(() => {
        isUnderWay = false;
      });
    }
    const { promise: timeout, reject } = Promise.withResolvers<never>();
    const timer = setTimeout(reject, PATIENCE_MS, new Error(SILENT)).unref();
    return Promise.race([report, timeout]).finally(() => clearTimeout(timer));
  };
}

const MAX_CONNECTIONS = 32;
const LIMITS = {
  maxHeaderSize: 8_192,
  headersTimeout: 5_000,
  requestTimeout: 5_000,
  connectionsCheckingInterval: 1_000,
};
const IDLE_TIMEOUT_MS = 10_000;

interface MetricsListenerOptions {
  host: string;
  port: number;
  token: string | undefined;
  watched: KeyHolderMetrics;
  log: Pick<Logger, 'error'>;
}

export type MetricsListener = NonNullable<Awaited<ReturnType<typeof listenForMetrics>>>;

/** Serves Prometheus and probes. Returns undefined if it cannot listen: no failure here ends the process. */
export async function listenForMetrics({ host, port, token, watched, log }: MetricsListenerOptions) {
  async function answer({ method, url, headers }: IncomingMessage) {
    if (method !== 'GET' && method !== 'HEAD') return plainText(405, 'Only GET and HEAD are answered here.');
    switch (url?.split('?')[0]) {
      case '/health':
        return plainText(200, 'ok');
      case '/ready': {
        const report = await watched.readiness.report();
        const status = report.status === 'ready' ? 200 : 503;
        return { status, type: 'application/json', body: JSON.stringify(report) };
      }
      case '/metrics':
        if (token !== undefined && !isSameText(headers.authorization ?? '', `Bearer ${token}`))
          return plainText(401, 'Send KEYHOLDER_METRICS_TOKEN as the bearer token.');
        return { status: 200, type: 'text/plain; version=0.0.4; charset=utf-8', body: await watched.metrics.text() };
      default:
        return plainText(404, 'Here are /metrics, /health and /ready.');
    }
  }

  const server = createServer(LIMITS, (request, reply) => {
    answer(request)
      .catch((error: unknown) => {
        log.error(describeForLog(error), 'a request for metrics failed');
        return plainText(500, 'The metrics cannot be read; the log of the key-holder has the reason.');
      })
      .then(({ status, type, body }) => {
        reply.writeHead(status, {
          'content-type': type,
          'content-length': Buffer.byteLength(body),
          'cache-control': 'no-store',
          connection: 'close',
          ...(status === 401 && { 'www-authenticate': 'Bearer' }),
        });
        reply.end(request.method === 'HEAD' ? undefined : body);
      })
      .catch(() => void reply.destroy());
  });
  server.maxConnections = MAX_CONNECTIONS;
  server.timeout = IDLE_TIMEOUT_MS;
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

function plainText(status: number, sentence: string) {
  return { status, type: 'text/plain; charset=utf-8', body: `${sentence}\n` };
}
