// Authenticates callers of the biometric node by the key in the header or the body, and limits their requests.
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { ApiKeys } from '../../platform/api-keys/api-keys.ts';
import { proveClient } from '../../platform/api-keys/client-proof.ts';
import { toOwner } from '../../platform/api-keys/owner.ts';
import { AppError } from '../../platform/base/errors.ts';
import { requireCaller } from '../../platform/http/access.ts';
import { clientAddress } from '../../platform/http/limits/client-address.ts';
import { takeToken } from '../../platform/http/limits/rate-limit.ts';
import { createTokenBuckets, type RateLimit } from '../../platform/http/limits/token-buckets.ts';
import type { HttpServer } from '../../platform/http/types.ts';
import { readCorrelationId } from '../../platform/http/watch/request-id.ts';
import { isSameText } from '../../platform/sealing/same-text.ts';
import { isNodePath, unknownKey } from './replies.ts';

export type NodeCaller = ReturnType<typeof requireNodeCaller>;

/** Returns the owner, and whether the caller may reach galleries of verification sessions. */
export function requireNodeCaller(request: FastifyRequest) {
  return { owner: toOwner(requireCaller(request)), isProven: request.provenKey !== null };
}

export type NodeAccess = ReturnType<typeof createNodeAccess>;

export interface NodeLimits {
  perKey: RateLimit;
  /** Limit per address for requests whose body is read before authentication */
  strangers: RateLimit;
}

export function createNodeAccess(apiKeys: ApiKeys, { perKey, strangers }: NodeLimits) {
  const keyBuckets = createTokenBuckets(perKey);
  const strangerBuckets = createTokenBuckets(strangers);
  const presentedKeys = new WeakMap<FastifyRequest, string>();
  const countedStrangers = new WeakSet<FastifyRequest>();

  function countStranger(request: FastifyRequest, reply: FastifyReply): void {
    if (countedStrangers.has(request)) return;
    countedStrangers.add(request);
    takeToken(strangerBuckets, clientAddress(request), reply);
  }

  async function authenticate(request: FastifyRequest, reply: FastifyReply, presented: string): Promise<void> {
    const record = await apiKeys.authenticate(presented);
    if (!record) {
      countStranger(request, reply);
      throw unknownKey();
    }
    if (countedStrangers.has(request)) strangerBuckets.giveBack(clientAddress(request));
    takeToken(keyBuckets, record.id, reply);
    request.apiKey = record;
    request.provenKey = (await proveClient(apiKeys, record, request.headers.authorization)) ?? null;
    presentedKeys.set(request, presented);
  }

  /** Authenticates before the body is read. Without a key in the header, the address is limited. */
  async function checkHeader(request: FastifyRequest, reply: FastifyReply): Promise<void> {
    const correlationId = readCorrelationId(request.headers);
    if (correlationId !== undefined) {
      request.correlationId = correlationId;
      reply.header('x-correlation-id', correlationId);
    }
    const inHeader = request.headers['x-api-key'];
    if (typeof inHeader === 'string' && inHeader !== '') await authenticate(request, reply, inHeader);
    else countStranger(request, reply);
  }

  return {
    /** Returns the hooks of a route. `ifMissing` creates the refusal of a request without a key. */
    hooks: (ifMissing: () => Error) => ({
      onRequest: checkHeader,
      /** Authenticates by the body, or requires that its key equals that of the header. */
      async preValidation(request: FastifyRequest, reply: FastifyReply): Promise<void> {
        request.body ??= {};
        const inBody = keyInBody(request.body);
        const inHeader = presentedKeys.get(request);
        if (inBody === undefined) {
          if (inHeader === undefined) throw ifMissing();
          return;
        }
        if (typeof inBody !== 'string') throw unknownKey();
        if (inHeader === undefined) await authenticate(request, reply, inBody);
        else if (!isSameText(inBody, inHeader)) throw unknownKey();
      },
      /** Refuses a body that is not JSON for its missing key first. */
      errorHandler(error: unknown, { apiKey }: FastifyRequest): never {
        const isNoJson = error instanceof AppError && error.code === 'malformed_request';
        throw isNoJson && apiKey === null ? ifMissing() : error;
      },
    }),
    keyOf(request: FastifyRequest): string {
      const key = presentedKeys.get(request);
      if (key === undefined) throw new Error('asked for the key of a request that was not let in');
      return key;
    },
  };
}

function keyInBody(body: unknown): unknown {
  if (typeof body !== 'object' || body === null || !Object.hasOwn(body, 'api_key')) return undefined;
  const { api_key: key } = body as { api_key: unknown };
  return key === null || key === '' ? undefined : key;
}

const ALLOWED_HEADERS =
  'content-type, x-api-key, x-correlation-id, x-encoding, x-encryption-version, x-request-id, idempotency-key';
const EXPOSED_HEADERS =
  'x-request-id, x-correlation-id, x-error-code, retry-after, ratelimit-limit, ratelimit-remaining, ratelimit-reset';
const PREFLIGHT_SECONDS = '600';

/** Lets the launch page at another `origin` call the biometric node. */
export function allowPageOrigin(app: HttpServer, origin: string): void {
  (app as unknown as FastifyInstance).addHook('onRequest', (request, reply, done) => {
    if (isNodePath(request.url)) {
      reply.header('vary', 'origin');
      if (request.headers.origin === origin) {
        reply.headers({ 'access-control-allow-origin': origin, 'access-control-expose-headers': EXPOSED_HEADERS });
      }
    }
    done();
  });
  app.options('/node/*', { schema: { hide: true }, config: { unlimited: true } }, async (request, reply) => {
    if (request.headers.origin === origin) {
      reply.headers({
        'access-control-allow-methods': 'POST',
        'access-control-allow-headers': ALLOWED_HEADERS,
        'access-control-max-age': PREFLIGHT_SECONDS,
      });
    }
    return reply.code(204).send();
  });
}
