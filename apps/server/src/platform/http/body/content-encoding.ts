// Refuses bodies that are sent compressed: they would be read as if they were not.
import type { FastifyRequest, preParsingHookHandler } from 'fastify';
import { AppError } from '../../base/errors.ts';

/** Runs after the key was checked and before a byte of the body is read. */
export const refuseContentEncoding: preParsingHookHandler = (request, _reply, payload, done) => {
  if (hasBody(request) && !isIdentity(request.headers['content-encoding'])) {
    throw new AppError(
      'unsupported_media_type',
      'Send the body as it is, without Content-Encoding: it is not unpacked.',
      {
        headers: { 'accept-encoding': 'identity' },
      },
    );
  }
  done(null, payload);
};

function hasBody({ headers }: FastifyRequest): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
}

/** RFC 9110, 8.4: a list of codings; `identity` and an empty value stand for none. */
function isIdentity(contentEncoding: string | undefined): boolean {
  const codings = (contentEncoding ?? '').split(',').map((coding) => coding.trim().toLowerCase());
  return codings.every((coding) => coding === '' || coding === 'identity');
}
