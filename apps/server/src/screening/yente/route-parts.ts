// What the routes of yente have in common.

import type { IncomingHttpHeaders } from 'node:http';
import { ref, YenteError } from '@limen/contract';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Logger } from 'pino';
import { readBasic } from '../../platform/api-keys/client-proof.ts';
import type { Access } from '../../platform/http/access.ts';
import { explainFailure } from '../engine/pool.ts';
import { explainDataset } from './refusal.ts';

export interface RouteParts {
  guard: { onRequest: ReturnType<typeof createKeyCheck> };
  log: Pick<Logger, 'error'>;
  closed: boolean;
}

export function describeRoute({ closed }: RouteParts) {
  return { tags: ['Screening as yente does it'], ...(closed ? { security: [{ apiKey: [] }] } : {}) };
}

export const REFUSALS = {
  401: ref(YenteError, 'The key is unknown or inactive, or missing where one is asked for.'),
  422: ref(YenteError, 'A parameter or the body cannot be read; `detail` has one entry per problem.'),
  503: ref(YenteError, 'The lists could not be loaded: nobody can be checked against them.'),
};

/** What went wrong while lists were searched, as clients of yente hear it. */
export function explainSearch(requestId: string, log: Pick<Logger, 'error'>) {
  return (error: unknown): never => {
    try {
      return explainFailure(error, requestId, log);
    } catch (explained) {
      return explainDataset(explained);
    }
  };
}

/**
 * `x-api-key`, or `Authorization` with `ApiKey`, `Bearer` or `Basic`, whose password it is. Undefined where none is
 * presented; what cannot be read is a key that nobody has.
 */
function readKey(headers: IncomingHttpHeaders): string | undefined {
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
