// The HTTP server that every feature is mounted on: limits, ids, headers, errors, metrics and one log line per request.

import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import proxyAddr from '@fastify/proxy-addr';
import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox';
import Fastify, {
  type FastifyError,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  type onSendHookHandler,
  type preParsingHookHandler,
} from 'fastify';
import type { Logger } from 'pino';
import { AppError } from '../base/errors.ts';
import { createRequestLog, type RequestLine } from '../base/logging.ts';
import type { KeyPair } from '../files/key-pair.ts';
import type { Tracing } from '../tracing/tracing.ts';
import type { Metrics } from '../watch/metrics.ts';
import { type AllowedMethods, watchAllowedMethods } from './allowed-methods.ts';
import { tooLarge } from './body/collect-body.ts';
import { refuseContentEncoding } from './body/content-encoding.ts';
import { useStrictJson } from './body/json.ts';
import { shareNamedSchemas } from './body/named-schemas.ts';
import { takeMissingBodyAsEmpty } from './body/optional.ts';
import { readKnownFields } from './body/read-fields.ts';
import { buildSerializer } from './body/serialization.ts';
import { buildValidator } from './body/validation.ts';
import { createErrorHandler, type RefusalForm } from './error-handler.ts';
import { type ConnectionLimits, limitConnections } from './limits/admission.ts';
import { announcedBytes, hasBody } from './limits/announced-body.ts';
import { createBodyPace } from './limits/body-pace.ts';
import { createByteBudget, type Room } from './limits/byte-budget.ts';
import { clientAddress } from './limits/client-address.ts';
import { createConnections } from './limits/connections.ts';
import { createForwardingPeers } from './limits/forwarding-peers.ts';
import { takeToken } from './limits/rate-limit.ts';
import { createTokenBuckets, type RateLimit } from './limits/token-buckets.ts';
import { createUnreadBodies } from './limits/unread-bodies.ts';
import { createResponseClass, type HttpResponse } from './response.ts';
import { API_HEADERS, TLS_HEADERS } from './security-headers.ts';
import type { HttpServer } from './types.ts';
import { createUnroutedRequests, type ParserError } from './unrouted-requests.ts';
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
    /** Bytes that the route allows for a body. */
    bodyLimit: number;
    /** The room that the body takes as it arrives; null until it is about to be read, and for a request without a body. */
    bodyRoom: Room | null;
  }
  interface FastifyContextConfig {
    /**
     * Not counted by the common rate limit: probes and pages, because a busy client must not make a health check fail,
     * and areas with a limit of their own.
     */
    unlimited?: true;
    /** Name of a free-form member of the body that is kept as the text that came, not as its value. */
    keepsTextOf?: string;
    /** The route reads its body itself, as a stream or a form. An empty one keeps its content type. */
    readsBody?: true;
    /** The reply may be large: its bytes count until the client has read it. */
    countsReply?: true;
  }
}

const DEFAULT_BODY_LIMIT = 64 * 1024;
const MAX_HEADER_BYTES = 16 * 1024;
const CONNECTION_LIMITS: ConnectionLimits = { total: 10_000, perAddress: 256 };
/** How often Node looks for connections whose headers are overdue. */
const HEADERS_CHECK_MS = 2_000;

/** How long a client may take; a test shortens them. */
export interface HttpTimeouts {
  /** How long a client may take for the headers, and for its first byte. */
  headersMs: number;
  /** How far a body may fall behind the pace (limits/body-pace.ts). */
  bodyGraceMs: number;
  /** How long a connection may stand still, also while a reply waits to be read. */
  idleMs: number;
}
const DEFAULT_TIMEOUTS: HttpTimeouts = { headersMs: 10_000, bodyGraceMs: 10_000, idleMs: 60_000 };

export interface ServerContext {
  metrics: Metrics;
  /** Undefined if tracing is off. */
  tracing?: Tracing | undefined;
  log: Logger;
}

export interface ServerSettings {
  /** `forGood` makes browsers use https only for a year, which on a developer's `localhost` outlives the work. */
  tls?: { pair: KeyPair; forGood: boolean } | undefined;
  trustProxy?: boolean | string[];
  addressRateLimit?: RateLimit | undefined;
  connectionLimits?: ConnectionLimits | undefined;
}

export interface ServerHooks {
  timeouts?: HttpTimeouts | undefined;
  /** Called once, when requests come through a proxy that is not trusted. */
  onUntrustedProxy?: (() => void) | undefined;
  /** Areas whose refusals have a form of their own. */
  refusalForm?: RefusalForm | undefined;
}

