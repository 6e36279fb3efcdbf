// Whether a body follows the head of a request, and its length.
import type { IncomingHttpHeaders } from 'node:http';

type BodyHeaders = Pick<IncomingHttpHeaders, 'content-length' | 'transfer-encoding'>;

/** A length of 0 means no body, with any content type. */
export function hasBody(headers: BodyHeaders): boolean {
  return headers['transfer-encoding'] !== undefined || announcedBytes(headers) > 0;
}

/** Returns 0 for a chunked body, which announces no length. */
export function announcedBytes(headers: BodyHeaders): number {
  return Number(headers['content-length'] ?? 0);
}
