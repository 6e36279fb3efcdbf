// Bounds the memory that request bodies can take together, however many connections send at once.
import type { FastifyReply, FastifyRequest } from 'fastify';
import { AppError } from '../errors.ts';

const MAX_BYTES_IN_FLIGHT = 256 * 1024 * 1024;

export interface BodyBudget {
  /** Reserves room for the body that a request announces, until its reply is done. */
  reserve(request: FastifyRequest, reply: FastifyReply): void;
}

export function createBodyBudget(maxBytes = MAX_BYTES_IN_FLIGHT): BodyBudget {
  let inFlight = 0;
  return {
    reserve(request, reply) {
      const announced = request.headers['content-length'];
      const chunked = request.headers['transfer-encoding'] !== undefined;
      if ((announced === undefined || announced === '0') && !chunked) return;
      const limit = request.routeOptions.bodyLimit ?? 0;
      const bytes = chunked ? limit : Math.min(Number(announced) || 0, limit);
      if (inFlight + bytes > maxBytes) {
        throw new AppError('unavailable', 'The service is receiving too much at once; try again in a moment.', {
          headers: { 'retry-after': '1', connection: 'close' },
        });
      }
      inFlight += bytes;
      reply.raw.once('close', () => {
        inFlight -= bytes;
      });
    },
  };
}
