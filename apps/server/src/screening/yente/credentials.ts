// Who calls: clients of yente present their key in one of four ways.
import type { IncomingHttpHeaders } from 'node:http';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { readBasic } from '../../platform/api-keys/client-proof.ts';
import type { Access } from '../../platform/http/access.ts';

/**
 * `x-api-key`, or `Authorization` with `ApiKey`, `Bearer` or `Basic`, whose password it is. Undefined where none is
 * presented; what cannot be read is a key that nobody has.
 */
export function readKey(headers: IncomingHttpHeaders): string | undefined {
  const plain = headers['x-api-key'];
  if (typeof plain === 'string' && plain !== '') return plain;
  const { authorization = '' } = headers;
  if (authorization.trim() === '') return undefined;
  const [, key] = /^(?:apikey|bearer) +(\S+) *$/i.exec(authorization) ?? [];
  return key ?? readBasic(authorization)?.password ?? '';
}

/** A wrong key is refused even where none is asked for: whoever sends one believes that it counts. */
export function createKeyCheck({ requireKey }: Access, closed: boolean) {
  return async (request: FastifyRequest, reply: FastifyReply): Promise<void> => {
    const key = readKey(request.headers);
    if (closed || key !== undefined) await requireKey(key, request, reply);
  };
}
