// Every request has a line in the log, a place in the metrics and, with tracing, a span: by the pattern of its route, because paths
// and queries carry tokens and personal values.
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Logger } from 'pino';
import { createRequestLog, type RequestLine } from '../../base/logging.ts';
import type { Span, Tracing } from '../../tracing/tracing.ts';
import type { Metrics } from '../../watch/metrics.ts';
import type { HttpServer } from '../types.ts';
import { type RequestEnds, watchRequestEnds } from './request-ends.ts';

export interface WatchContext {
  metrics: Metrics;
  /** Undefined if tracing is off. */
  tracing?: Tracing | undefined;
  log: Logger;
}

/** To be called before other hooks are added, so that what they do belongs to the span of the request. */
export function watchRequests(
  app: HttpServer,
  { metrics, tracing, log }: WatchContext,
  onEnd: (reply: FastifyReply) => void,
): { requestEnds: RequestEnds; note: (line: RequestLine) => void } {
  const spans = tracing && traceRequests(app, tracing);
  const logRequest = createRequestLog(log);
  const note = (line: RequestLine) => {
    metrics.observeRequest(line.method, line.route, line.status, line.ms);
    logRequest(line);
  };
  const requestEnds = watchRequestEnds((reply, route, status, elapsedMs) => {
    const { request } = reply;
    onEnd(reply);
    const span = spans?.get(request);
    const attributes = { 'http.route': route, 'http.response.status_code': status };
    span?.end({ name: `${request.method} ${route}`, attributes, hasFailed: status >= 500 });
    // Of a path that is not well formed there is a bare request, without our fields.
    const { id: requestId, method, correlationId = null } = request;
    const ms = Math.round(elapsedMs * 100) / 100;
    note({ requestId, correlationId, traceId: span?.traceId, method, route, status, ms });
  });
  return { requestEnds, note };
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
  // A body comes with events of its socket, which know nothing of the request.
  app.addHook('preValidation', (request, _reply, done) => {
    const span = spans.get(request);
    if (span) tracing.enter(span, done);
    else done();
  });
  return spans;
}
