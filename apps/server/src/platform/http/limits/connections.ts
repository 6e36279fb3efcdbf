// Tracks the requests that each connection has under way. Node hands over every pipelined request at once: without a limit, a few
// bytes on one connection could start any amount of work.
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { FastifyReply } from 'fastify';
import { unavailable } from '../../base/errors.ts';

const MAX_REQUESTS_PER_CONNECTION = 16;

interface Connection {
  underWay: number;
  /** Reply to the last request; undefined once that was read and answered */
  latest: FastifyReply | undefined;
  endsWithReplies: boolean;
  takesNoMore: boolean;
  /** Time at which the connection last owed no reply, and the bytes that it had sent by then */
  idleSince: number;
  bytesAtIdle: number;
}

/** `silent`: no byte so far. `head` and `body`: in the middle of one. `busy`: a reply is being made or read. */
export type ConnectionState = 'silent' | 'idle' | 'head' | 'body' | 'busy';

export type Connections = ReturnType<typeof createConnections>;

export function createConnections() {
  const all = new WeakMap<object, Connection>();
  let isStopping = false;

  function connectionOf(socket: Duplex): Connection {
    const known = all.get(socket);
    if (known) return known;
    const counts = { underWay: 0, idleSince: 0, bytesAtIdle: 0 };
    const connection = { ...counts, latest: undefined, endsWithReplies: false, takesNoMore: false };
    all.set(socket, connection);
    return connection;
  }

  const countUnderWay = (socket: Duplex): number => all.get(socket)?.underWay ?? 0;

  return {
    enter(reply: FastifyReply): void {
      const connection = connectionOf(reply.request.raw.socket);
      connection.underWay += 1;
      connection.latest = reply;
    },
    refuseCrowd({ request: { raw } }: FastifyReply): void {
      if (countUnderWay(raw.socket) > MAX_REQUESTS_PER_CONNECTION) {
        const headers = { connection: 'close' };
        throw unavailable(`At most ${MAX_REQUESTS_PER_CONNECTION} requests at a time on one connection.`, 1, {
          headers,
        });
      }
    },
    /** Counts a request out; called when its reply is over, however it ended. */
    leave(reply: FastifyReply): void {
      const { raw } = reply.request;
      const connection = all.get(raw.socket);
      if (!connection) return;
      connection.underWay -= 1;
      if (connection.latest === reply && raw.complete) connection.latest = undefined;
      if (connection.underWay > 0) return;
      connection.idleSince = performance.now();
      connection.bytesAtIdle = raw.socket.bytesRead;
      if (connection.endsWithReplies) endConnection(raw.socket);
    },
    countUnderWay,
    /** Returns the reply to the request whose body is still arriving. That reply may be over. */
    findUnread(socket: Duplex): FastifyReply | undefined {
      const latest = all.get(socket)?.latest;
      return latest?.request.raw.complete ? undefined : latest;
    },
    stateOf(socket: Socket): ConnectionState {
      if (socket.bytesRead === 0) return 'silent';
      const connection = all.get(socket);
      if (!connection) return 'head';
      const { underWay, latest, bytesAtIdle } = connection;
      if (latest && !latest.request.raw.complete) return underWay <= 1 ? 'body' : 'busy';
      if (underWay > 0) return 'busy';
      return latest === undefined && socket.bytesRead > bytesAtIdle ? 'head' : 'idle';
    },
    idleSince: (socket: Socket): number => all.get(socket)?.idleSince ?? 0,
    takeNoMore(socket: Duplex): void {
      connectionOf(socket).takesNoMore = true;
    },
    endAfterReplies(socket: Duplex): void {
      const connection = connectionOf(socket);
      connection.endsWithReplies = true;
      if (connection.underWay === 0) endConnection(socket);
    },
    /** Announces the end of each connection with its last reply from now on. */
    stop(): void {
      isStopping = true;
    },
    isStopping: () => isStopping,
    isLastReply: (socket: Duplex): boolean => isStopping && countUnderWay(socket) <= 1,
    isEnding(socket: Duplex): boolean {
      const connection = all.get(socket);
      return connection !== undefined && (connection.takesNoMore || connection.endsWithReplies);
    },
  };
}

/** Time for a client to read the last reply and close its side */
const LINGER_MS = 2_000;

/** Sends `text` and ends the connection. Cuts off a client that keeps its side open. */
export function endConnection(socket: Duplex, text = ''): void {
  socket.end(text);
  setTimeout(() => socket.destroy(), LINGER_MS).unref();
}
