// The HTTP server that every feature is mounted on: limits, ids, headers, errors, metrics and one log line per request.

import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox';
import Fastify, {
  type FastifyError,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  type onSendHookHandler,
} from 'fastify';
import type { Logger } from 'pino';
import { AppError } from '../errors.ts';
import { createRequestLog, type RequestLine } from '../logging.ts';
import type { KeyPairFiles } from '../read-key-pair.ts';
import type { Tracing } from '../tracing/tracing.ts';
import { type AllowedMethods, watchAllowedMethods } from './allowed-methods.ts';
import { refuseContentEncoding } from './body/content-encoding.ts';
import { useStrictJson } from './body/json-body.ts';
import { shareNamedSchemas } from './body/named-schemas.ts';
import { takeMissingBodyAsEmpty } from './body/optional-body.ts';
import { readKnownFields } from './body/read-fields.ts';
import { buildSerializer } from './body/serialization.ts';
import { buildValidator } from './body/validation.ts';
import { createCommonHeaders } from './common-headers.ts';
import { createErrorHandler, type RefusalForm } from './error-handler.ts';
import type { HttpServer } from './http-server.ts';
import { announcedBytes, createByteBudget } from './limits/byte-budget.ts';
import { clientAddress } from './limits/client-address.ts';
import { createConnections } from './limits/connections.ts';
import { takeToken } from './limits/rate-limit.ts';
import { createTokenBuckets, type RateLimit } from './limits/token-buckets.ts';
import { readTls } from './read-tls.ts';
import { API_HEADERS, TLS_HEADERS } from './security-headers.ts';
import { createUnroutedRequests, type ParserError } from './unrouted-requests.ts';
import type { Metrics } from './watch/metrics.ts';
import { watchRequestEnds } from './watch/request-ends.ts';
import { requestIdOf } from './watch/request-id.ts';
import { traceRequests } from './watch/trace-requests.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** The caller's own id for tracking, on routes that take one. */
    correlationId: string | null;
    /** The text of the body's member that the route keeps; null where it keeps none or the body has none. */
    memberText: string | null;
    /** The text of the JSON body; null unless an idempotency key came with it. */
    bodyText: string | null;
    /** Gives back the room that was reserved for the body; null where the request announced none. */
    giveBackBodyRoom: (() => void) | null;
  }
  interface FastifyContextConfig {
    /**
     * Not counted by the common rate limit: probes and pages, because a busy client must not make a health check fail,
     * and areas with a limit of their own.
     */
    unlimited?: true;
    /** Name of a free-form member of the body that is kept as the text that came, not as its value. */
    keepsTextOf?: string;
  }
}

const DEFAULT_BODY_LIMIT = 64 * 1024;
const MAX_HEADER_BYTES = 16 * 1024;
const MAX_CONNECTIONS = 10_000;

/** How long a client may take; a test shortens them. */
export interface HttpTimeouts {
  headersMs: number;
  requestMs: number;
  /** How long a connection may stand still, also while a reply waits to be read. */
  idleMs: number;
}
const DEFAULT_TIMEOUTS: HttpTimeouts = { headersMs: 10_000, requestMs: 30_000, idleMs: 60_000 };

export interface ServerOptions {
  /** `forGood` tells browsers to come by https only for a year, which on a developer's `localhost` outlives the work. */
  tls: (KeyPairFiles & { forGood: boolean }) | undefined;
  trustProxy: boolean | number | string[];
  addressRateLimit: RateLimit | undefined;
  timeouts?: HttpTimeouts | undefined;
  /** Areas whose refusals have a form of their own. */
  refusalForm?: RefusalForm | undefined;
  metrics: Metrics;
  /** Undefined where it is off. */
  tracing?: Tracing | undefined;
  log: Logger;
}

