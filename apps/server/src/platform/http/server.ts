// The HTTP server that every feature is mounted on: limits, ids, headers, errors, metrics and one log line per request.
import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import proxyAddr from '@fastify/proxy-addr';
import Fastify, { type FastifyError, type FastifyReply, type FastifyRequest } from 'fastify';
import { AppError } from '../base/errors.ts';
import type { KeyPair } from '../files/key-pair.ts';
import { type AllowedMethods, watchAllowedMethods } from './allowed-methods.ts';
import { shareNamedSchemas } from './body/named-schemas.ts';
import { DEFAULT_BODY_LIMIT, readBodies } from './body/read-bodies.ts';
import { buildSerializer } from './body/serialization.ts';
import { buildValidator } from './body/validation.ts';
import { createErrorHandler, type RefusalForm } from './error-handler.ts';
import { type ConnectionLimits, limitConnections } from './limits/admission.ts';
import { hasBody } from './limits/announced-body.ts';
import { createBodyPace } from './limits/body-pace.ts';
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
import { requestIdOf } from './watch/request-id.ts';
import { type WatchContext, watchRequests } from './watch/watch-requests.ts';

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
  context: WatchContext,
  { tls, trustProxy = false, addressRateLimit, connectionLimits = CONNECTION_LIMITS }: ServerSettings = {},
  { timeouts = DEFAULT_TIMEOUTS, onUntrustedProxy, refusalForm }: ServerHooks = {},
): HttpServer {
  const handleError = createErrorHandler(context.log, refusalForm);
  const everyReply = tls?.forGood ? { ...API_HEADERS, ...TLS_HEADERS } : API_HEADERS;
  const isTrustedProxy = compileTrust(trustProxy);
  const trustsProxy = isTrustedProxy !== undefined;
  const forwardingPeers = createForwardingPeers({ trustsProxy, onFound: onUntrustedProxy });
  const connections = createConnections();
  /** Requests whose client waits for `100 Continue` before it sends the body. */
  const awaitingContinue = new WeakSet<IncomingMessage>();
  const awaitsContinue = (request: IncomingMessage) => awaitingContinue.has(request);
  const unreadBodies = createUnreadBodies({ forwardingPeers, awaitsContinue });
  const app = openFastify(timeouts, {
    pair: tls?.pair,
    trustProxy: isTrustedProxy ?? false,
    ServerResponse: createResponseClass(unreadBodies, connections),
    clientErrorHandler: (error: ParserError, socket: Socket) => unrouted.answerBroken(error, socket),
    frameworkErrors(error: FastifyError, request: FastifyRequest, reply: FastifyReply) {
      // Hooks do not run for these.
      if (connections.isEnding(request.raw.socket)) {
        reply.hijack();
        return;
      }
      enter(request, reply);
      handleError(error, request, reply);
    },
  });
  app.setErrorHandler(handleError);
  const allowedMethods = watchAllowedMethods(app);
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
  const { requestEnds, note } = watchRequests(app, context, (reply) => {
    // A connection that was busy when the service began to stop is closed as soon as its reply is out.
    if (closing) setImmediate(() => app.server.closeIdleConnections());
    connections.leave(reply);
  });
  const enter = (request: FastifyRequest, reply: FastifyReply) => {
    (reply.raw as HttpResponse).request = request;
    reply.headers({ ...everyReply, 'x-request-id': request.id });
    requestEnds.watch(reply);
    connections.enter(reply); // its end counts it out
  };
  const unrouted = createUnroutedRequests({
    common: everyReply,
    maxHeaderBytes: MAX_HEADER_BYTES,
    connections,
    requestEnds,
    note: (line) => note({ ...line, correlationId: null, ms: 0 }),
  });
  app.server.on('connect', (request, socket) => unrouted.refuseConnect(request, socket));
  const refuseExpectation = takeExpectations(app, awaitingContinue);
  app.addHook('preClose', (done) => {
    closing = true;
    unreadBodies.stop();
    done();
  });
  app.addHook('onClose', async () => bodyPace.stop());
  const addressBuckets = addressRateLimit && createTokenBuckets(addressRateLimit);
  app.addHook('onRequest', (request, reply, done) => {
    enter(request, reply);
    if (hasBody(request.headers)) bodyPace.watch(request.raw.socket);
    forwardingPeers.note(request);
    connections.refuseCrowd(reply);
    if (closing) throw stopping();
    refuseWithoutHost(request);
    refuseExpectation(request);
    if (addressBuckets && !request.routeOptions.config.unlimited) {
      takeToken(addressBuckets, clientAddress(request), reply);
    }
    // Before the body: an unknown path is not worth reading one for.
    if (request.is404) throw refuseUnmatched(allowedMethods, request);
    done();
  });
  for (const name of ['apiKey', 'provenKey', 'correlationId'] as const) app.decorateRequest(name, null);
  readBodies(app, forwardingPeers, awaitingContinue);
  app.addHook('onRoute', (route) => {
    route.onRequest = [requestEnds.nameRoute(route.url), ...[route.onRequest ?? []].flat()];
  });
  return app;
}

