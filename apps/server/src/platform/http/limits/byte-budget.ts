// Bounds the memory of all bodies or replies together. A client pays for the bytes that arrived, not for those that it announced,
// and can use up only its own share.
import type { FastifyReply, FastifyRequest } from 'fastify';
import { unavailable } from '../../base/errors.ts';
import { clientAddress } from './client-address.ts';
import type { ForwardingPeers } from './forwarding-peers.ts';

const MIB = 1024 * 1024;
/** Larger bodies do not get into the part of each limit that is reserved for small bodies. */
const SMALL_BYTES = 64 * 1024;
const LARGE_PART = 7 / 8;

const DEFAULT_LIMITS = {
  /** Requests without a key, or whose key is not checked before the body */
  strangers: { total: 256 * MIB, share: 16 * MIB },
  /** Requests whose API key is proven before the body; a share belongs to a key */
  proven: { total: 256 * MIB, share: 64 * MIB },
};

export interface ByteAllowance {
  /** Adds bytes. Throws 503 if the client's share or the whole pool is used up. */
  take(bytes: number): void;
  giveBack(): void;
}

export function createByteBudget(forwardingPeers: ForwardingPeers, limits = DEFAULT_LIMITS) {
  const strangers = createPool(limits.strangers);
  const proven = createPool(limits.proven);
  return {
    /** Opens an empty room, which is given back with the reply at the latest. `announced`: bytes to come; 0 if unknown. */
    open(request: FastifyRequest, reply: FastifyReply, announced: number): ByteAllowance {
      const { apiKey } = request;
      const pool = apiKey ? proven : strangers;
      const owner = apiKey ? apiKey.id : forwardingPeers.shareOwner(request.socket, clientAddress(request));
      const held: ByteReservation = { bytes: 0, large: 0 };
      let isOpen = true;
      const giveBack = () => {
        if (isOpen) pool.give(owner, held);
        isOpen = false;
      };
      reply.raw.once('close', giveBack);
      return {
        take(bytes) {
          if (!isOpen) return;
          const isLarge = Math.max(announced, held.bytes + bytes) > SMALL_BYTES;
          const more = { bytes, large: isLarge ? held.bytes + bytes - held.large : 0 };
          if (!pool.take(owner, more)) {
            const headers = { connection: 'close' };
            throw unavailable('The service is handling too much data at the moment; try again shortly.', 1, {
              headers,
            });
          }
          add(held, more);
        },
        giveBack,
      };
    },
  };
}

interface ByteReservation {
  bytes: number;
  large: number;
}

function add(amount: ByteReservation, more: ByteReservation, sign = 1): void {
  amount.bytes += sign * more.bytes;
  amount.large += sign * more.large;
}

function fits(used: ByteReservation, more: ByteReservation, limit: number): boolean {
  return used.bytes + more.bytes <= limit && (more.large === 0 || used.large + more.large <= limit * LARGE_PART);
}

/** `share`: bytes of one client. Clients without an owner have half of the total together. */
function createPool({ total, share }: { total: number; share: number }) {
  const shares = new Map<string | undefined, ByteReservation>();
  const inFlight: ByteReservation = { bytes: 0, large: 0 };
  return {
    take(owner: string | undefined, more: ByteReservation): boolean {
      const own = shares.get(owner) ?? { bytes: 0, large: 0 };
      if (!fits(inFlight, more, total) || !fits(own, more, owner === undefined ? total / 2 : share)) return false;
      add(inFlight, more);
      add(own, more);
      shares.set(owner, own);
      return true;
    },
    give(owner: string | undefined, held: ByteReservation): void {
      const own = shares.get(owner);
      if (!own) return;
      add(inFlight, held, -1);
      add(own, held, -1);
      if (own.bytes === 0) shares.delete(owner);
    },
  };
}
