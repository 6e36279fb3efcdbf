// Ends requests whose body arrives too slowly. A large body that keeps the pace may take as long as it needs.
import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import type { Connections } from './connections.ts';

/** Required average, once the grace is used up */
const MIN_BYTES_PER_SECOND = 16 * 1024;
const LOOK_EVERY_MS = 1_000;

interface Progress {
  body: IncomingMessage;
  bytesRead: number;
  /** Time that the body is behind the pace. Never negative: a fast start earns no long silence. */
  behindMs: number;
}

export type BodyPace = ReturnType<typeof createBodyPace>;

/** Watches all bodies with one timer. `graceMs`: time that a body may fall behind. */
export function createBodyPace(connections: Connections, graceMs: number, onTooSlow: (socket: Socket) => void) {
  const lookEveryMs = Math.min(LOOK_EVERY_MS, graceMs / 2);
  const watched = new Map<Socket, Progress | undefined>();
  let timer: NodeJS.Timeout | undefined;
  let lookedAt = 0;

  function look(): void {
    const now = performance.now();
    // Bytes that arrived while the event loop was blocked waited for the service.
    const elapsedMs = Math.min(now - lookedAt, 2 * lookEveryMs);
    lookedAt = now;
    for (const [socket, progress] of watched) {
      const body = connections.findUnread(socket)?.request.raw;
      if (!body || socket.destroyed) watched.delete(socket);
      else if (progress?.body !== body) watched.set(socket, { body, bytesRead: socket.bytesRead, behindMs: 0 });
      else if (isBehind(socket, progress, elapsedMs)) {
        watched.delete(socket);
        onTooSlow(socket);
      }
    }
    if (watched.size === 0) stop();
  }

  function isBehind(socket: Socket, progress: Progress, elapsedMs: number): boolean {
    const { body } = progress;
    const earnedMs = ((socket.bytesRead - progress.bytesRead) / MIN_BYTES_PER_SECOND) * 1_000;
    progress.bytesRead = socket.bytesRead;
    // The service has not begun to read, or has not taken all bytes.
    const isWaitedFor = body.readableFlowing === null || body.readableLength > 0;
    progress.behindMs = Math.max(0, progress.behindMs + (isWaitedFor ? 0 : elapsedMs) - earnedMs);
    return progress.behindMs > graceMs;
  }

  function stop(): void {
    clearInterval(timer);
    timer = undefined;
  }

  return {
    /** Watches a connection until the body of its last request is complete. */
    watch(socket: Socket): void {
      if (!watched.has(socket)) watched.set(socket, undefined);
      if (timer) return;
      lookedAt = performance.now();
      timer = setInterval(look, lookEveryMs).unref();
    },
    behindMs: (socket: Socket): number => watched.get(socket)?.behindMs ?? 0,
    stop,
  };
}
