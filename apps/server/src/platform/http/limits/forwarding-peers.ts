// Recognizes proxies that TRUST_PROXY does not name. All their clients have one address, so with a share per address one client could
// lock out the others. These peers get no share.
import type { FastifyRequest } from 'fastify';
import { classifyAddress } from '../../outbound/classify-address.ts';
import { addressOwner } from './client-address.ts';

const FORWARDING_HEADERS = [
  'x-forwarded-for',
  'forwarded',
  'x-real-ip',
  'x-forwarded-host',
  'x-forwarded-proto',
  'cf-connecting-ip',
  'true-client-ip',
] as const;
const MAX_PEERS = 1_000;

/** Whether the peer is a proxy on this machine or network: a loopback or private address that sends forwarding headers. */
export function isNearbyProxy({ headers, socket }: Pick<FastifyRequest, 'headers' | 'socket'>): boolean {
  return (
    FORWARDING_HEADERS.some((name) => headers[name] !== undefined) &&
    classifyAddress(socket.remoteAddress ?? '') !== 'public'
  );
}

export type ForwardingPeers = ReturnType<typeof createForwardingPeers>;

/** With trusted proxies, nothing needs to be recognized. Calls `onFirst` once, for the first untrusted proxy. */
export function createForwardingPeers(trustsProxy: boolean, onFirst?: () => void) {
  const peers = new Set<string>();
  return {
    note(request: Pick<FastifyRequest, 'headers' | 'socket'>): void {
      if (trustsProxy || !isNearbyProxy(request)) return;
      const owner = addressOwner(request.socket.remoteAddress ?? '');
      if (owner === undefined || peers.has(owner) || peers.size >= MAX_PEERS) return;
      peers.add(owner);
      if (peers.size === 1) onFirst?.();
    },
    /** Returns the address whose share counts, or undefined if the client has no share. */
    shareOwner({ remoteAddress = '' }: { remoteAddress?: string | undefined }, address: string): string | undefined {
      return peers.size > 0 && peers.has(addressOwner(remoteAddress) ?? '') ? undefined : address;
    },
  };
}
