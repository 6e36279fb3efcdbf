// Reads the bodies of all routes: uncompressed, within the route's limit, and counted as they arrive.
import type { IncomingMessage } from 'node:http';
import type { onSendHookHandler, preParsingHookHandler, preValidationHookHandler, RouteOptions } from 'fastify';
import { AppError } from '../../base/errors.ts';
import { announcedBytes, hasBody } from '../limits/announced-body.ts';
import { createByteBudget } from '../limits/byte-budget.ts';
import type { ForwardingPeers } from '../limits/forwarding-peers.ts';
import type { HttpServer } from '../types.ts';
import { tooLarge } from './collect-body.ts';
import { useStrictJson } from './json.ts';
import { readKnownFields } from './read-fields.ts';

export const DEFAULT_BODY_LIMIT = 64 * 1024;

/** `awaitingContinue`: requests whose client waits for `100 Continue` before it sends the body */
export function readBodies(
  app: HttpServer,
  forwardingPeers: ForwardingPeers,
  awaitingContinue: WeakSet<IncomingMessage>,
): void {
  const bodyBudget = createByteBudget(forwardingPeers);
  const replyBudget = createByteBudget(forwardingPeers);
  useStrictJson(app);
  for (const name of ['memberText', 'bodyText', 'bodyRoom'] as const) app.decorateRequest(name, null);
  app.decorateRequest('bodyLimit', DEFAULT_BODY_LIMIT);
  app.addHook('preParsing', refuseContentEncoding);

  const countReply: onSendHookHandler = (request, reply, payload, done) => {
    if (reply.statusCode < 400) replyBudget.open(request, reply, 0).take(Buffer.byteLength(String(payload)));
    done(null, payload);
  };
  /** Runs after the key check: only an admitted caller gets `100 Continue`, and a proven key has its own pool. */
  const beginBody =
    (limit: number, keepsType: boolean): preParsingHookHandler =>
    (request, reply, payload, done) => {
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
  app.addHook('onRoute', (route) => {
    readMissingBodyAsEmpty(route);
    readKnownFields(route);
    const addOnSend = (hook: onSendHookHandler) => {
      route.onSend = [...[route.onSend ?? []].flat(), hook];
    };
    if (route.config?.countsReply) addOnSend(countReply);
    if (route.url === '' || [route.method].flat().every((method) => method === 'GET' || method === 'HEAD')) return;
    const begin = beginBody(route.bodyLimit ?? DEFAULT_BODY_LIMIT, route.config?.readsBody === true);
    route.preParsing = [...[route.preParsing ?? []].flat(), begin];
    addOnSend(dropBody);
  });
}

/** Frees the body with the reply: a client that does not read must not hold memory. */
const dropBody: onSendHookHandler = (request, _reply, payload, done) => {
  request.bodyRoom?.giveBack();
  request.body = undefined;
  request.bodyText = null;
  done(null, payload);
};

/** Runs after the key check, before a byte of the body is read. */
const refuseContentEncoding: preParsingHookHandler = ({ headers }, _reply, payload, done) => {
  if (hasBody(headers) && !isIdentity(headers['content-encoding'])) {
    const message = 'Send the body as it is, without Content-Encoding: it is not unpacked.';
    throw new AppError('unsupported_media_type', message, { headers: { 'accept-encoding': 'identity' } });
  }
  done(null, payload);
};

/** RFC 9110, 8.4: a list of codings; `identity` and an empty value mean none. */
function isIdentity(contentEncoding = ''): boolean {
  return contentEncoding.split(',').every((coding) => ['', 'identity'].includes(coding.trim().toLowerCase()));
}

/** Whether a schema is a JSON object without required fields. A missing body then counts as an empty object. */
export function isOptionalBody(schema: unknown): boolean {
  const { type, required = [] } = (schema ?? {}) as { type?: unknown; required?: unknown[] };
  return type === 'object' && required.length === 0;
}

/** Runs after the route's own hooks, which may look at the bytes. */
function readMissingBodyAsEmpty(route: RouteOptions): void {
  if (!isOptionalBody(route.schema?.body)) return;
  const fill: preValidationHookHandler = (request, _reply, done) => {
    if (request.body === undefined) request.body = {};
    done();
  };
  route.preValidation = [...[route.preValidation ?? []].flat(), fill];
}
