// The HTTP server: limits, ids, headers, errors, metrics and one log line per request.
import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import proxyAddr from '@fastify/proxy-addr';
import Fastify, { type FastifyError, type FastifyReply, type FastifyRequest } from 'fastify';
import { AppError, unavailable } from '../base/errors.ts';
import type { KeyPair } from '../files/key-pair.ts';
import { watchAllowedMethods } from './allowed-methods.ts';
import { DEFAULT_BODY_LIMIT, readBodies } from './body/read-bodies.ts';
import { buildSerializer, shareNamedSchemas } from './body/serialization.ts';
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
import { readRequestId } from './watch/request-id.ts';
import { type WatchContext, watchRequests } from './watch/watch-requests.ts';

const MAX_HEADER_BYTES = 16 * 1024;
const CONNECTION_LIMITS: ConnectionLimits = { total: 10_000, perAddress: 256 };
/** Interval at which Node looks for connections with overdue headers */
const HEADERS_CHECK_MS = 2_000;

const DEFAULT_TIMEOUTS = {
  /** Time for the headers, and for the first byte */
  headersMs: 10_000,
  /** Time that a body may fall behind the pace (limits/body-pace.ts) */
  bodyGraceMs: 10_000,
  /** Idle timeout of a connection, also while a reply waits to be read */
  idleMs: 60_000,
};
type HttpTimeouts = typeof DEFAULT_TIMEOUTS;

const FASTIFY_OPTIONS = {
  requestTimeout: 0, // the pace of the body decides
  bodyLimit: DEFAULT_BODY_LIMIT,
  // Routes check their own parameters; the request line as a whole is limited already.
  routerOptions: { maxParamLength: MAX_HEADER_BYTES },
  genReqId: readRequestId,
  requestIdHeader: false,
  forceCloseConnections: 'idle',
  return503OnClosing: false, // an own refusal carries the usual body and headers
  logger: false, // logs raw errors and URLs
  schemaController: { bucket: shareNamedSchemas, compilersFactory: { buildValidator, buildSerializer } },
};

export interface ServerSettings {
  /** `forGood` makes browsers insist on https for a year. */
  tls?: { pair: KeyPair; forGood: boolean } | undefined;
  trustProxy?: boolean | string[];
  addressRateLimit?: RateLimit | undefined;
  connectionLimits?: ConnectionLimits | undefined;
}

export interface ServerHooks {
  timeouts?: HttpTimeouts | undefined;
  onUntrustedProxy?: (() => void) | undefined;
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
  const forwardingPeers = createForwardingPeers(isTrustedProxy !== undefined, onUntrustedProxy);
  const connections = createConnections();
  const awaitingContinue = new WeakSet<IncomingMessage>();
  const unreadBodies = createUnreadBodies(forwardingPeers, awaitingContinue);
  const app = Fastify({
    ...nodeOptions(timeouts, tls?.pair, createResponseClass(unreadBodies, connections)),
    ...FASTIFY_OPTIONS,
    trustProxy: isTrustedProxy ?? false,
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
  } as never) as unknown as HttpServer;
  app.setErrorHandler(handleError);
  const allowedMethods = watchAllowedMethods(app);
  // An error like Node's own for overdue headers
  const tooSlow = Object.assign(new Error('the body is too slow'), { code: 'ERR_HTTP_REQUEST_TIMEOUT' });
  const bodyPace = createBodyPace(connections, timeouts.bodyGraceMs, (socket) =>
    unrouted.answerBroken(tooSlow, socket),
  );
  limitConnections(app.server, {
    ...connectionLimits,
    connections,
    bodyPace,
    forwardingPeers,
    isTrustedProxy: (address) => isTrustedProxy?.(address, 0) ?? false,
  });
  // The first hook: after the last reply of a connection, none of its requests may be carried out or answered.
  app.addHook('onRequest', (request, reply, done) => {
    if (connections.isEnding(request.raw.socket)) reply.hijack();
    else done();
  });
  const watched = watchRequests(app, context, (reply) => {
    // Connections that were busy when the service began to stop are closed after their reply.
    if (connections.isStopping()) setImmediate(() => app.server.closeIdleConnections());
    connections.leave(reply);
  });
  const enter = (request: FastifyRequest, reply: FastifyReply) => {
    (reply.raw as HttpResponse).request = request;
    reply.headers({ ...everyReply, 'x-request-id': request.id });
    watched.watch(reply);
    connections.enter(reply);
  };
  const unrouted = createUnroutedRequests({
    common: everyReply,
    maxHeaderBytes: MAX_HEADER_BYTES,
    connections,
    watched,
  });
  app.server.on('connect', (request, socket) => unrouted.refuseConnect(request, socket));
  const refuseExpectation = takeExpectations(app, awaitingContinue);
  app.addHook('preClose', (done) => {
    connections.stop();
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
    if (connections.isStopping()) {
      throw unavailable('The service is stopping; try again in a moment.', 1, { headers: { connection: 'close' } });
    }
    refuseWithoutHost(request);
    refuseExpectation(request);
    if (addressBuckets && !request.routeOptions.config.unlimited) {
      takeToken(addressBuckets, clientAddress(request), reply);
    }
    if (request.is404) throw refuseUnmatched(allowedMethods(request.url.split('?', 1)[0]!).join(', '));
    done();
  });
  for (const name of ['apiKey', 'provenKey', 'correlationId'] as const) app.decorateRequest(name, null);
  readBodies(app, forwardingPeers, awaitingContinue);
  app.addHook('onRoute', (route) => {
    route.onRequest = [watched.nameRoute(route.url), ...[route.onRequest ?? []].flat()];
  });
  return app;
}

function nodeOptions(timeouts: HttpTimeouts, pair: KeyPair | undefined, ServerResponse: object) {
  const limits = {
    maxHeaderSize: MAX_HEADER_BYTES,
    headersTimeout: timeouts.headersMs,
    handshakeTimeout: timeouts.headersMs,
    connectionsCheckingInterval: Math.min(timeouts.headersMs, HEADERS_CHECK_MS),
    requireHostHeader: false, // checked below, for a refusal with the usual body and headers
    ServerResponse,
  };
  const protocol = pair ? { https: { cert: pair.cert, key: pair.key, ...limits } } : { http: limits };
  return { ...protocol, connectionTimeout: timeouts.idleMs };
}

/** Passes requests with `Expect` on, which Node does not by itself. Returns a check that refuses unknown expectations. */
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
  const hosts = raw.rawHeaders.filter((name, at) => at % 2 === 0 && name.length === 4 && name.toLowerCase() === 'host');
  if (hosts.length > 1) {
    throw new AppError('malformed_request', 'A request must name its Host only once.');
  }
}

/** Returns undefined if no proxy is trusted. */
function compileTrust(trustProxy: boolean | string[]): ((address: string, hop: number) => boolean) | undefined {
  if (trustProxy === false) return undefined;
  return trustProxy === true ? () => true : proxyAddr.compile(trustProxy);
}

function refuseUnmatched(allowed: string): AppError {
  return allowed === ''
    ? new AppError('not_found', 'There is nothing at this path; GET /openapi.json lists what there is.')
    : new AppError('method_not_allowed', `This path takes ${allowed}.`, { headers: { allow: allowed } });
}
