// Prometheus metrics of the process, and who may read them.
import { ErrorReply, ref } from '@limen/contract';
import type { FastifyRequest } from 'fastify';
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import { Type } from 'typebox';
import { AppError } from '../base/errors.ts';
import { onlyAs } from '../http/body/media-types.ts';
import type { HttpServer } from '../http/types.ts';
import { isSameText } from '../sealing/same-text.ts';

export interface Metrics {
  observeRequest(method: string, route: string, status: number, milliseconds: number): void;
  /** A gauge whose values are fetched when somebody looks. */
  addGauge(name: string, help: string, labels: string[], collect: (gauge: Gauge) => Promise<void>): void;
  /** Something that only grows, and is counted elsewhere. */
  addCounter(name: string, help: string, read: () => number): void;
  /** The same, by one label. */
  addCounters(name: string, help: string, label: string, read: () => ReadonlyMap<string, number>): void;
  text(): Promise<string>;
}

/** Upper bounds in seconds. */
const REQUEST_BUCKETS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10];

/** `processMetrics` adds memory, event loop and garbage collection; they are global, so only `main` asks for them. */
export function createMetrics(processMetrics: boolean): Metrics {
  const register = new Registry();
  if (processMetrics) collectDefaultMetrics({ register });
  const requests = new Histogram({
    name: 'limen_http_request_duration_seconds',
    help: 'Time from request to the end of the reply.',
    labelNames: ['method', 'route', 'status'],
    buckets: REQUEST_BUCKETS,
    registers: [register],
  });
  return {
    observeRequest(method, route, status, milliseconds) {
      requests.observe({ method, route, status }, milliseconds / 1000);
    },
    addGauge(name, help, labelNames, collect) {
      new Gauge({
        name,
        help,
        labelNames,
        registers: [register],
        async collect() {
          this.reset();
          if (labelNames.length === 0) this.remove(); // which is 0 after a reset, as if somebody had said so
          // A scrape must not fail with the database: then the gauge is simply not there.
          await collect(this).catch(() => {});
        },
      });
    },
    addCounter(name, help, read) {
      new Counter({
        name,
        help,
        registers: [register],
        collect() {
          this.reset();
          this.inc(read());
        },
      });
    },
    addCounters(name, help, label, read) {
      new Counter({
        name,
        help,
        labelNames: [label],
        registers: [register],
        collect() {
          this.reset();
          for (const [value, count] of read()) this.inc({ [label]: value }, count);
        },
      });
    },
    text: () => register.metrics(),
  };
}

export function registerMetricsRoute(app: HttpServer, metrics: Metrics, token: string | undefined): void {
  app.get(
    '/metrics',
    {
      config: { unlimited: true },
      schema: {
        tags: ['Operation'],
        summary: 'Metrics in Prometheus text format',
        description:
          'From loopback only, unless `METRICS_TOKEN` is set; then from anywhere, with it as the bearer token.',
        security: [{}, { metricsToken: [] }],
        response: {
          200: onlyAs('text/plain', Type.String(), 'The metrics.'),
          401: ref(ErrorReply, '`METRICS_TOKEN` is set, and was not sent as the bearer token.'),
          403: ref(ErrorReply, 'The request comes from another machine, and no `METRICS_TOKEN` is set.'),
        },
      },
    },
    async (request, reply) => {
      assertMayRead(request, token);
      return reply.type('text/plain; version=0.0.4; charset=utf-8').send(await metrics.text());
    },
  );
}

function assertMayRead(request: FastifyRequest, token: string | undefined): void {
  if (token !== undefined) {
    if (!isSameText(request.headers.authorization ?? '', `Bearer ${token}`)) {
      throw new AppError('invalid_metrics_token', 'Send METRICS_TOKEN as the bearer token.', {
        headers: { 'www-authenticate': 'Bearer' },
      });
    }
    return;
  }
  // A proxy on this machine also connects from loopback; its header gives the real distance away.
  const proxied = request.headers['x-forwarded-for'] !== undefined || request.headers.forwarded !== undefined;
  const local = /^(127\.|::1$|::ffff:127\.)/.test(request.socket.remoteAddress ?? '');
  if (!local || proxied) {
    throw new AppError(
      'forbidden',
      'Metrics are for this machine only; set METRICS_TOKEN to read them from elsewhere.',
    );
  }
}
