// Who is calling the biometric node: the key in the header or in the body, its rate limit, and the ids that follow the request.
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { ApiKeys } from '../../platform/api-keys/api-keys.ts';
import { proveClient } from '../../platform/api-keys/client-proof.ts';
import { type Owner, ownerOf } from '../../platform/api-keys/owner.ts';
import { AppError } from '../../platform/base/errors.ts';
import { callerOf } from '../../platform/http/access.ts';
import { clientAddress } from '../../platform/http/limits/client-address.ts';
import { takeToken } from '../../platform/http/limits/rate-limit.ts';
import { createTokenBuckets, type RateLimit } from '../../platform/http/limits/token-buckets.ts';
import type { HttpServer } from '../../platform/http/types.ts';
import { correlationIdOf } from '../../platform/http/watch/request-id.ts';
import { isSameText } from '../../platform/sealing/same-text.ts';
import { isNodePath, unknownKey } from './replies.ts';

/** Who calls, and whether they may reach galleries of verification sessions. */
export interface NodeCaller {
  owner: Owner;
  isProven: boolean;
}

export function nodeCallerOf(request: FastifyRequest): NodeCaller {
  return { owner: ownerOf(callerOf(request)), isProven: request.provenKey !== null };
}

export type NodeAccess = ReturnType<typeof createNodeAccess>;

export interface NodeLimits {
  perKey: RateLimit;
  /** Of requests whose header has no valid key, per address: their bodies have to be read before it is known who they are. */
  strangers: RateLimit;
}

export function createNodeAccess(apiKeys: ApiKeys, { perKey, strangers }: NodeLimits) {
  const keyBuckets = createTokenBuckets(perKey);
  const strangerBuckets = createTokenBuckets(strangers);
  const presentedKeys = new WeakMap<FastifyRequest, string>();
  const counted = new WeakSet<FastifyRequest>();

  function countStranger(request: FastifyRequest, reply: FastifyReply): void {
    if (counted.has(request)) return;
    counted.add(request);
    takeToken(strangerBuckets, clientAddress(request), reply);
  }

  async function authenticate(request: FastifyRequest, reply: FastifyReply, presented: string): Promise<void> {
    const record = await apiKeys.authenticate(presented);
    if (!record) {
      countStranger(request, reply);
      throw unknownKey();
    }
    if (counted.has(request)) strangerBuckets.giveBack(clientAddress(request));
    takeToken(keyBuckets, record.id, reply);
    request.apiKey = record;
    request.provenKey = (await proveClient(apiKeys, record, request.headers.authorization)) ?? null;
    presentedKeys.set(request, presented);
  }

  async function checkBody(request: FastifyRequest, reply: FastifyReply, ifMissing: () => Error): Promise<void> {
    request.body ??= {};
    const inBody = keyInBody(request.body);
    const inHeader = presentedKeys.get(request);
    if (inBody !== undefined && typeof inBody !== 'string') throw unknownKey();
    if (inHeader !== undefined) {
      if (inBody !== undefined && !isSameText(inBody, inHeader)) throw unknownKey();
      return;
    }
    if (inBody === undefined) throw ifMissing();
    await authenticate(request, reply, inBody);
  }

  /** A key in the header is checked before a byte of the body is read. Without one, the address needs to have something left. */
  async function checkHeader(request: FastifyRequest, reply: FastifyReply): Promise<void> {
    const correlationId = correlationIdOf(request.headers);
    if (correlationId !== undefined) {
      request.correlationId = correlationId;
      reply.header('x-correlation-id', correlationId);
    }
    const inHeader = request.headers['x-api-key'];
    if (typeof inHeader === 'string' && inHeader !== '') await authenticate(request, reply, inHeader);
    else countStranger(request, reply);
  }

  return {
    /** Hooks of a route; `ifMissing` makes the refusal of a request without any key. */
    hooks: (ifMissing: () => Error) => ({
      onRequest: checkHeader,
      /** Checks the key in the body, and that two keys are one. */
      preValidation: (request: FastifyRequest, reply: FastifyReply) => checkBody(request, reply, ifMissing),
      /** A body that is no JSON presents no key, and the key comes before the body. */
      errorHandler(error: unknown, { apiKey }: FastifyRequest): never {
        const isNoJson = error instanceof AppError && error.code === 'malformed_request';
        throw isNoJson && apiKey === null ? ifMissing() : error;
      },
    }),
    /** The key that the caller presented. */
    keyOf(request: FastifyRequest): string {
      const key = presentedKeys.get(request);
      if (key === undefined) throw new Error('asked for the key of a request that was not let in');
      return key;
    },
  };
}

/** Nothing when it is missing, null or empty. */
function keyInBody(body: unknown): unknown {
  if (typeof body !== 'object' || body === null || !Object.hasOwn(body, 'api_key')) return undefined;
  const { api_key: key } = body as { api_key: unknown };
  return key === null || key === '' ? undefined : key;
}

// Lets the launch page call the biometric node when the two live at different addresses; no other page may.
const ALLOWED_HEADERS =
  'content-type, x-api-key, x-correlation-id, x-encoding, x-encryption-version, x-request-id, idempotency-key';
const EXPOSED_HEADERS =
  'x-request-id, x-correlation-id, x-error-code, retry-after, ratelimit-limit, ratelimit-remaining, ratelimit-reset';
const PREFLIGHT_SECONDS = '600';

/** `origin` is that of the launch page. */
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
