// Node's reply class, extended: settles the rest of an unread body, and stops a connection after its last reply.
import { ServerResponse } from 'node:http';
import type { FastifyRequest } from 'fastify';
import type { Connections } from './limits/connections.ts';
import type { UnreadBodies } from './limits/unread-bodies.ts';

/** Replies to `inject` are of another class and have no connection. */
export interface HttpResponse {
  request?: FastifyRequest;
}

export function createResponseClass(unreadBodies: UnreadBodies, connections: Connections): typeof ServerResponse {
  class SettlingResponse extends ServerResponse implements HttpResponse {
    request?: FastifyRequest;
    /** Node's own: whether it closes the connection after the reply; known once the head is written */
    declare _last: boolean;

    override writeHead(...head: unknown[]): this {
      const { request } = this;
      const write = super.writeHead as (...head: unknown[]) => this;
      if (!request || this.headersSent) return write.apply(this, head);
      const rest = unreadBodies.settle(request, this);
      if (rest === 'left' || connections.isLastReply(request.raw.socket)) this.shouldKeepAlive = false;
      write.apply(this, head);
      if (!this._last) return this;
      connections.takeNoMore(request.raw.socket);
      if (typeof rest === 'object') {
        // Close after the rest of the body, not with the reply: until then the client may not be reading.
        this._last = false;
        rest.endsConnection = true;
      }
      return this;
    }
  }
  return SettlingResponse as unknown as typeof ServerResponse;
}
