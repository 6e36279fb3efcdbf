// Requests that never reach Fastify, because Node's server gives up on them before: they get a proper reply all the same.
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { AppError } from '../errors.ts';
import { jsonText } from './body/json-text.ts';
import { errorReply, type RefusalForm } from './error-handler.ts';
import { STATUS_CODES } from './node-http.ts';
import { requestIdOf } from './watch/request-id.ts';

type Headers = Readonly<Record<string, string>>;
type ParserError = Error & { code?: string };

/** For what Node's parser cannot read. There is no reply object any more, so the head is written here, `common` included. */
export function answerBrokenRequests(common: Headers, maxHeaderBytes: number) {
  return (error: ParserError, socket: Socket): void => {
    if (error.code === 'ECONNRESET' || !socket.writable) {
      socket.destroy();
      return;
    }
    const refusal = refusalOf(error, maxHeaderBytes);
    const requestId = requestIdOf({ headers: {} });
    const body = jsonText(errorReply(refusal, requestId));
    const headers = {
      ...ownHeaders(refusal, requestId),
      ...common,
      'content-length': String(Buffer.byteLength(body)),
    };
    const head = Object.entries(headers)
      .map(([name, value]) => `${name}: ${value}\r\n`)
      .join('');
    socket.end(`HTTP/1.1 ${refusal.statusCode} ${STATUS_CODES[refusal.statusCode]}\r\n${head}\r\n${body}`);
  };
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

/** For an `Expect` that nobody can meet. Its reply is of the server's own class, which adds the common headers. */
export function refuseExpectations(refusalForm: RefusalForm | undefined) {
  return (request: IncomingMessage, response: ServerResponse): void => {
    const refusal = new AppError('expectation_failed', 'The only supported expectation is 100-continue.');
    const requestId = requestIdOf(request);
    response.writeHead(refusal.statusCode, ownHeaders(refusal, requestId));
    response.end(jsonText(refusalForm?.(refusal, request.url ?? '') ?? errorReply(refusal, requestId)));
  };
}

function ownHeaders(refusal: AppError, requestId: string): Headers {
  return {
    'content-type': 'application/json; charset=utf-8',
    'x-request-id': requestId,
    'x-error-code': refusal.code,
    connection: 'close',
  };
}
