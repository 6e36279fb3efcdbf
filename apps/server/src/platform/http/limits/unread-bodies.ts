// Discards the rest of a body whose request is answered early. Many clients read the reply only after they have sent everything;
// closing the connection before would destroy the reply.
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { FastifyRequest } from 'fastify';
import { hasBody } from './announced-body.ts';
import { clientAddress } from './client-address.ts';
import type { ForwardingPeers } from './forwarding-peers.ts';

const MAX_DISCARDED_BYTES = 32 * 1024 * 1024;
const MAX_PER_ADDRESS = 8;

export type UnreadBodies = ReturnType<typeof createUnreadBodies>;

/** `awaitingContinue`: requests whose client sends the body only after `100 Continue`, which it did not get. */
export function createUnreadBodies(forwardingPeers: ForwardingPeers, awaitingContinue: WeakSet<IncomingMessage>) {
  const counts = new Map<string, number>();
  const sockets = new Set<Socket>();
  let isStopping = false;
  return {
    /**
     * Begins to discard the rest of a request's body; called with the head of its reply. Returns `left` if the rest stays unread, so
     * that the connection has to end with the reply. Set `endsConnection` to end the connection after the rest.
     */
    settle(request: FastifyRequest, response: ServerResponse): { endsConnection: boolean } | 'nothing' | 'left' {
      const { raw } = request;
      if (raw.complete || raw.destroyed || !hasBody(raw.headers)) return 'nothing';
      const owner = forwardingPeers.shareOwner(raw.socket, clientAddress(request));
      const count = owner === undefined ? 0 : (counts.get(owner) ?? 0);
      if (isStopping || awaitingContinue.has(raw) || count >= MAX_PER_ADDRESS) return 'left';
      if (owner !== undefined) counts.set(owner, count + 1);
      sockets.add(raw.socket);
      const discard = { endsConnection: false };
      discardRest(raw, () => {
        sockets.delete(raw.socket);
        if (owner !== undefined) giveBack(owner);
        if (discard.endsConnection) endSocketAfter(response, raw.socket);
      });
      return discard;
    },
    /** Ends the connections whose bodies are being discarded, and discards no more. */
    stop(): void {
      isStopping = true;
      for (const socket of sockets) socket.destroySoon();
    },
  };

  function giveBack(owner: string): void {
    const left = (counts.get(owner) ?? 1) - 1;
    if (left > 0) counts.set(owner, left);
    else counts.delete(owner);
  }
}

function discardRest(body: IncomingMessage, onEnd: () => void): void {
  const { socket } = body;
  let left = MAX_DISCARDED_BYTES;
  let isOver = false;
  const end = () => {
    if (isOver) return;
    isOver = true;
    socket.off('close', end);
    onEnd();
  };
  body.unpipe();
  body.removeAllListeners('data').removeAllListeners('readable');
  body.on('data', (chunk: Buffer) => {
    left -= chunk.length;
    if (left < 0) socket.destroy();
  });
  body.on('error', () => {}).once('end', end);
  // Node emits nothing on a body if the connection breaks after the reply.
  socket.once('close', end);
  // Otherwise Node itself would discard the rest after the reply, without any limit.
  body.read(0);
  body.resume();
}

/** A queued reply ends the connection once it is sent. */
function endSocketAfter(response: ServerResponse, socket: Socket): void {
  if (response.writableFinished) socket.destroySoon();
  else (response as ServerResponse & { _last: boolean })._last = true;
}
