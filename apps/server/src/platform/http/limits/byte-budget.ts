// Bounds the memory that bodies or replies can take together, however many connections there are and however slowly
// they are sent or read.
import type { FastifyReply, FastifyRequest } from 'fastify';
import { AppError } from '../../errors.ts';

const MAX_BYTES_IN_FLIGHT = 256 * 1024 * 1024;

export interface ByteBudget {
  /** Reserves room, or answers 503 when there is none. Given back by the returned function, at the latest with the reply. */
  take(reply: FastifyReply, bytes: number): () => void;
}

export function createByteBudget(maxBytes = MAX_BYTES_IN_FLIGHT): ByteBudget {
  let inFlight = 0;
  return {
    take(reply, bytes) {
      if (inFlight + bytes > maxBytes) {
        throw new AppError('unavailable', 'The service is handling too much data at the moment; try again shortly.', {
          headers: { 'retry-after': '1', connection: 'close' },
        });
      }
      inFlight += bytes;
      let held = true;
      const giveBack = () => {
        if (held) inFlight -= bytes;
        held = false;
      };
      reply.raw.once('close', giveBack);
      return giveBack;
    },
  };
}

/** What a request's body may take: what it announces, or what the route allows when it does not say. */
export function announcedBytes({ headers, routeOptions }: FastifyRequest): number {
  const limit = routeOptions.bodyLimit ?? 0;
  if (headers['transfer-encoding'] !== undefined) return limit;
  return Math.min(Number(headers['content-length']) || 0, limit);
}
