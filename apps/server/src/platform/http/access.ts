// Who is calling: the API key of a request, and how many requests that key has left.
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { ApiKeyRecord, ApiKeys } from '../api-keys/api-keys.ts';
import { type ProvenKey, proveClient } from '../api-keys/client-proof.ts';
import { AppError } from '../base/errors.ts';
import { takeToken } from './limits/rate-limit.ts';
import { createTokenBuckets, type RateLimit } from './limits/token-buckets.ts';

export interface Access {
  /** Sets the key that was presented on the request, or answers 401 when it is missing, unknown or not active. */
  requireKey(presented: string | undefined, request: FastifyRequest, reply: FastifyReply): Promise<void>;
  /** An `onRequest` hook: the same with the key in `x-api-key`, before a byte of the body is read. */
  requireApiKey(request: FastifyRequest, reply: FastifyReply): Promise<void>;
  /** An `onRequest` hook of routes that are open: sets the key if a good one is sent, and refuses no one. */
  recognizeApiKey(request: FastifyRequest): Promise<void>;
  /**
   * Like `requireApiKey`, and the client credentials that the key was made with, if any: `Authorization: Basic`. For every route that reads
   * or changes what belongs to verification sessions.
   */
  requireClient(request: FastifyRequest, reply: FastifyReply): Promise<void>;
}

/** The key of a request that `requireApiKey`, or a check like it, has let through. */
export function callerOf({ apiKey }: FastifyRequest): ApiKeyRecord {
  if (!apiKey) throw new Error('the route has no key check');
  return apiKey;
}

/** The key of a request that `requireClient` has let through. */
export function clientOf({ provenKey }: FastifyRequest): ProvenKey {
  if (!provenKey) throw new Error('the route has no check of client credentials');
  return provenKey;
}

/** The message is fixed and does not tell a missing key from a wrong one; this says where one is looked for. */
const WHERE_THE_KEY_GOES = { 'www-authenticate': 'ApiKey realm="limen", header="x-api-key"' };

export function createAccess(apiKeys: ApiKeys, keyRateLimit: RateLimit | undefined): Access {
  const buckets = keyRateLimit && createTokenBuckets(keyRateLimit);
  const access: Access = {
    async requireKey(presented, request, reply) {
      const record = await apiKeys.authenticate(presented);
      if (!record) throw new AppError('invalid_api_key', 'Invalid API key', { headers: WHERE_THE_KEY_GOES });
      if (buckets) takeToken(buckets, record.id, reply);
      request.apiKey = record;
    },
    async requireApiKey(request, reply) {
      const presented = request.headers['x-api-key'];
      await access.requireKey(typeof presented === 'string' ? presented : undefined, request, reply);
    },
    async recognizeApiKey(request) {
      const presented = request.headers['x-api-key'];
      request.apiKey = (typeof presented === 'string' && (await apiKeys.authenticate(presented))) || null;
    },
    async requireClient(request, reply) {
      await access.requireApiKey(request, reply);
      const proven = await proveClient(apiKeys, callerOf(request), request.headers.authorization);
      request.provenKey = proven ?? null;
      if (proven) return;
      throw new AppError('invalid_client_credentials', 'Invalid client credentials', {
        headers: { 'www-authenticate': 'Basic realm="limen", charset="UTF-8"' },
      });
    },
  };
  return access;
}
