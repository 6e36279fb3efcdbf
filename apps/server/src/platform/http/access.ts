// Who is calling: the API key of a request, and how many requests that key has left.
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { ApiKeyRecord, ApiKeys } from '../api-keys/api-keys.ts';
import { type ProvenKey, proveClient } from '../api-keys/client-proof.ts';
import { AppError } from '../base/errors.ts';
import { takeToken } from './limits/rate-limit.ts';
import { createTokenBuckets, type RateLimit } from './limits/token-buckets.ts';

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

export type Access = ReturnType<typeof createAccess>;

export function createAccess(apiKeys: ApiKeys, keyRateLimit: RateLimit | undefined) {
  const buckets = keyRateLimit && createTokenBuckets(keyRateLimit);
  const access = {
    /** Sets the key that was presented on the request. Answers 401 if it is missing, unknown or not active. */
    async requireKey(presented: string | undefined, request: FastifyRequest, reply: FastifyReply): Promise<void> {
      const record = await apiKeys.authenticate(presented);
      if (!record) throw new AppError('invalid_api_key', 'Invalid API key', { headers: WHERE_THE_KEY_GOES });
      if (buckets) takeToken(buckets, record.id, reply);
      request.apiKey = record;
    },
    /** An `onRequest` hook: `requireKey` with the key in `x-api-key`, before a byte of the body is read. */
    async requireApiKey(request: FastifyRequest, reply: FastifyReply): Promise<void> {
      const presented = request.headers['x-api-key'];
      await access.requireKey(typeof presented === 'string' ? presented : undefined, request, reply);
    },
    /** An `onRequest` hook of open routes: sets the key if a good one is sent, and refuses no one. */
    async recognizeApiKey(request: FastifyRequest): Promise<void> {
      const presented = request.headers['x-api-key'];
      request.apiKey = (typeof presented === 'string' && (await apiKeys.authenticate(presented))) || null;
    },
    /**
     * Like `requireApiKey`, and the client credentials that the key was made with, if any: `Authorization: Basic`. For every route that
     * reads or changes data of verification sessions.
     */
    async requireClient(request: FastifyRequest, reply: FastifyReply): Promise<void> {
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
