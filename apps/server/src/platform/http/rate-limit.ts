// Applies token buckets to requests: headers on every reply, 429 with Retry-After when the bucket is empty.
import { isIPv6 } from 'node:net';
import type { FastifyReply } from 'fastify';
import { AppError } from '../errors.ts';
import type { TokenBuckets } from './token-buckets.ts';

export function takeToken(buckets: TokenBuckets, owner: string, reply: FastifyReply): void {
  const result = buckets.take(owner);
  reply.headers({
    'ratelimit-limit': result.limit,
    'ratelimit-remaining': result.remaining,
    'ratelimit-reset': result.resetSeconds,
  });
  if (result.allowed) return;
  throw new AppError('too_many_requests', `Too many requests; try again in ${result.retryAfterSeconds} s.`, {
    headers: { 'retry-after': String(result.retryAfterSeconds) },
  });
}

/** One owner per IPv4 address or IPv6 /64: a host has a whole /64 to itself and could otherwise use it up. */
export function addressOwner(address: string): string {
  if (!isIPv6(address)) return address;
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address);
  if (mapped?.[1]) return mapped[1];
  const [head = '', tail = ''] = address.split('%')[0]!.split('::');
  const before = head === '' ? [] : head.split(':');
  const after = tail === '' ? [] : tail.split(':');
  const zeros = address.includes('::') ? Array<string>(8 - before.length - after.length).fill('0') : [];
  return [...before, ...zeros, ...after]
    .slice(0, 4)
    .map((group) => Number.parseInt(group, 16).toString(16))
    .join(':');
}
