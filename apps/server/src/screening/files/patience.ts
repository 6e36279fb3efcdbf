// How long the two sides wait for each other: the client for a file in the queue, the service for a slow reader.
import type { Socket } from 'node:net';
import { MAX_READER_WAITS, SLOWEST_READER_BYTES, SLOWEST_READER_MS } from '../limits.ts';

/** Requests may be pipelined: the connection is guarded again when the last of them has been worked on. */
const held = new WeakMap<Socket, { timeout: number; requests: number }>();

/**
 * A connection that stands still is closed by the platform, but a client whose file waits its turn has nothing to send.
 * The returned function restores what was.
 */
export function holdSocketOpen(socket: Socket): () => void {
  const hold = held.get(socket) ?? { timeout: socket.timeout ?? 0, requests: 0 };
  held.set(socket, hold);
  hold.requests += 1;
  if (hold.timeout > 0) socket.setTimeout(0);
  return () => {
    hold.requests -= 1;
    if (hold.requests > 0) return;
    held.delete(socket);
    if (hold.timeout > 0 && !socket.destroyed) socket.setTimeout(hold.timeout);
  };
}

/**
 * Gives a reader up whose pace over the whole reply is too slow: what it waits for holds memory that others wait for. A
 * single part says nothing about it, as the system takes megabytes at once and then nothing until a good deal of them has
 * been read. What the system has taken counts as read, so no reader looks slower than it is; one that stands still behind
 * that is left to the platform's limit for idle connections. Only the time counts that is spent waiting for the reader,
 * not the time that a part takes to be made.
 */
export async function* guardPace(
  parts: AsyncIterable<Uint8Array>,
  giveUp: () => void,
  takeMs = SLOWEST_READER_MS,
): AsyncGenerator<Uint8Array> {
  let taken = 0;
  let waitedMs = 0;
  for await (const part of parts) {
    taken += part.length;
    const mayWaitMs = takeMs * Math.min(Math.max(taken / SLOWEST_READER_BYTES, 1), MAX_READER_WAITS);
    const since = performance.now();
    const timer = setTimeout(giveUp, mayWaitMs - waitedMs).unref();
    try {
      yield part;
    } finally {
      clearTimeout(timer);
    }
    waitedMs += performance.now() - since;
  }
}
