// Limits how many requests one connection may have under way. Node hands over every pipelined request at once, so that a
// few bytes on one connection could otherwise start any amount of work whose replies nobody reads.
import type { FastifyRequest } from 'fastify';
import { AppError } from '../../errors.ts';

const MAX_REQUESTS_PER_SOCKET = 16;

export interface SocketGuard {
  /** Counts a request in. */
  enter(request: FastifyRequest): void;
  /** Answers 503 when its connection has too many open. */
  refuseCrowd(request: FastifyRequest): void;
  /** Counts it out again; called when its reply is over, however it ended. */
  leave(request: FastifyRequest): void;
}

export function createSocketGuard(): SocketGuard {
  const open = new WeakMap<object, number>();
  return {
    enter({ raw: { socket } }) {
      open.set(socket, (open.get(socket) ?? 0) + 1);
    },
    refuseCrowd({ raw: { socket } }) {
      if ((open.get(socket) ?? 0) > MAX_REQUESTS_PER_SOCKET) {
        throw new AppError('unavailable', `At most ${MAX_REQUESTS_PER_SOCKET} requests at a time on one connection.`, {
          headers: { 'retry-after': '1', connection: 'close' },
        });
      }
    },
    leave({ raw: { socket } }) {
      open.set(socket, Math.max(0, (open.get(socket) ?? 1) - 1));
    },
  };
}
