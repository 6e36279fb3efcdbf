// Limits how many requests one connection may have under way. Node hands over every pipelined request at once, so that a
// few bytes on one connection could otherwise start any amount of work whose replies nobody reads.
import type { FastifyReply, FastifyRequest } from 'fastify';
import { AppError } from '../errors.ts';

const MAX_REQUESTS_PER_SOCKET = 16;

/** An `onRequest` step that answers 503 when the connection has too many requests open. */
export function createSocketGuard(): (request: FastifyRequest, reply: FastifyReply) => void {
  const open = new WeakMap<object, number>();
  return ({ raw: { socket } }, reply) => {
    const count = (open.get(socket) ?? 0) + 1;
    open.set(socket, count);
    reply.raw.once('close', () => open.set(socket, (open.get(socket) ?? 1) - 1));
    if (count > MAX_REQUESTS_PER_SOCKET) {
      throw new AppError('unavailable', `At most ${MAX_REQUESTS_PER_SOCKET} requests at a time on one connection.`, {
        headers: { 'retry-after': '1', connection: 'close' },
      });
    }
  };
}
