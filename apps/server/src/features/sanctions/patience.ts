// How long the two sides wait for each other: the client for a file in the queue, the service for a slow reader.
import type { Socket } from 'node:net';

/** Enough for the slowest line that is worth serving: a part of the reply is some ten kilobytes. */
const TAKE_MS = 30_000;

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

/** Gives a reader up who does not take the next part in time: what it waits for holds memory that others wait for. */
export async function* guardPace<Part>(
  parts: AsyncIterable<Part>,
  giveUp: () => void,
  takeMs = TAKE_MS,
): AsyncGenerator<Part> {
  for await (const part of parts) {
    const timer = setTimeout(giveUp, takeMs).unref();
    try {
      yield part;
    } finally {
      clearTimeout(timer);
    }
  }
}
