// Names the account whose share of a common resource a request uses: its customer, or else its client address.
import type { FastifyRequest } from 'fastify';
import { formatOwner, toOwner } from '../../api-keys/owner.ts';
import type { WorkOwner } from '../../async/work-owner.ts';
import { clientAddress } from './client-address.ts';
import { isNearbyProxy } from './forwarding-peers.ts';

type Request = Pick<FastifyRequest, 'apiKey' | 'headers' | 'ip' | 'ips' | 'socket'>;

/** All keys of a customer and world share one account. So do clients of an unconfigured proxy, whose addresses are unknown. */
export function findWorkOwner(request: Request): WorkOwner {
  if (request.apiKey) return { id: `customer ${formatOwner(toOwner(request.apiKey))}`, isStranger: false };
  // Fastify lists `ips` only if it trusts a proxy.
  const isProxy = request.ips === undefined && isNearbyProxy(request);
  return { id: isProxy ? 'behind a proxy' : `address ${maskAddress(clientAddress(request))}`, isStranger: true };
}

/** Returns an IPv4 address or an IPv6 /48: a site has 65,536 networks of size /64. */
function maskAddress(address: string): string {
  return address.split(':').slice(0, 3).join(':');
}
