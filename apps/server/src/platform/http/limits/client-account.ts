// Names the account that a request's share of a common resource counts for: its API key, otherwise its client address.
import type { FastifyRequest } from 'fastify';
import { clientAddress } from './client-address.ts';
import { isNearbyProxy } from './forwarding-peers.ts';

type Request = Pick<FastifyRequest, 'apiKey' | 'headers' | 'ip' | 'ips' | 'socket'>;

/** Clients behind an unconfigured proxy share one account unless they have a key: their addresses are not known. */
export function accountOf(request: Request): string {
  if (request.apiKey) return `key ${request.apiKey.id}`;
  // Fastify lists addresses only where it trusts a proxy.
  const isProxy = request.ips === undefined && isNearbyProxy(request);
  return isProxy ? 'behind a proxy' : `address ${clientAddress(request)}`;
}