export function createHttpServer(options: ServerOptions): HttpServer {
  const { tls, trustProxy, metrics, log, timeouts = DEFAULT_TIMEOUTS } = options;
  const handleError = createErrorHandler(log, options.refusalForm);
  const everyReply = tls?.forGood ? { ...API_HEADERS, ...TLS_HEADERS } : API_HEADERS;
  const commonHeaders = createCommonHeaders(everyReply);
  const limits = {
    maxHeaderSize: MAX_HEADER_BYTES,
    headersTimeout: timeouts.headersMs,
    connectionsCheckingInterval: Math.min(timeouts.headersMs, 5_000),
    requireHostHeader: false, // checked below, where the refusal gets our body and headers
    ServerResponse: commonHeaders.Response,
  };
  const pair = tls && readTls(tls);
  const app = Fastify({
    ...(pair ? { https: { cert: pair.cert, key: pair.key, ...limits } } : { http: limits }),
    connectionTimeout: timeouts.idleMs,
    requestTimeout: timeouts.requestMs,
    bodyLimit: DEFAULT_BODY_LIMIT,
    // Each route judges its own parameters; the request line as a whole is limited already.
    routerOptions: { maxParamLength: MAX_HEADER_BYTES },
    trustProxy,
    genReqId: requestIdOf,
    requestIdHeader: false,
    forceCloseConnections: 'idle',
    return503OnClosing: false, // ours below carries our headers and body
    // Fastify logs raw errors and URLs; ours logs neither (see access log and error handler below).
    logger: false,
    clientErrorHandler: (error: ParserError, socket: Socket) => unrouted.answerBroken(error, socket),
    frameworkErrors(error: FastifyError, request: FastifyRequest, reply: FastifyReply) {
      commonHeaders.setOn(request, reply); // hooks do not run for these
      requestEnds.watch(reply);
      connections.enter(reply); // its end counts it out
      handleError(error, request, reply);
    },
    schemaController: { bucket: shareNamedSchemas, compilersFactory: { buildValidator, buildSerializer } },
  } as never).withTypeProvider<TypeBoxTypeProvider>() as unknown as HttpServer;
  app.server.maxConnections = MAX_CONNECTIONS;

  const allowedMethods = watchAllowedMethods(app as unknown as FastifyInstance);
  useStrictJson(app as unknown as FastifyInstance);
  app.setErrorHandler(handleError);
  // Node keeps these to itself; so they are refused as all others are, below.
  const unmetExpectations = new WeakSet<IncomingMessage>();
  app.server.on('checkExpectation', (request, response) => {
    unmetExpectations.add(request);
    app.server.emit('request', request, response);
  });
  app.server.on('connect', (request, socket) => unrouted.refuseConnect(request, socket));

  app.decorateRequest('apiKey', null);
  app.decorateRequest('provenKey', null);
  app.decorateRequest('correlationId', null);
  app.decorateRequest('memberText', null);
  app.decorateRequest('bodyText', null);
  app.decorateRequest('giveBackBodyRoom', null);
  const addressBuckets = options.addressRateLimit && createTokenBuckets(options.addressRateLimit);
  const bodyBudget = createByteBudget();
  const connections = createConnections();
  let closing = false;
  const traces = options.tracing && traceRequests(app as unknown as FastifyInstance, options.tracing);
  app.addHook('preClose', (done) => {
    closing = true;
    done();
  });
  app.addHook('onRequest', (request, reply, done) => {
    commonHeaders.setOn(request, reply);
    requestEnds.watch(reply);
    connections.enter(reply);
    connections.refuseCrowd(reply);
    if (closing) throw stopping();
    if (request.headers.host === undefined && request.raw.httpVersion === '1.1') {
      throw new AppError('malformed_request', 'An HTTP/1.1 request must name its Host.');
    }
    if (unmetExpectations.has(request.raw)) {
      throw new AppError('expectation_failed', 'The only supported expectation is 100-continue.', {
        headers: { connection: 'close' },
      });
    }
    if (addressBuckets && !request.routeOptions.config.unlimited) {
      takeToken(addressBuckets, clientAddress(request), reply);
    }
    // Before the body: an unknown path is not worth reading one for.
    if (request.is404) throw refuseUnmatched(allowedMethods, request);
    if (request.headers['content-length'] !== undefined || request.headers['transfer-encoding'] !== undefined) {
      request.giveBackBodyRoom = bodyBudget.take(reply, announcedBytes(request));
    }
    done();
  });

  app.addHook('preParsing', refuseContentEncoding);
  const logRequest = createRequestLog(log);
  // The route's pattern and never the URL: paths and queries carry tokens and personal values.
  const note = (line: RequestLine) => {
    metrics.observeRequest(line.method, line.route, line.status, line.ms);
    logRequest(line);
  };
  const requestEnds = watchRequestEnds((reply, route, status, elapsedMs) => {
    const { request } = reply;
    // A connection that was busy when the service began to stop is closed as soon as its reply is out.
    if (closing) setImmediate(() => app.server.closeIdleConnections());
    connections.leave(reply);
    traces?.end(request, route, status);
    // Of a path that is not well formed there is a bare request, without our fields.
    const { id: requestId, method, correlationId = null } = request;
    const ms = Math.round(elapsedMs * 100) / 100;
    note({ requestId, correlationId, traceId: traces?.idOf(request), method, route, status, ms });
  });
  const unrouted = createUnroutedRequests({
    common: everyReply,
    maxHeaderBytes: MAX_HEADER_BYTES,
    connections,
    requestEnds,
    note: (line) => note({ ...line, correlationId: null, ms: 0 }),
  });
  app.addHook('onRoute', (route) => {
    const { url } = route;
    takeMissingBodyAsEmpty(route);
    readKnownFields(route);
    route.onRequest = [requestEnds.nameRoute(url), ...[route.onRequest ?? []].flat()];
    if (url.length > 0 && [route.method].flat().some((method) => method !== 'GET' && method !== 'HEAD')) {
      // Once there is an answer the body is of no use; a client that does not read must not hold its room.
      const dropBody: onSendHookHandler = (request, _reply, payload, done) => {
        request.giveBackBodyRoom?.();
        request.body = undefined;
        request.bodyText = null;
        done(null, payload);
      };
      route.onSend = [...[route.onSend ?? []].flat(), dropBody];
    }
  });
  return app;
}

function refuseUnmatched(allowedMethods: AllowedMethods, { url }: FastifyRequest): AppError {
  const allowed = allowedMethods.of(url.split('?', 1)[0] ?? '');
  return allowed.length === 0
    ? new AppError('not_found', 'There is nothing at this path; GET /openapi.json lists what there is.')
    : new AppError('method_not_allowed', `This path takes ${allowed.join(', ')}.`, {
        headers: { allow: allowed.join(', ') },
      });
}

function stopping(): AppError {
  return new AppError('unavailable', 'The service is stopping; try again in a moment.', {
    headers: { 'retry-after': '1', connection: 'close' },
  });
}
