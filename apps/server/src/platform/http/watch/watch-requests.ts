// Watches how each request ends: a line in the log, a place in the metrics and, with tracing, a span. All name the pattern of the
// route, because paths and queries carry tokens and personal values.
import type { ServerResponse } from 'node:http';
import type { FastifyReply, FastifyRequest, onRequestHookHandler } from 'fastify';
import type { Logger } from 'pino';
import { createRequestLog, type RequestLine } from '../../base/logging.ts';
import type { Span, Tracing } from '../../tracing/tracing.ts';
import type { Metrics } from '../../watch/metrics.ts';
import type { HttpServer } from '../types.ts';

export const UNMATCHED = 'unmatched';
/** Status if the client disconnected before the whole reply was sent; nginx uses it too. */
export const NOT_ANSWERED = 499;

export interface WatchContext {
  metrics: Metrics;
  tracing?: Tracing | undefined;
  log: Logger;
}

interface ActiveRequest {
  reply: FastifyReply;
  startedAt: number;
  /** Pattern of the route; undefined until the hook of the route */
  route: string | undefined;
}

const UNDER_WAY = Symbol('request under way');
type Response = ServerResponse & { [UNDER_WAY]?: ActiveRequest | undefined };

export type WatchedRequests = ReturnType<typeof watchRequests>;

/** Call it before other hooks are added: the span of the request then includes them. `onEnd` runs once for each request. */
export function watchRequests(
  app: HttpServer,
  { metrics, tracing, log }: WatchContext,
  onEnd: (reply: FastifyReply) => void,
) {
  const spans = tracing && traceRequests(app, tracing);
  const logRequest = createRequestLog(log);
  const note = (line: RequestLine) => {
    metrics.observeRequest(line.method, line.route, line.status, line.ms);
    logRequest(line);
  };
  const end = (response: Response, status: number) => {
    const underWay = response[UNDER_WAY];
    if (!underWay) return;
    response[UNDER_WAY] = undefined;
    const { reply, startedAt } = underWay;
    const { request } = reply;
    const route = underWay.route ?? request.routeOptions.url ?? UNMATCHED;
    onEnd(reply);
    const span = spans?.get(request);
    const attributes = { 'http.route': route, 'http.response.status_code': status };
    span?.end({ name: `${request.method} ${route}`, attributes, hasFailed: status >= 500 });
    // The request of a malformed path lacks the decorators.
    const { id: requestId, method, correlationId = null } = request;
    const ms = Math.round((performance.now() - startedAt) * 100) / 100;
    note({ requestId, correlationId, traceId: span?.traceId, method, route, status, ms });
  };
  function onFinish(this: Response): void {
    end(this, this.statusCode);
  }
  function onClose(this: Response): void {
    end(this, NOT_ANSWERED);
  }
  return {
    /** Logs and counts a request that has no reply object. */
    note,
    /** Replaces Fastify's own hook, which costs more for each request and misses clients that left. */
    watch(reply: FastifyReply): void {
      const raw: Response = reply.raw;
      raw[UNDER_WAY] = { reply, startedAt: performance.now(), route: undefined };
      // A write after the end fails with an event that would end the process.
      raw
        .on('finish', onFinish)
        .on('close', onClose)
        .on('error', () => {});
    },
    /** Ends a request that was answered without its reply object, or that will not be answered. */
    end: (reply: FastifyReply, status: number): void => end(reply.raw, status),
    /** Returns a hook for one route, which knows its pattern: Fastify builds an object for each lookup of it. */
    nameRoute:
      (pattern: string): onRequestHookHandler =>
      (_request, reply, done) => {
        const underWay = (reply.raw as Response)[UNDER_WAY];
        if (underWay) underWay.route = pattern;
        done();
      },
  };
}

function traceRequests(app: HttpServer, tracing: Tracing): WeakMap<FastifyRequest, Span> {
  const spans = new WeakMap<FastifyRequest, Span>();
  app.addHook('onRequest', (request, _reply, done) => {
    const { method, headers } = request;
    const attributes = { 'http.request.method': method, 'limen.request_id': request.id };
    const traceparent = [headers['traceparent']].flat()[0];
    const span = tracing.begin({ name: method, kind: 'server', attributes }, traceparent);
    spans.set(request, span);
    tracing.enter(span, done);
  });
  // The body arrives with events of the socket, which do not know the request.
  app.addHook('preValidation', (request, _reply, done) => {
    const span = spans.get(request);
    if (span) tracing.enter(span, done);
    else done();
  });
  return spans;
}
