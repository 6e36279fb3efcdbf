// What the routes of yente have in common.
import { ref, YenteError } from '@limen/contract';
import type { FastifyReply } from 'fastify';
import type { Logger } from 'pino';
import { explainFailure } from '../engine/failure.ts';
import { LaneClosed } from '../engine/pool.ts';
import type { createKeyCheck } from './credentials.ts';
import { explainDataset } from './refusal.ts';

export interface RouteParts {
  guard: { onRequest: ReturnType<typeof createKeyCheck> };
  log: Pick<Logger, 'error'>;
  closed: boolean;
}

export function describeRoute({ closed }: RouteParts) {
  return {
    tags: ['Screening as yente does it'],
    ...(closed ? { security: [{ apiKey: [] }] } : {}),
  };
}

export const REFUSALS = {
  401: ref(YenteError, 'The key is unknown or inactive, or missing where one is asked for.'),
  422: ref(YenteError, 'A parameter or the body cannot be read; `detail` has one entry per problem.'),
  503: ref(YenteError, 'The lists could not be loaded: nobody can be checked against them.'),
};

/** Aborted when the client is gone. */
export function signalOf(reply: FastifyReply): AbortSignal {
  const gone = new AbortController();
  reply.raw.once('close', () => gone.abort(new LaneClosed()));
  return gone.signal;
}

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
