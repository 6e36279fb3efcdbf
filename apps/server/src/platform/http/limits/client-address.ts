// Whose address a request came from, in the one form that everything counts by: an IPv4 address or an IPv6 /64.
import { isIP, isIPv4 } from 'node:net';
import type { FastifyRequest } from 'fastify';
import { classifyAddress } from '../../outbound/classify-address.ts';

/** A trusted proxy may still pass on nonsense; then the proxy's own address counts. */
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
 * One owner per IPv4 address or IPv6 /64: a host has a whole /64 to itself and could otherwise use it up. Some proxies add
 * the port, which is another one for each connection; undefined for what is no address.
 */
export function addressOwner(text: string): string | undefined {
  const address = withoutPort(text.trim()).split('%', 1)[0]!;
  if (isIPv4(address)) return address;
  if (isIP(address) === 0) return undefined;
  const groups = groupsOf(address);
  const isMapped = groups.slice(0, 5).every((group) => group === 0) && groups[5] === 0xffff;
  if (!isMapped) return groups.slice(0, 4).map(hex).join(':');
  return [groups[6]! >> 8, groups[6]! & 255, groups[7]! >> 8, groups[7]! & 255].join('.');
}

function withoutPort(text: string): string {
  const [, bracketed] = /^\[([^\]]*)\](?::\d+)?$/.exec(text) ?? [];
  if (bracketed !== undefined) return bracketed;
  const [, plain] = /^([\d.]+):\d+$/.exec(text) ?? [];
  return plain ?? text;
}

/** The eight groups of a valid IPv6 address. */
function groupsOf(address: string): number[] {
  const spelt = address.replace(/(\d+)\.(\d+)\.(\d+)\.(\d+)$/, (_, ...bytes: string[]) => {
    const [a, b, c, d] = bytes.map(Number);
    return `${hex((a! << 8) | b!)}:${hex((c! << 8) | d!)}`;
  });
  const [head = '', tail] = spelt.split('::');
  const before = head === '' ? [] : head.split(':');
  const after = tail ? tail.split(':') : [];
  const zeros = tail === undefined ? [] : Array<string>(8 - before.length - after.length).fill('0');
  return [...before, ...zeros, ...after].map((group) => Number.parseInt(group, 16));
}

function hex(value: number): string {
  return value.toString(16);
}
