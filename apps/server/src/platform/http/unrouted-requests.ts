// Requests that never reach Fastify, because Node's server gives up on them before: they get a proper reply, a line and a
// place in the metrics all the same.
import type { IncomingMessage } from 'node:http';
import { STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { AppError } from '../base/errors.ts';
import { jsonText } from './body/json-text.ts';
import { errorReply } from './error-handler.ts';
import type { Connections } from './limits/connections.ts';
import { endConnection } from './limits/connections.ts';
import { NOT_ANSWERED, type RequestEnds, UNMATCHED } from './watch/request-ends.ts';
import { requestIdOf } from './watch/request-id.ts';

export type ParserError = Error & { code?: string };

/** Stands for the method where none was read, or none that is whole. */
const NO_METHOD = 'unknown';
const NO_HEADERS = { headers: {} };

interface Parts {
  /** Headers that every reply carries. */
  common: Readonly<Record<string, string>>;
  maxHeaderBytes: number;
  connections: Connections;
  requestEnds: RequestEnds;
  /** Logs and counts a request; how long it took to come is not known. */
  note(request: { requestId: string; method: string; route: string; status: number }): void;
}

/**
 * There is no reply object for them, so the refusal is written here; but never into or before the reply to an earlier request
 * of the connection, for which its client would take it.
 */
export function createUnroutedRequests({ common, maxHeaderBytes, connections, requestEnds, note }: Parts) {
  return {
    /** For what Node's parser cannot read, or what does not come in time. */
    answerBroken(error: ParserError, socket: Duplex): void {
      // A silent socket gets neither a reply nor a log line: browsers open some in advance, and attackers open thousands.
      if (error.code === 'ECONNRESET' || !socket.writable || (socket as Socket).bytesRead === 0) {
        socket.destroy();
        return;
      }
      // The last reply of the connection is made, and what follows gets none.
      if (connections.isEnding(socket)) {
        connections.endAfterReplies(socket);
        return;
      }
      const refusal = refusalOf(error, maxHeaderBytes);
      const unread = connections.findUnread(socket);
      if (!unread) {
        const requestId = requestIdOf(NO_HEADERS);
        note({ requestId, method: NO_METHOD, route: UNMATCHED, status: answer(socket, refusal, requestId) });
      } else if (unread.raw.headersSent) {
        // The rest of its body is broken, and it has its answer.
        connections.endAfterReplies(socket);
      } else {
        // It is itself one of those under way, and is not carried out if the rest of its body comes after all.
        unread.hijack();
        const status = answer(socket, refusal, unread.request.id, 1);
        requestEnds.end(unread, hasLeft(error) ? NOT_ANSWERED : status);
      }
    },
    /** For a client that takes the service for a proxy. */
    refuseConnect(request: IncomingMessage, socket: Duplex): void {
      // Node has taken its own listeners off.
      socket.on('error', () => {}).on('timeout', () => socket.destroy());
      if (connections.isEnding(socket)) {
        connections.endAfterReplies(socket);
        socket.resume();
        return;
      }
      const requestId = requestIdOf(request);
      const status = answer(socket, noProxy(), requestId);
      note({ requestId, method: 'CONNECT', route: UNMATCHED, status });
      socket.resume();
    },
  };

  /** Returns what became of it. `own`: how many of the replies under way are this request's. */
  function answer(socket: Duplex, refusal: AppError, requestId: string, own = 0): number {
    if (connections.countUnderWay(socket) > own) {
      connections.endAfterReplies(socket);
      return NOT_ANSWERED;
    }
    connections.takeNoMore(socket);
    endConnection(socket, textOf(refusal, requestId, common));
    return refusal.statusCode;
  }
}

/** In the middle of its request; one that only ended its half still reads the reply. */
function hasLeft({ code }: ParserError): boolean {
  return code === 'HPE_INVALID_EOF_STATE';
}

function refusalOf({ code }: ParserError, maxHeaderBytes: number): AppError {
  switch (code) {
    case 'HPE_HEADER_OVERFLOW':
      return new AppError('headers_too_large', `The request line and headers must fit into ${maxHeaderBytes} bytes.`);
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return new AppError('request_timeout', 'The request did not arrive in time.');
    default:
      return new AppError('malformed_request', 'This is not a well-formed HTTP request.');
  }
}

function noProxy(): AppError {
  return new AppError('method_not_allowed', 'This service is no proxy: there is nothing to CONNECT to.', {
    headers: { allow: '' },
  });
}

function textOf(refusal: AppError, requestId: string, common: Readonly<Record<string, string>>): string {
  const body = jsonText(errorReply(refusal, requestId));
  const headers = {
    'content-type': 'application/json; charset=utf-8',
    'x-request-id': requestId,
    'x-error-code': refusal.code,
    connection: 'close',
    ...refusal.headers,
    ...common,
    'content-length': String(Buffer.byteLength(body)),
  };
  const head = Object.entries(headers)
    .map(([name, value]) => `${name}: ${value}\r\n`)
    .join('');
  return `HTTP/1.1 ${refusal.statusCode} ${STATUS_CODES[refusal.statusCode]}\r\n${head}\r\n${body}`;
}
