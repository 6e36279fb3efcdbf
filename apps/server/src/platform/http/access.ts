// Who is calling: the API key of a request, and how many requests that key has left.
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { ApiKeyRecord, ApiKeys } from '../api-keys/api-keys.ts';
import { type Owner, ownerOf } from '../api-keys/owner.ts';
import { AppError } from '../errors.ts';
import { takeToken } from './rate-limit.ts';
import { createTokenBuckets, type RateLimit } from './token-buckets.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** The caller's key on routes that ask for one, otherwise null. */
    apiKey: ApiKeyRecord | null;
  }
}

export interface Access {
  /**
   * An `onRequest` hook: sets the key in `x-api-key` on the request, or answers 401 when it is missing, unknown or not
   * active, before a byte of the body is read.
   */
  requireApiKey(request: FastifyRequest, reply: FastifyReply): Promise<void>;
  /** The same, and the client credentials that the key was made with, if any: `Authorization: Basic`. */
  requireClient(request: FastifyRequest, reply: FastifyReply): Promise<void>;
}

/** The key of a request that `requireApiKey`, or a check like it, has let through. */
export function callerOf({ apiKey }: FastifyRequest): ApiKeyRecord {
  if (!apiKey) throw new Error('the route has no key check');
  return apiKey;
}

/** Whose such a request is. */
export function ownerOfRequest(request: FastifyRequest): Owner {
  return ownerOf(callerOf(request));
}

export function createAccess(apiKeys: ApiKeys, keyRateLimit: RateLimit | undefined): Access {
  const buckets = keyRateLimit && createTokenBuckets(keyRateLimit);
  const access: Access = {
    async requireApiKey(request, reply) {
      const presented = request.headers['x-api-key'];
      const record = await apiKeys.authenticate(typeof presented === 'string' ? presented : undefined);
      if (!record) throw new AppError('invalid_api_key', 'Invalid API key');
      if (buckets) takeToken(buckets, record.id, reply);
      request.apiKey = record;
    },
    async requireClient(request, reply) {
      await access.requireApiKey(request, reply);
      const record = callerOf(request);
      if (record.client_id === null) return;
      const given = readBasic(request.headers.authorization);
      if (given && (await apiKeys.clientMatches(record, given.user, given.password))) return;
      throw new AppError('invalid_client_credentials', 'Invalid client credentials', {
        headers: { 'www-authenticate': 'Basic realm="limen", charset="UTF-8"' },
      });
    },
  };
  return access;
}

/** Client id and secret are short; what is longer is not even decoded. */
const MAX_BASIC_LENGTH = 1_024;

/** RFC 7617. */
function readBasic(header: string | undefined): { user: string; password: string } | undefined {
  if (header === undefined || header.length > MAX_BASIC_LENGTH) return undefined;
  const encoded = /^basic +([A-Za-z0-9+/_-]+=*) *$/i.exec(header)?.[1];
  if (encoded === undefined) return undefined;
  const text = Buffer.from(encoded, 'base64').toString();
  const colon = text.indexOf(':');
  return colon < 0 ? undefined : { user: text.slice(0, colon), password: text.slice(colon + 1) };
}
