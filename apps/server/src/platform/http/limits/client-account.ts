// Names the account that a request's share of a common resource counts for: its API key, otherwise its client address.
import { BlockList, isIPv4, isIPv6 } from 'node:net';
import type { FastifyRequest } from 'fastify';
import { clientAddress } from './client-address.ts';

const FORWARDING_HEADERS = ['x-forwarded-for', 'forwarded', 'x-real-ip'];

const privateAddresses = new BlockList();
for (const [network, prefix] of [
  ['127.0.0.0', 8],
  ['10.0.0.0', 8],
  ['172.16.0.0', 12],
  ['192.168.0.0', 16],
  ['100.64.0.0', 10],
  ['169.254.0.0', 16],
] as const)
  privateAddresses.addSubnet(network, prefix, 'ipv4');
privateAddresses.addAddress('::1', 'ipv6');
privateAddresses.addSubnet('fc00::', 7, 'ipv6');
privateAddresses.addSubnet('fe80::', 10, 'ipv6');

/** Clients behind an unconfigured proxy share one account unless they have a key: their addresses are not known. */
export function accountOf(request: Pick<FastifyRequest, 'apiKey' | 'headers' | 'ip' | 'ips' | 'socket'>): string {
  if (request.apiKey) return `key ${request.apiKey.id}`;
  return comesThroughUnknownProxy(request) ? 'behind a proxy' : `address ${clientAddress(request)}`;
}

/** Whether a proxy on this machine or network forwards the request although `TRUST_PROXY` is not set. */
export function comesThroughUnknownProxy({
  headers,
  ips,
  socket,
}: Pick<FastifyRequest, 'headers' | 'ips' | 'socket'>): boolean {
  // Fastify lists addresses only where it trusts a proxy.
  if (ips !== undefined || FORWARDING_HEADERS.every((name) => headers[name] === undefined)) return false;
  const peer = socket.remoteAddress ?? '';
  if (isIPv4(peer)) return privateAddresses.check(peer, 'ipv4');
  return isIPv6(peer) && privateAddresses.check(peer, 'ipv6');
}
