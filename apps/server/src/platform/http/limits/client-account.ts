// Names the account that a request's share of a common resource counts for: its customer, otherwise its client address.
import type { FastifyRequest } from 'fastify';
import { nameOf, ownerOf } from '../../api-keys/owner.ts';
import type { WorkOwner } from '../../async/work-owner.ts';
import { clientAddress } from './client-address.ts';
import { isNearbyProxy } from './forwarding-peers.ts';

type Request = Pick<FastifyRequest, 'apiKey' | 'headers' | 'ip' | 'ips' | 'socket'>;

/**
 * All keys of one customer and world share one account. Clients behind an unconfigured proxy share one unless they have a
 * key: their addresses are not known.
 */
export function accountOf(request: Request): WorkOwner {
  if (request.apiKey) return { id: `customer ${nameOf(ownerOf(request.apiKey))}`, isStranger: false };
  // Fastify lists addresses only where it trusts a proxy.
  const isProxy = request.ips === undefined && isNearbyProxy(request);
  return { id: isProxy ? 'behind a proxy' : `address ${siteOf(clientAddress(request))}`, isStranger: true };
}

/** An IPv4 address, or an IPv6 /48: a site has that many /64 to itself and could otherwise use them all. */
function siteOf(address: string): string {
  return address.split(':').slice(0, 3).join(':');
}
