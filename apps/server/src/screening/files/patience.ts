// Limits of waiting: the client for a file in the queue, the service for a slow reader.
import type { Socket } from 'node:net';
import { MAX_READER_WAITS, SLOWEST_READER_BYTES, SLOWEST_READER_MS } from '../limits.ts';

/** Sockets by the number of their requests, which may be pipelined. */
const held = new WeakMap<Socket, { timeout: number; requests: number }>();

/** Disables the idle timeout while a client waits for its file. The returned function restores it after the last request. */
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
 * Calls `giveUp` if a reader is too slow over the whole reply, whose memory others wait for. The system buffers megabytes, so
 * a single part says nothing, and buffered bytes count as read. Only the time spent waiting for the reader counts.
 */
export async function* guardPace(parts: AsyncIterable<Uint8Array>, giveUp: () => void, takeMs = SLOWEST_READER_MS) {
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
