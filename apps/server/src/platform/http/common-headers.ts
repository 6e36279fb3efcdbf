// The headers that every reply carries, as one text made once: checking, sorting and joining the same five lines for each
// reply cost more than looking a record up.
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Connections } from './limits/connections.ts';
import type { UnreadBodies } from './limits/unread-bodies.ts';
import { ServerResponse } from './node-http.ts';

/** What Node itself calls to make the head of a reply, with its first line; and it puts what it is given first, as it is. */
interface HeadWriter {
  _storeHeader(firstLine: string, headers: Given | undefined): void;
  /** Whether Node closes the connection with the reply. */
  _last: boolean;
}
type Given = Readonly<Record<string, unknown>>;

export interface CommonHeaders {
  /** For Node's server to make its replies of. */
  Response: typeof ServerResponse;
  /** Has the reply carry them, apart from those that it is given a value of its own for. */
  setOn(request: FastifyRequest, reply: FastifyReply): void;
}

const NOTHING: Given = {};

/** The values must be fit for a header as they are: nobody looks at them again. */
export function createCommonHeaders(
  common: Readonly<Record<string, string>>,
  unreadBodies: Pick<UnreadBodies, 'settle'>,
  connections: Pick<Connections, 'takeNoMore'>,
): CommonHeaders {
  const names = Object.keys(common);
  const lines = names.map((name) => `${name}: ${common[name]}\r\n`);
  const allLines = lines.join('');
  const Writer = ServerResponse as unknown as { prototype: HeadWriter };
  if (typeof Writer.prototype._storeHeader !== 'function')
    throw new Error('this Node makes the heads of replies otherwise');

  class ResponseWithCommonHeaders extends ServerResponse {
    request: FastifyRequest | undefined;
    declare _last: boolean;

    /** Fastify and we write the names of headers in lower case, and so does Node where they were set one by one. */
    _storeHeader(firstLine: string, headers: Given = NOTHING): void {
      const rest = this.request ? unreadBodies.settle(this.request, this) : 'nothing';
      if (rest === 'left') this.shouldKeepAlive = false;
      let head = firstLine;
      if (this.request && headers['x-request-id'] === undefined) head += `x-request-id: ${this.request.id}\r\n`;
      if (names.every((name) => headers[name] === undefined)) head += allLines;
      else for (const [at, name] of names.entries()) if (headers[name] === undefined) head += lines[at];
      Writer.prototype._storeHeader.call(this, head, headers);
      // The client reads no reply after this one.
      if (this.request && this._last) connections.takeNoMore(this.request.raw.socket);
      if (typeof rest === 'object' && this._last) {
        // Close after the rest of the body, not with the reply: until then the client may not be reading.
        this._last = false;
        rest.endsConnection = true;
      }
    }
  }

  return {
    Response: ResponseWithCommonHeaders as unknown as typeof ServerResponse,
    setOn(request, reply) {
      const { raw } = reply;
      // Its id is filtered, or made here (request-id.ts).
      if (raw instanceof ResponseWithCommonHeaders) raw.request = request;
      // A request that comes by `inject` has a reply of its own kind.
      else reply.header('x-request-id', request.id).headers(common);
    },
  };
}
