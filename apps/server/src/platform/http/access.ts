// Authenticates callers by API key and client credentials, and applies the rate limit of a key.
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { ApiKeyRecord, ApiKeys } from '../api-keys/api-keys.ts';
import { type ProvenKey, proveClient } from '../api-keys/client-proof.ts';
import { AppError } from '../base/errors.ts';
import { takeToken } from './limits/rate-limit.ts';
import { createTokenBuckets, type RateLimit } from './limits/token-buckets.ts';

/** Returns the key of a request that `requireApiKey`, or a check like it, has let through. */
export function requireCaller({ apiKey }: FastifyRequest): ApiKeyRecord {
  if (!apiKey) throw new Error('the route has no key check');
  return apiKey;
}

export function requireClient({ provenKey }: FastifyRequest): ProvenKey {
  if (!provenKey) throw new Error('the route has no check of client credentials');
  return provenKey;
}

const API_KEY_CHALLENGE = { 'www-authenticate': 'ApiKey realm="limen", header="x-api-key"' };
const CLIENT_CHALLENGE = { 'www-authenticate': 'Basic realm="limen", charset="UTF-8"' };

export type Access = ReturnType<typeof createAccess>;

export function createAccess(apiKeys: ApiKeys, keyRateLimit: RateLimit | undefined) {
  const buckets = keyRateLimit && createTokenBuckets(keyRateLimit);
  const access = {
    /** Sets the presented key on the request. Answers 401 if it is missing, unknown or not active. */
    async requireKey(presented: string | undefined, request: FastifyRequest, reply: FastifyReply): Promise<void> {
      const record = await apiKeys.authenticate(presented);
      if (!record) throw new AppError('invalid_api_key', 'Invalid API key', { headers: API_KEY_CHALLENGE });
      if (buckets) takeToken(buckets, record.id, reply);
      request.apiKey = record;
    },
    /** `onRequest` hook: requires the key in `x-api-key` before a byte of the body is read. */
    async requireApiKey(request: FastifyRequest, reply: FastifyReply): Promise<void> {
      await access.requireKey(presentedKey(request), request, reply);
    },
    /** `onRequest` hook of open routes: sets the key if a valid one is sent, and refuses no one. */
    async recognizeApiKey(request: FastifyRequest): Promise<void> {
      request.apiKey = (await apiKeys.authenticate(presentedKey(request))) ?? null;
    },
    /** Also requires the client credentials of the key, if it has any. For data of verification sessions. */
    async requireClient(request: FastifyRequest, reply: FastifyReply): Promise<void> {
      await access.requireApiKey(request, reply);
      const proven = await proveClient(apiKeys, requireCaller(request), request.headers.authorization);
      request.provenKey = proven ?? null;
      if (proven) return;
      throw new AppError('invalid_client_credentials', 'Invalid client credentials', { headers: CLIENT_CHALLENGE });
    },
  };
  return access;
}

function presentedKey({ headers }: FastifyRequest): string | undefined {
  const presented = headers['x-api-key'];
  return typeof presented === 'string' ? presented : undefined;
}
