// Limits connections: in total, over every listener of the service, and per client address. If there is no room, an unused or
// unfinished connection is closed for the new one.
import type { Server, Socket } from 'node:net';
import type { TLSSocket } from 'node:tls';
import type { BodyPace } from './body-pace.ts';
import { addressOwner } from './client-address.ts';
import type { Connections } from './connections.ts';
import type { ForwardingPeers } from './forwarding-peers.ts';

export interface ConnectionLimits {
  total: number;
  perAddress: number;
}

interface AdmissionOptions extends ConnectionLimits {
  connections: Pick<Connections, 'stateOf' | 'idleSince'>;
  bodyPace: Pick<BodyPace, 'behindMs'>;
  forwardingPeers: Pick<ForwardingPeers, 'shareOwner'>;
  isTrustedProxy(address: string): boolean;
}

/** Owners of connections whose peers have no share */
const TRUSTED_PROXIES = 'trusted proxies';
const UNTRUSTED_PROXIES = 'untrusted proxies';

/** Order in which connections are closed, by state */
const RANKS = { silent: 0, idle: 1, head: 2, body: 3, busy: undefined };

type EvictionKey = readonly [rank: number, within: number, bytesRead: number];

/** Adds the limits before the server's own listeners. Node's `maxConnections` counts the connections of each listener separately. */
export function limitConnections(server: Server, options: AdmissionOptions): void {
  const { total, perAddress, connections, bodyPace, forwardingPeers, isTrustedProxy } = options;
  const accept = server.listeners('connection') as ((socket: Socket) => void)[];
  const all = new Set<Socket>();
  const byOwner = new Map<string, Set<Socket>>();
  const owners = new WeakMap<Socket, string>();
  /** TLS sockets by the admitted sockets that they use */
  const secured = new WeakMap<Socket, Socket>();

  function ownerOf(socket: Socket): string {
    const { remoteAddress = '' } = socket;
    if (isTrustedProxy(remoteAddress)) return TRUSTED_PROXIES;
    return forwardingPeers.shareOwner(socket, addressOwner(remoteAddress) ?? '') ?? UNTRUSTED_PROXIES;
  }

  function limitOf(owner: string): number {
    if (owner === TRUSTED_PROXIES) return total;
    return owner === UNTRUSTED_PROXIES ? Math.ceil(total / 2) : perAddress;
  }

  /** Returns undefined for a connection that is being answered. */
  function evictionKey(admitted: Socket): EvictionKey | undefined {
    const socket = secured.get(admitted) ?? admitted;
    const state = connections.stateOf(socket);
    const rank = RANKS[state];
    if (rank === undefined) return undefined;
    if (state === 'idle') return [rank, connections.idleSince(socket), 0];
    if (state === 'body') return [rank, -bodyPace.behindMs(socket), socket.bytesRead];
    return [rank, 0, 0];
  }

  /** Returns the oldest of the connections with the lowest key. */
  function findEvictable(sockets: Iterable<Socket>): Socket | undefined {
    let lowest: { socket: Socket; key: EvictionKey } | undefined;
    for (const socket of sockets) {
      const key = evictionKey(socket);
      if (!key || (lowest && !isLower(key, lowest.key))) continue;
      if (key[0] === RANKS.silent) return socket;
      lowest = { socket, key };
    }
    return lowest?.socket;
  }

  function makeRoom(sockets: ReadonlySet<Socket>, limit: number): boolean {
    if (sockets.size < limit) return true;
    const socket = findEvictable(sockets);
    if (!socket) return false;
    forget(socket);
    socket.destroy();
    return true;
  }

  function forget(socket: Socket): void {
    if (!all.delete(socket)) return;
    const owner = owners.get(socket) ?? '';
    const own = byOwner.get(owner);
    own?.delete(socket);
    if (own?.size === 0) byOwner.delete(owner);
  }

  server.removeAllListeners('connection');
  server.on('connection', (socket: Socket) => {
    const owner = ownerOf(socket);
    if (!makeRoom(byOwner.get(owner) ?? new Set(), limitOf(owner)) || !makeRoom(all, total)) {
      socket.destroy();
      return;
    }
    owners.set(socket, owner);
    all.add(socket);
    const own = byOwner.get(owner) ?? new Set();
    byOwner.set(owner, own.add(socket));
    socket.once('close', () => forget(socket));
    for (const listener of accept) listener.call(server, socket);
  });
  server.on('secureConnection', (socket: TLSSocket & { _parent?: Socket }) => {
    if (socket._parent) secured.set(socket._parent, socket);
  });
}

function isLower(key: EvictionKey, than: EvictionKey): boolean {
  const at = key.findIndex((value, index) => value !== than[index]);
  return at >= 0 && key[at]! < than[at]!;
}
