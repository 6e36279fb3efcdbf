// Limits connections: in all, over every listener of the service, and per client address. If there is no room, the oldest connection
// that has not brought a whole request yet is closed for the new one.
import type { Server, Socket } from 'node:net';
import type { TLSSocket } from 'node:tls';
import { addressOwner } from './client-address.ts';
import type { Connections } from './connections.ts';
import type { ForwardingPeers } from './forwarding-peers.ts';

export interface ConnectionLimits {
  /** Connections of all clients together. */
  total: number;
  /** Connections of one address; Infinity if a trusted proxy brings all clients. */
  perAddress: number;
}

interface AdmissionOptions extends ConnectionLimits {
  connections: Pick<Connections, 'isArriving'>;
  forwardingPeers: Pick<ForwardingPeers, 'shareOwner'>;
}

/**
 * Puts the limits before the server's own listeners. Node counts the connections of each listener by itself: its `maxConnections`
 * admits twice as many if two listeners lead to one server.
 */
export function limitConnections(server: Server, options: AdmissionOptions): void {
  const { total, perAddress, connections, forwardingPeers } = options;
  const accept = server.listeners('connection') as ((socket: Socket) => void)[];
  const all = new Set<Socket>();
  const byAddress = new Map<string, Set<Socket>>();
  /** A closed socket has no address of its own any more. */
  const addresses = new WeakMap<Socket, string>();
  /** With TLS, requests belong to the socket above the one that was let in. */
  const secured = new WeakMap<Socket, Socket>();

  function findArriving(sockets: Iterable<Socket>): Socket | undefined {
    for (const socket of sockets) if (connections.isArriving(secured.get(socket) ?? socket)) return socket;
    return undefined;
  }

  /** Returns whether there is room now. */
  function makeRoom(sockets: ReadonlySet<Socket>, limit: number): boolean {
    if (sockets.size < limit) return true;
    const socket = findArriving(sockets);
    if (!socket) return false;
    forget(socket);
    socket.destroy();
    return true;
  }

  function forget(socket: Socket): void {
    if (!all.delete(socket)) return;
    const address = addresses.get(socket) ?? '';
    const own = byAddress.get(address);
    own?.delete(socket);
    if (own?.size === 0) byAddress.delete(address);
  }

  server.removeAllListeners('connection');
  server.on('connection', (socket: Socket) => {
    const address = addressOwner(socket.remoteAddress ?? '') ?? '';
    const own = byAddress.get(address) ?? new Set();
    const limit = forwardingPeers.shareOwner(socket, address) === undefined ? Number.POSITIVE_INFINITY : perAddress;
    if (!makeRoom(own, limit) || !makeRoom(all, total)) {
      socket.destroy();
      return;
    }
    addresses.set(socket, address);
    all.add(socket);
    byAddress.set(address, own.add(socket));
    socket.once('close', () => forget(socket));
    for (const listener of accept) listener.call(server, socket);
  });
  server.on('secureConnection', (socket: TLSSocket & { _parent?: Socket }) => {
    if (socket._parent) secured.set(socket._parent, socket);
  });
}
