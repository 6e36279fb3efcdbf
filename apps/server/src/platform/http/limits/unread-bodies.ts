// Reads and discards the rest of a body whose request is answered before it has arrived. Many clients read the reply only after they
// have sent everything. Closing the connection earlier would destroy the reply.
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { FastifyRequest } from 'fastify';
import { hasBody } from './announced-body.ts';
import { clientAddress } from './client-address.ts';
import type { ForwardingPeers } from './forwarding-peers.ts';

const MAX_DISCARDED_BYTES = 32 * 1024 * 1024;
/** Bodies of one address that are discarded at a time. */
const MAX_PER_ADDRESS = 8;

export interface Discard {
  /** Whether the connection ends once the rest has arrived. */
  endsConnection: boolean;
}

interface UnreadBodiesOptions {
  forwardingPeers: ForwardingPeers;
  /** Whether a client sends the body only after `100 Continue`, which it did not get. */
  awaitsContinue(request: IncomingMessage): boolean;
}

export type UnreadBodies = ReturnType<typeof createUnreadBodies>;

export function createUnreadBodies({ forwardingPeers, awaitsContinue }: UnreadBodiesOptions) {
  const counts = new Map<string, number>();
  const sockets = new Set<Socket>();
  let isStopping = false;
  return {
    /**
     * Begins to discard the rest of a request's body; called when the head of its reply is made. Returns `nothing` if the body is
     * complete, and `left` if the rest stays unread, so that the connection has to end with the reply.
     */
    settle(request: FastifyRequest, response: ServerResponse): Discard | 'nothing' | 'left' {
      const { raw } = request;
      if (raw.complete || raw.destroyed || !hasBody(raw.headers)) return 'nothing';
      const owner = forwardingPeers.shareOwner(raw.socket, clientAddress(request));
      const count = owner === undefined ? 0 : (counts.get(owner) ?? 0);
      if (isStopping || awaitsContinue(raw) || count >= MAX_PER_ADDRESS) return 'left';
      if (owner !== undefined) counts.set(owner, count + 1);
      sockets.add(raw.socket);
      const discard: Discard = { endsConnection: false };
      discardRest(raw, () => {
        sockets.delete(raw.socket);
        if (owner !== undefined) giveBack(owner);
        if (discard.endsConnection) endWith(response, raw.socket);
      });
      return discard;
    },
    /** Ends the connections whose bodies are being discarded; the rest of further bodies is left. */
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
  // Node emits nothing on a body whose connection breaks after its reply is over.
  socket.once('close', end);
  // After the reply, Node would discard the rest of an untouched body itself, without any limit.
  body.read(0);
  body.resume();
}

/** A reply that is still queued ends the connection itself once it is out. */
function endWith(response: ServerResponse, socket: Socket): void {
  if (response.writableFinished) socket.destroySoon();
  else (response as ServerResponse & { _last: boolean })._last = true;
}
