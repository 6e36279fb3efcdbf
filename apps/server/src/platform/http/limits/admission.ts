// Decides which connections are let in: so many in all, over every listener of the service, and so many of one address.
import type { Server, Socket } from 'node:net';
import { addressOwner } from './client-address.ts';
import type { ForwardingPeers } from './forwarding-peers.ts';

export interface ConnectionLimits {
  /** Connections of all clients together. */
  total: number;
  /** Connections of one address; Infinity where a trusted proxy brings everybody. */
  perAddress: number;
}

/**
 * Puts the limits before the server's own listener. Node counts the connections of each listener by itself, so its `maxConnections`
 * lets twice as many in where two listeners lead to one server.
 */
export function limitConnections(
  server: Server,
  { total, perAddress }: ConnectionLimits,
  forwardingPeers: ForwardingPeers,
): void {
  const accept = server.listeners('connection') as ((socket: Socket) => void)[];
  server.removeAllListeners('connection');
  const open = new Map<string, number>();
  let all = 0;
  server.on('connection', (socket: Socket) => {
    const address = addressOwner(socket.remoteAddress ?? '') ?? '';
    const own = open.get(address) ?? 0;
    const isCrowded = own >= perAddress && forwardingPeers.shareOwner(socket, address) !== undefined;
    if (all >= total || isCrowded) {
      socket.destroy();
      return;
    }
    all += 1;
    open.set(address, own + 1);
    socket.once('close', () => {
      all -= 1;
      const left = (open.get(address) ?? 1) - 1;
      if (left > 0) open.set(address, left);
      else open.delete(address);
    });
    for (const listener of accept) listener.call(server, socket);
  });
}
