// Bounds the memory that bodies or replies take together. A client pays for the bytes that arrived, never for those that it
// announced, and one client can use up only its own share.
import type { FastifyReply, FastifyRequest } from 'fastify';
import { AppError } from '../../errors.ts';
import { clientAddress } from './client-address.ts';
import type { ForwardingPeers } from './forwarding-peers.ts';

const MIB = 1024 * 1024;

interface Limit {
  /** Bytes of all clients together. */
  total: number;
  /** Bytes of one client. */
  share: number;
}

export interface BudgetLimits {
  /** Requests without a key, or whose key is not checked before the body. */
  strangers: Limit;
  /** Requests whose API key was proven before their body is read; a share belongs to a key. */
  proven: Limit;
}

const DEFAULT_LIMITS: BudgetLimits = {
  strangers: { total: 256 * MIB, share: 16 * MIB },
  proven: { total: 256 * MIB, share: 64 * MIB },
};

/** The bytes that one request holds. */
export interface Room {
  /** Adds bytes; throws 503 if the client's share or the whole pool is used up. */
  take(bytes: number): void;
  giveBack(): void;
}

export interface ByteBudget {
  /** Opens an empty room. It is given back with the reply at the latest. */
  open(request: FastifyRequest, reply: FastifyReply): Room;
}

export function createByteBudget(forwardingPeers: ForwardingPeers, limits = DEFAULT_LIMITS): ByteBudget {
  const strangers = createPool(limits.strangers);
  const proven = createPool(limits.proven);
  return {
    open(request, reply) {
      const { apiKey } = request;
      const pool = apiKey ? proven : strangers;
      const owner = apiKey ? apiKey.id : forwardingPeers.shareOwner(request.socket, clientAddress(request));
      let held = 0;
      let isOpen = true;
      const giveBack = () => {
        if (held > 0) pool.give(owner, held);
        held = 0;
        isOpen = false;
      };
      reply.raw.once('close', giveBack);
      return {
        take(bytes) {
          if (!isOpen) return;
          if (!pool.take(owner, bytes)) throw tooMuch();
          held += bytes;
        },
        giveBack,
      };
    },
  };
}

/** `owner` is undefined for clients without a share of their own. */
function createPool({ total, share }: Limit) {
  const shares = new Map<string, number>();
  let inFlight = 0;
  return {
    take(owner: string | undefined, bytes: number): boolean {
      const own = owner === undefined ? 0 : (shares.get(owner) ?? 0) + bytes;
      if (inFlight + bytes > total || own > share) return false;
      inFlight += bytes;
      if (owner !== undefined) shares.set(owner, own);
      return true;
    },
    give(owner: string | undefined, bytes: number): void {
      inFlight -= bytes;
      if (owner === undefined) return;
      const left = (shares.get(owner) ?? 0) - bytes;
      if (left > 0) shares.set(owner, left);
      else shares.delete(owner);
    },
  };
}

function tooMuch(): AppError {
  return new AppError('unavailable', 'The service is handling too much data at the moment; try again shortly.', {
    headers: { 'retry-after': '1', connection: 'close' },
  });
}
