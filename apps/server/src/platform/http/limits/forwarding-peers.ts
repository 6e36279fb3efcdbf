// Recognizes proxies that TRUST_PROXY does not name. All clients behind such a proxy have its address, so a share per address would
// let one of them lock out the others: these peers get no share.
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
/** More than any installation has; further peers keep their share. */
const MAX_PEERS = 1_000;

type Peer = Pick<FastifyRequest['socket'], 'remoteAddress'>;

export interface ForwardingOptions {
  /** With trusted proxies, no other peer can be one, and nothing needs to be recognized. */
  trustsProxy: boolean;
  /** Called once, for the first proxy. */
  onFound?: (() => void) | undefined;
}

/** Whether the peer is a proxy on this machine or network: a loopback or private address that sends forwarding headers. */
export function isNearbyProxy({ headers, socket }: Pick<FastifyRequest, 'headers' | 'socket'>): boolean {
  return (
    FORWARDING_HEADERS.some((name) => headers[name] !== undefined) &&
    classifyAddress(socket.remoteAddress ?? '') !== 'public'
  );
}

export type ForwardingPeers = ReturnType<typeof createForwardingPeers>;

export function createForwardingPeers({ trustsProxy, onFound }: ForwardingOptions) {
  const peers = new Set<string>();
  return {
    /** Remembers the peer of a request if it is a proxy: a loopback or private address that sends forwarding headers. */
    note(request: Pick<FastifyRequest, 'headers' | 'socket'>): void {
      if (trustsProxy || !isNearbyProxy(request)) return;
      const owner = addressOwner(request.socket.remoteAddress ?? '');
      if (owner === undefined || peers.has(owner) || peers.size >= MAX_PEERS) return;
      peers.add(owner);
      if (peers.size === 1) onFound?.();
    },
    /** Returns the address whose share counts, or undefined if the client has none. */
    shareOwner({ remoteAddress = '' }: Peer, address: string): string | undefined {
      return peers.size > 0 && peers.has(addressOwner(remoteAddress) ?? '') ? undefined : address;
    },
  };
}
