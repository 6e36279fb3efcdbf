// Requests as spans, by the pattern of their route: paths and queries carry tokens and personal values.
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Span, Tracing } from '../../tracing/tracing.ts';

interface RequestTraces {
  idOf(request: FastifyRequest): string | undefined;
  end(request: FastifyRequest, route: string, status: number): void;
}

/** To be called before other hooks are added, so that what they do belongs to the request. */
export function traceRequests(app: FastifyInstance, tracing: Tracing): RequestTraces {
  const spans = new WeakMap<FastifyRequest, Span>();
  app.addHook('onRequest', (request, _reply, done) => {
    const { method } = request;
    const attributes = { 'http.request.method': method, 'limen.request_id': request.id };
    const span = tracing.begin({ name: method, kind: 'server', attributes }, headerOf(request));
    spans.set(request, span);
    tracing.enter(span, done);
  });
  // A body comes with events of its socket, which know nothing of the request.
  app.addHook('preValidation', (request, _reply, done) => {
    const span = spans.get(request);
    if (span) tracing.enter(span, done);
    else done();
  });
  return {
    idOf: (request) => spans.get(request)?.traceId,
    end(request, route, status) {
      const attributes = { 'http.route': route, 'http.response.status_code': status };
      spans.get(request)?.end({ name: `${request.method} ${route}`, attributes, hasFailed: status >= 500 });
    },
  };
}

function headerOf({ headers }: FastifyRequest): string | undefined {
  const { traceparent } = headers;
  return typeof traceparent === 'string' ? traceparent : undefined;
}
