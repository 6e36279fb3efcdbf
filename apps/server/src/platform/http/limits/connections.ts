// Knows which requests each connection has under way. Node hands over every pipelined request at once, so that a few bytes
// on one connection could otherwise start any amount of work whose replies nobody reads.
import type { Duplex } from 'node:stream';
import type { FastifyReply } from 'fastify';
import { AppError } from '../../errors.ts';
import { endConnection } from './end-connection.ts';

const MAX_REQUESTS_PER_CONNECTION = 16;

interface Connection {
  underWay: number;
  /** To the request that came last; undefined once all of it was read and answered. */
  latest: FastifyReply | undefined;
  endsWithReplies: boolean;
}

export interface Connections {
  /** Counts a request in. */
  enter(reply: FastifyReply): void;
  /** Answers 503 when its connection has too many open. */
  refuseCrowd(reply: FastifyReply): void;
  /** Counts it out again; called when its reply is over, however it ended. */
  leave(reply: FastifyReply): void;
  /** How many replies a connection still owes. */
  countUnderWay(socket: Duplex): number;
  /** The reply to the request whose body is still coming, which may be over already. */
  findUnread(socket: Duplex): FastifyReply | undefined;
  /** Whether a connection has not brought a whole request yet. */
  isArriving(socket: Duplex): boolean;
  /** Ends a connection as soon as it owes no reply. */
  endAfterReplies(socket: Duplex): void;
  /** Whether it was to end so. */
  isEnding(socket: Duplex): boolean;
}

export function createConnections(): Connections {
  const all = new WeakMap<object, Connection>();
  return {
    enter(reply) {
      const { socket } = reply.request.raw;
      const connection = all.get(socket);
      if (!connection) {
        all.set(socket, { underWay: 1, latest: reply, endsWithReplies: false });
        return;
      }
      connection.underWay += 1;
      connection.latest = reply;
    },
    refuseCrowd({ request: { raw } }) {
      if ((all.get(raw.socket)?.underWay ?? 0) > MAX_REQUESTS_PER_CONNECTION) {
        throw new AppError(
          'unavailable',
          `At most ${MAX_REQUESTS_PER_CONNECTION} requests at a time on one connection.`,
          {
            headers: { 'retry-after': '1', connection: 'close' },
          },
        );
      }
    },
    leave(reply) {
      const { raw } = reply.request;
      const connection = all.get(raw.socket);
      if (!connection) return;
      connection.underWay -= 1;
      if (connection.latest === reply && raw.complete) connection.latest = undefined;
      if (connection.endsWithReplies && connection.underWay === 0) endConnection(raw.socket);
    },
    countUnderWay: (socket) => all.get(socket)?.underWay ?? 0,
    findUnread(socket) {
      const latest = all.get(socket)?.latest;
      return latest?.request.raw.complete ? undefined : latest;
    },
    isArriving(socket) {
      const connection = all.get(socket);
      if (!connection) return true;
      const { underWay, latest } = connection;
      return underWay <= 1 && latest !== undefined && !latest.request.raw.complete;
    },
    endAfterReplies(socket) {
      const connection = all.get(socket);
      if (connection) connection.endsWithReplies = true;
      if (!connection?.underWay) endConnection(socket);
    },
    isEnding: (socket) => all.get(socket)?.endsWithReplies ?? false,
  };
}
