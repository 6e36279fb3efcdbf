// Routes for monitoring: readiness and metrics.
import { ErrorReply, Readiness, ref } from '@limen/contract';
import type { FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import { AppError } from '../../base/errors.ts';
import { isSameText } from '../../sealing/same-text.ts';
import type { Metrics } from '../../watch/metrics.ts';
import type { ReadinessChecks } from '../../watch/readiness.ts';
import { onlyAs } from '../body/media-types.ts';
import type { HttpServer } from '../types.ts';

export function registerReadyRoute(app: HttpServer, readiness: ReadinessChecks): void {
  app.get(
    '/ready',
    {
      config: { unlimited: true },
      schema: {
        tags: ['Operation'],
        summary: 'Whether every part is ready',
        description:
          '200 when all parts are ready; 503 while one is still loading, the database does not answer or is read-only, the disk is full or the clock is wrong. `ready; …` says what will need more room soon, which lists cannot be read, or which were not refreshed for too long. `models` and `keyholder` are reported but do not count: without the key-holder, sign-ins and enrollments by face get 503 and everything else is served.',
        response: {
          200: ref(Readiness, 'All parts that count are ready.'),
          503: ref(Readiness, 'At least one is not.'),
        },
      },
    },
    async (_request, reply) => {
      const report = await readiness.report();
      return reply.code(report.status === 'ready' ? 200 : 503).send(report);
    },
  );
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
      const headers = { 'www-authenticate': 'Bearer' };
      throw new AppError('invalid_metrics_token', 'Send METRICS_TOKEN as the bearer token.', { headers });
    }
    return;
  }
  // A proxy on this machine also connects from loopback, but sends a header.
  const proxied = request.headers['x-forwarded-for'] !== undefined || request.headers.forwarded !== undefined;
  const local = /^(127\.|::1$|::ffff:127\.)/.test(request.socket.remoteAddress ?? '');
  if (!local || proxied) {
    const message = 'Metrics are for this machine only; set METRICS_TOKEN to read them from elsewhere.';
    throw new AppError('forbidden', message);
  }
}
