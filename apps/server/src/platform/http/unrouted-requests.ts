// Requests that never reach Fastify, because Node's server rejects them first. They get a proper reply, a log line and a place in
// the metrics too.
import { type IncomingMessage, STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { AppError } from '../base/errors.ts';
import { jsonText } from './body/json-text.ts';
import { errorReply } from './error-handler.ts';
import { type Connections, endConnection } from './limits/connections.ts';
import { readRequestId } from './watch/request-id.ts';
import { NOT_ANSWERED, UNMATCHED, type WatchedRequests } from './watch/watch-requests.ts';

export type ParserError = Error & { code?: string };

interface UnroutedOptions {
  common: Readonly<Record<string, string>>;
  maxHeaderBytes: number;
  connections: Connections;
  watched: WatchedRequests;
}

/**
 * Writes refusals to the socket, because there is no reply object. Never writes into or before the reply to an earlier request of
 * the connection: the client would take the refusal for that reply.
 */
export function createUnroutedRequests({ common, maxHeaderBytes, connections, watched }: UnroutedOptions) {
  return {
    /** Answers what Node's parser cannot read, or what does not arrive in time. */
    answerBroken(error: ParserError, socket: Duplex): void {
      // A silent socket gets neither a reply nor a log line: browsers open some in advance, and attackers open thousands.
      if (error.code === 'ECONNRESET' || !socket.writable || (socket as Socket).bytesRead === 0) {
        socket.destroy();
        return;
      }
      if (connections.isEnding(socket)) {
        connections.endAfterReplies(socket);
        return;
      }
      const refusal = toAppError(error, maxHeaderBytes);
      const unread = connections.findUnread(socket);
      if (!unread) {
        const requestId = readRequestId({ headers: {} });
        note(requestId, 'unknown', answer(socket, refusal, requestId));
      } else if (unread.raw.headersSent) {
        connections.endAfterReplies(socket);
      } else {
        // It counts as under way itself, and is not carried out even if the rest of its body arrives.
        unread.hijack();
        const status = answer(socket, refusal, unread.request.id, 1);
        // A client that broke off in the middle has left; one that only ended its half still reads the reply.
        watched.end(unread, error.code === 'HPE_INVALID_EOF_STATE' ? NOT_ANSWERED : status);
      }
    },
    /** Answers a client that takes the service for a proxy. */
    refuseConnect(request: IncomingMessage, socket: Duplex): void {
      // Node has removed its own listeners.
      socket.on('error', () => {}).on('timeout', () => socket.destroy());
      if (connections.isEnding(socket)) {
        connections.endAfterReplies(socket);
      } else {
        const requestId = readRequestId(request);
        const message = 'This service is no proxy: there is nothing to CONNECT to.';
        const refusal = new AppError('method_not_allowed', message, { headers: { allow: '' } });
        note(requestId, 'CONNECT', answer(socket, refusal, requestId));
      }
      socket.resume();
    },
  };

  function note(requestId: string, method: string, status: number): void {
    watched.note({ requestId, method, route: UNMATCHED, status, correlationId: null, ms: 0 });
  }

  /** Returns the resulting status. `own`: number of the replies under way that belong to this request. */
  function answer(socket: Duplex, refusal: AppError, requestId: string, own = 0): number {
    if (connections.countUnderWay(socket) > own) {
      connections.endAfterReplies(socket);
      return NOT_ANSWERED;
    }
    connections.takeNoMore(socket);
    endConnection(socket, writeReply(refusal, requestId, common));
    return refusal.statusCode;
  }
}

function toAppError({ code }: ParserError, maxHeaderBytes: number): AppError {
  switch (code) {
    case 'HPE_HEADER_OVERFLOW':
      return new AppError('headers_too_large', `The request line and headers must fit into ${maxHeaderBytes} bytes.`);
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return new AppError('request_timeout', 'The request did not arrive in time.');
    default:
      return new AppError('malformed_request', 'This is not a well-formed HTTP request.');
  }
}

function writeReply(refusal: AppError, requestId: string, common: Readonly<Record<string, string>>): string {
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
  const head = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  return `HTTP/1.1 ${refusal.statusCode} ${STATUS_CODES[refusal.statusCode]}\r\n${head.join('')}\r\n${body}`;
}
