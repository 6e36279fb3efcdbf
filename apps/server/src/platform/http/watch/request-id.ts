// Ids that connect a request to its reply and its log lines.
import { randomUUID } from 'node:crypto';
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';

const ACCEPTED = /^[A-Za-z0-9._:@/+=-]{1,128}$/;

/** Returns the caller's id if it is harmless in a log and a header, otherwise a new id. */
export function readRequestId(request: Pick<IncomingMessage, 'headers'>): string {
  const id = request.headers['x-request-id'];
  return typeof id === 'string' && ACCEPTED.test(id) ? id : randomUUID();
}

export function readCorrelationId(headers: IncomingHttpHeaders): string | undefined {
  const id = headers['x-correlation-id'];
  return typeof id === 'string' && ACCEPTED.test(id) ? id : undefined;
}
