// Ends a connection from the service's side.
import type { Duplex } from 'node:stream';

/** Time that a client has to read the last reply and close its own side. */
const LINGER_MS = 2_000;

/** Sends `text`, if any, and ends. A client that keeps its side open, or goes on sending, is cut off a little later. */
export function endConnection(socket: Duplex, text = ''): void {
  socket.end(text);
  setTimeout(() => socket.destroy(), LINGER_MS).unref();
}
