// Node's reply, which also settles the rest of an unread body and stops a connection after its last reply.
import { ServerResponse } from 'node:http';
import type { FastifyRequest } from 'fastify';
import type { Connections } from './limits/connections.ts';
import type { UnreadBodies } from './limits/unread-bodies.ts';

/** A reply to `inject` is of another class and has no connection. */
export interface HttpResponse {
  request?: FastifyRequest;
}

/** Returns the class that Node's server makes its replies of. */
export function createResponseClass(
  unreadBodies: Pick<UnreadBodies, 'settle'>,
  connections: Pick<Connections, 'takeNoMore'>,
): typeof ServerResponse {
  class SettlingResponse extends ServerResponse implements HttpResponse {
    request?: FastifyRequest;
    /** Whether Node closes the connection after the reply; known once the head is written. */
    declare _last: boolean;

    override writeHead(...head: unknown[]): this {
      const { request } = this;
      const write = super.writeHead as (...head: unknown[]) => this;
      if (!request || this.headersSent) return write.apply(this, head);
      const rest = unreadBodies.settle(request, this);
      if (rest === 'left') this.shouldKeepAlive = false;
      write.apply(this, head);
      if (!this._last) return this;
      // The client reads no reply after this one.
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
