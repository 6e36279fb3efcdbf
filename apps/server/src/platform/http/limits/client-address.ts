// Names the client of a request: by its IPv4 address or its IPv6 /64, in the one form that every limit counts by.
import { isIP, isIPv4 } from 'node:net';
import type { FastifyRequest } from 'fastify';
import { carriedIPv4, classifyAddress, ipv6Groups } from '../../outbound/classify-address.ts';

/** Falls back to the peer's address: a trusted proxy may still pass on nonsense. */
export function clientAddress({ ip, socket }: Pick<FastifyRequest, 'ip' | 'socket'>): string {
  return addressOwner(ip) ?? addressOwner(socket.remoteAddress ?? '') ?? '';
}

/**
 * Returns the client's address, or undefined if it may be a proxy's: without a trusted proxy, only a public peer is known to
 * be the client. Counts by this address never take all clients of a proxy for one.
 */
export function knownClientAddress({ ip }: Pick<FastifyRequest, 'ip'>, trustsProxy: boolean): string | undefined {
  return trustsProxy || classifyAddress(ip) === 'public' ? addressOwner(ip) : undefined;
}

/**
 * Returns the IPv4 address, or the first half of an IPv6 address: a host has a whole /64 and could otherwise use up any limit.
 * Drops the port that some proxies add. Returns undefined for anything but an address.
 */
export function addressOwner(text: string): string | undefined {
  const address = withoutPort(text.trim()).split('%', 1)[0]!;
  if (isIPv4(address)) return address;
  if (isIP(address) === 0) return undefined;
  const groups = ipv6Groups(address);
  const isMapped = groups.slice(0, 5).every((group) => group === 0) && groups[5] === 0xffff;
  if (isMapped) return carriedIPv4(groups, 6);
  return groups
    .slice(0, 4)
    .map((group) => group.toString(16))
    .join(':');
}

function withoutPort(text: string): string {
  const [, bracketed, plain] = /^\[([^\]]*)\](?::\d+)?$|^([\d.]+):\d+$/.exec(text) ?? [];
  return bracketed ?? plain ?? text;
}