export function createHttpServer(
  { metrics, tracing, log }: ServerContext,
  { tls, trustProxy = false, addressRateLimit, connectionLimits = CONNECTION_LIMITS }: ServerSettings = {},
  { timeouts = DEFAULT_TIMEOUTS, onUntrustedProxy, refusalForm }: ServerHooks = {},
): HttpServer {
  const handleError = createErrorHandler(log, refusalForm);
  const everyReply = tls?.forGood ? { ...API_HEADERS, ...TLS_HEADERS } : API_HEADERS;
  const isTrustedProxy = compileTrust(trustProxy);
  const forwardingPeers = createForwardingPeers({
    trustsProxy: isTrustedProxy !== undefined,
    onFound: onUntrustedProxy,
  });
  const connections = createConnections();
  /** Requests whose client waits for `100 Continue` before it sends the body. */
  const awaitingContinue = new WeakSet<IncomingMessage>();
  const unreadBodies = createUnreadBodies({
    forwardingPeers,
    awaitsContinue: (request) => awaitingContinue.has(request),
  });
  const limits = {
    maxHeaderSize: MAX_HEADER_BYTES,
    headersTimeout: timeouts.headersMs,
    handshakeTimeout: timeouts.headersMs,
    connectionsCheckingInterval: Math.min(timeouts.headersMs, HEADERS_CHECK_MS),
    requireHostHeader: false, // checked below, where the refusal gets our body and headers
    ServerResponse: createResponseClass(unreadBodies, connections),
  };
  const app = Fastify({
    ...(tls ? { https: { cert: tls.pair.cert, key: tls.pair.key, ...limits } } : { http: limits }),
    connectionTimeout: timeouts.idleMs,
    requestTimeout: 0, // the pace of the body decides
    bodyLimit: DEFAULT_BODY_LIMIT,
    // Each route judges its own parameters; the request line as a whole is limited already.
    routerOptions: { maxParamLength: MAX_HEADER_BYTES },
    trustProxy: isTrustedProxy ?? false,
    genReqId: requestIdOf,
    requestIdHeader: false,
    forceCloseConnections: 'idle',
    return503OnClosing: false, // ours below carries our headers and body
    // Fastify logs raw errors and URLs; ours logs neither (see access log and error handler below).
    logger: false,
    clientErrorHandler: (error: ParserError, socket: Socket) => unrouted.answerBroken(error, socket),
    frameworkErrors(error: FastifyError, request: FastifyRequest, reply: FastifyReply) {
      // Hooks do not run for these.
      if (connections.isEnding(request.raw.socket)) {
        reply.hijack();
        return;
      }
      beginReply(request, reply);
      requestEnds.watch(reply);
      connections.enter(reply); // its end counts it out
      handleError(error, request, reply);
    },
    schemaController: { bucket: shareNamedSchemas, compilersFactory: { buildValidator, buildSerializer } },
  } as never).withTypeProvider<TypeBoxTypeProvider>() as unknown as HttpServer;

  const beginReply = (request: FastifyRequest, reply: FastifyReply) => {
    (reply.raw as HttpResponse).request = request;
    reply.headers({ ...everyReply, 'x-request-id': request.id });
  };
  const allowedMethods = watchAllowedMethods(app as unknown as FastifyInstance);
  useStrictJson(app as unknown as FastifyInstance);
  app.setErrorHandler(handleError);
  // Node keeps these to itself; so they are refused as all others are, below.
  const unmetExpectations = new WeakSet<IncomingMessage>();
  app.server.on('checkExpectation', (request, response) => {
    unmetExpectations.add(request);
    app.server.emit('request', request, response);
  });
  app.server.on('checkContinue', (request, response) => {
    awaitingContinue.add(request);
    app.server.emit('request', request, response);
  });
  app.server.on('connect', (request, socket) => unrouted.refuseConnect(request, socket));

  app.decorateRequest('apiKey', null);
  app.decorateRequest('provenKey', null);
  app.decorateRequest('correlationId', null);
  app.decorateRequest('memberText', null);
  app.decorateRequest('bodyText', null);
  app.decorateRequest('bodyLimit', DEFAULT_BODY_LIMIT);
  app.decorateRequest('bodyRoom', null);
  const addressBuckets = addressRateLimit && createTokenBuckets(addressRateLimit);
  const bodyBudget = createByteBudget(forwardingPeers);
  const replyBudget = createByteBudget(forwardingPeers);
  const bodyPace = createBodyPace({
    connections,
    graceMs: timeouts.bodyGraceMs,
    onTooSlow: (socket) => unrouted.answerBroken(tooSlow(), socket),
  });
  limitConnections(app.server, {
    ...connectionLimits,
    connections,
    bodyPace,
    forwardingPeers,
    isTrustedProxy: (address) => isTrustedProxy?.(address, 0) ?? false,
  });
  let closing = false;
  // Comes first: after the last reply of a connection, no request of it may be carried out or answered.
  app.addHook('onRequest', (request, reply, done) => {
    if (connections.isEnding(request.raw.socket)) reply.hijack();
    else done();
  });
  const traces = tracing && traceRequests(app as unknown as FastifyInstance, tracing);
  app.addHook('preClose', (done) => {
    closing = true;
    unreadBodies.stop();
    done();
  });
  app.addHook('onClose', async () => bodyPace.stop());
  app.addHook('onRequest', (request, reply, done) => {
    beginReply(request, reply);
    requestEnds.watch(reply);
    connections.enter(reply);
    if (hasBody(request.headers)) bodyPace.watch(request.raw.socket);
    forwardingPeers.note(request);
    connections.refuseCrowd(reply);
    if (closing) throw stopping();
    if (request.headers.host === undefined && request.raw.httpVersion === '1.1') {
      throw new AppError('malformed_request', 'An HTTP/1.1 request must name its Host.');
    }
    if (countHosts(request.raw.rawHeaders) > 1) {
      throw new AppError('malformed_request', 'A request must name its Host only once.');
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
    if (route.config?.countsReply) {
      const countReply: onSendHookHandler = (request, reply, payload, done) => {
        if (reply.statusCode < 400) replyBudget.open(request, reply, 0).take(Buffer.byteLength(String(payload)));
        done(null, payload);
      };
      route.onSend = [...[route.onSend ?? []].flat(), countReply];
    }
    if (url.length > 0 && [route.method].flat().some((method) => method !== 'GET' && method !== 'HEAD')) {
      const limit = route.bodyLimit ?? DEFAULT_BODY_LIMIT;
      const keepsType = route.config?.readsBody === true;
      // Runs after the key check of the route: only an admitted caller gets `100 Continue`, and a proven key has its own pool.
      const beginBody: preParsingHookHandler = (request, reply, payload, done) => {
        request.bodyLimit = limit;
        if (hasBody(request.headers)) {
          if (awaitingContinue.has(request.raw)) {
            if (announcedBytes(request.headers) > limit) throw tooLarge(limit);
            awaitingContinue.delete(request.raw);
            reply.raw.writeContinue();
          }
          request.bodyRoom = bodyBudget.open(request, reply, announcedBytes(request.headers));
        } else if (!keepsType) delete request.headers['content-type'];
        done(null, payload);
      };
      route.preParsing = [...[route.preParsing ?? []].flat(), beginBody];
      // Once there is an answer the body is of no use; a client that does not read must not hold its room.
      const dropBody: onSendHookHandler = (request, _reply, payload, done) => {
        request.bodyRoom?.giveBack();
        request.body = undefined;
        request.bodyText = null;
        done(null, payload);
      };
      route.onSend = [...[route.onSend ?? []].flat(), dropBody];
    }
  });
  return app;
}

/** Returns undefined if no proxy is trusted. */
function compileTrust(trustProxy: boolean | string[]): ((address: string, hop: number) => boolean) | undefined {
  if (trustProxy === false) return undefined;
  return trustProxy === true ? () => true : proxyAddr.compile(trustProxy);
}

function refuseUnmatched(allowedMethods: AllowedMethods, { url }: FastifyRequest): AppError {
  const allowed = allowedMethods.of(url.split('?', 1)[0] ?? '');
  return allowed.length === 0
    ? new AppError('not_found', 'There is nothing at this path; GET /openapi.json lists what there is.')
    : new AppError('method_not_allowed', `This path takes ${allowed.join(', ')}.`, {
        headers: { allow: allowed.join(', ') },
      });
}

function countHosts(rawHeaders: readonly string[]): number {
  let count = 0;
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at]!;
    if (name.length === 4 && name.toLowerCase() === 'host') count += 1;
  }
  return count;
}

/** In the form of Node's own, which it makes of headers that do not come in time. */
function tooSlow(): ParserError {
  return Object.assign(new Error('the body is too slow'), { code: 'ERR_HTTP_REQUEST_TIMEOUT' });
}

function stopping(): AppError {
  return new AppError('unavailable', 'The service is stopping; try again in a moment.', {
    headers: { 'retry-after': '1', connection: 'close' },
  });
}