interface Callbacks {
  pair: KeyPair | undefined;
  trustProxy: false | ((address: string, hop: number) => boolean);
  ServerResponse: ReturnType<typeof createResponseClass>;
  clientErrorHandler: (error: ParserError, socket: Socket) => void;
  frameworkErrors: (error: FastifyError, request: FastifyRequest, reply: FastifyReply) => void;
}

function openFastify(timeouts: HttpTimeouts, { pair, ServerResponse, ...callbacks }: Callbacks): HttpServer {
  const limits = {
    maxHeaderSize: MAX_HEADER_BYTES,
    headersTimeout: timeouts.headersMs,
    handshakeTimeout: timeouts.headersMs,
    connectionsCheckingInterval: Math.min(timeouts.headersMs, HEADERS_CHECK_MS),
    requireHostHeader: false, // checked by us, so that the refusal has our body and headers
    ServerResponse,
  };
  return Fastify({
    ...(pair ? { https: { cert: pair.cert, key: pair.key, ...limits } } : { http: limits }),
    connectionTimeout: timeouts.idleMs,
    requestTimeout: 0, // the pace of the body decides
    bodyLimit: DEFAULT_BODY_LIMIT,
    // Each route judges its own parameters; the request line as a whole is limited already.
    routerOptions: { maxParamLength: MAX_HEADER_BYTES },
    genReqId: requestIdOf,
    requestIdHeader: false,
    forceCloseConnections: 'idle',
    return503OnClosing: false, // ours carries our headers and body
    // Fastify logs raw errors and URLs; our request log and error handler log neither.
    logger: false,
    schemaController: { bucket: shareNamedSchemas, compilersFactory: { buildValidator, buildSerializer } },
    ...callbacks,
  } as never) as unknown as HttpServer;
}

/** Node keeps requests with `Expect` to itself; they are handled as all others. Returns a check that refuses unknown expectations. */
function takeExpectations(app: HttpServer, awaitingContinue: WeakSet<IncomingMessage>) {
  const unmet = new WeakSet<IncomingMessage>();
  for (const [event, requests] of [
    ['checkExpectation', unmet],
    ['checkContinue', awaitingContinue],
  ] as const) {
    app.server.on(event, (request, response) => {
      requests.add(request);
      app.server.emit('request', request, response);
    });
  }
  return ({ raw }: FastifyRequest) => {
    if (!unmet.has(raw)) return;
    const headers = { connection: 'close' };
    throw new AppError('expectation_failed', 'The only supported expectation is 100-continue.', { headers });
  };
}

function refuseWithoutHost({ headers, raw }: FastifyRequest): void {
  if (headers.host === undefined && raw.httpVersion === '1.1') {
    throw new AppError('malformed_request', 'An HTTP/1.1 request must name its Host.');
  }
  if (countHosts(raw.rawHeaders) > 1) {
    throw new AppError('malformed_request', 'A request must name its Host only once.');
  }
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
