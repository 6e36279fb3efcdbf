// Limits how many requests one connection may have under way. Node hands over every pipelined request at once, so that a
// few bytes on one connection could otherwise start any amount of work whose replies nobody reads.
import type { Socket } from 'node:net';
import type { FastifyRequest } from 'fastify';
import { AppError } from '../../errors.ts';

const MAX_REQUESTS_PER_SOCKET = 16;

export interface SocketGuard {
  /** Counts a request in, or answers 503 when its connection has too many open. */
  enter(request: FastifyRequest): void;
  /** Counts it out again; called when its reply is over, however it ended. */
  leave(request: FastifyRequest): void;
}

/** On the socket itself: a look into a map of sockets, four times for each request, costs as much as its routing. */
const UNDER_WAY = Symbol('requests under way');
type Counted = Socket & { [UNDER_WAY]?: number };

export function createSocketGuard(): SocketGuard {
  return {
    enter({ raw }) {
      const socket: Counted = raw.socket;
      const count = (socket[UNDER_WAY] ?? 0) + 1;
      socket[UNDER_WAY] = count;
      if (count > MAX_REQUESTS_PER_SOCKET) {
        throw new AppError('unavailable', `At most ${MAX_REQUESTS_PER_SOCKET} requests at a time on one connection.`, {
          headers: { 'retry-after': '1', connection: 'close' },
        });
      }
    },
    leave({ raw }) {
      const socket: Counted = raw.socket;
      socket[UNDER_WAY] = Math.max(0, (socket[UNDER_WAY] ?? 1) - 1);
    },
  };
}
