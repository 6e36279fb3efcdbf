// Parts that the routes of yente share: key check, reference texts and searches.
import type { IncomingHttpHeaders } from 'node:http';
import { ref, YenteError } from '@limen/contract';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Logger } from 'pino';
import { readBasic } from '../../platform/api-keys/client-proof.ts';
import type { WorkOwner } from '../../platform/async/work-owner.ts';
import { AppError } from '../../platform/base/errors.ts';
import type { Access } from '../../platform/http/access.ts';
import { findWorkOwner } from '../../platform/http/limits/client-account.ts';
import { createSignal, explainFailure } from '../engine/pool.ts';

export const REFUSALS = {
  401: ref(YenteError, 'The key is unknown or inactive, or missing where one is asked for.'),
  422: ref(YenteError, 'A parameter or the body cannot be read; `detail` has one entry per problem.'),
  503: ref(YenteError, 'The lists could not be loaded.'),
};

export type RouteParts = ReturnType<typeof createRouteParts>;

/** `closed`: an API key is required. */
export function createRouteParts({ requireKey }: Access, log: Pick<Logger, 'error'>, closed: boolean) {
  return {
    closed,
    /** Tag and security of a route in the reference. */
    about: { tags: ['Screening as yente does it'], ...(closed && { security: [{ apiKey: [] }] }) },
    guard: {
      /** Rejects a wrong key even where none is required: its sender expects it to count. */
      onRequest: async (request: FastifyRequest, reply: FastifyReply): Promise<void> => {
        const key = readKey(request.headers);
        if (closed || key !== undefined) await requireKey(key, request, reply);
      },
    },
    /** Runs a search for the caller of a request. It ends when the caller is gone. */
    search: async <T>(
      request: FastifyRequest,
      reply: FastifyReply,
      work: (caller: { owner: WorkOwner; signal: AbortSignal }) => Promise<T>,
    ): Promise<T> => {
      try {
        return await work({ owner: findWorkOwner(request), signal: createSignal(reply) });
      } catch (error) {
        // The catalogue's error lists the datasets. Clients of yente compare this sentence.
        if (error instanceof AppError && error.code === 'not_found')
          throw new AppError('not_found', 'No such dataset.');
        return explainFailure(error, request.id, log);
      }
    },
  };
}

/**
 * Reads `x-api-key`, or `Authorization` with `ApiKey`, `Bearer`, or `Basic` (its password). Returns undefined if no key is
 * sent, and an empty key if it cannot be read.
 */
function readKey({ 'x-api-key': plain, authorization = '' }: IncomingHttpHeaders): string | undefined {
  if (typeof plain === 'string' && plain !== '') return plain;
  if (authorization.trim() === '') return undefined;
  const [, key] = /^(?:apikey|bearer) +(\S+) *$/i.exec(authorization) ?? [];
  return key ?? readBasic(authorization)?.password ?? '';
}
