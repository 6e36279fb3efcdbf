// Applies token buckets to requests: headers on every reply, 429 with Retry-After if the bucket is empty.
import type { FastifyReply } from 'fastify';
import { AppError } from '../../base/errors.ts';
import type { TakeResult, TokenBuckets } from './token-buckets.ts';

export function takeToken(buckets: TokenBuckets, owner: string, reply: FastifyReply): void {
  const result = buckets.take(owner);
  reply.headers({
    'ratelimit-limit': result.limit,
    'ratelimit-remaining': result.remaining,
    'ratelimit-reset': result.resetSeconds,
  });
  requireAllowed(result);
}

/** For callers without a reply, or whose reply describes another limit. */
export function requireAllowed(result: Pick<TakeResult, 'allowed' | 'retryAfterSeconds'>): void {
  if (result.allowed) return;
  throw new AppError('too_many_requests', `Too many requests; try again in ${result.retryAfterSeconds} s.`, {
    headers: { 'retry-after': String(result.retryAfterSeconds) },
  });
}
