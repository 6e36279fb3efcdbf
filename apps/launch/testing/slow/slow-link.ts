// A proxy with limited bandwidth between a browser and the service. Covers all requests: of the
// page, its workers and the runtime's threads. Never shipped.
import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

export interface LinkSpeed {
  /** Toward the browser; the other direction only carries a few kilobytes. */
  bytesPerSecond: number;
  /** Round-trip time of every request. */
  delayMs: number;
}

export interface SlowLink {
  origin: string;
  /** Returns the same URL through this proxy. */
  reach(url: string): string;
  /** Bytes received by the browser so far, including headers. */
  bytes(): number;
  close(): void;
}

/** Small enough that several files share the bandwidth evenly. */
const PIECE_BYTES = 8_192;
/** Time that a late timer may catch up. */
const LATE_MS = 50;

export async function startSlowLink(service: string, { bytesPerSecond, delayMs }: LinkSpeed): Promise<SlowLink> {
  const { hostname, port } = new URL(service);
  const sockets = new Set<Socket>();
  let freeAt = 0;
  let carried = 0;

  /** Resolves once the link had time for so many bytes. */
  async function takeTurn(bytes: number): Promise<void> {
    const now = performance.now();
    freeAt = Math.max(freeAt, now - LATE_MS) + (bytes / bytesPerSecond) * 1_000;
    if (freeAt > now) await sleep(freeAt - now);
    carried += bytes;
  }

  async function relayToBrowser(from: Socket, to: Socket): Promise<void> {
    for await (const chunk of from as AsyncIterable<Buffer>) {
      for (let start = 0; start < chunk.length; start += PIECE_BYTES) {
        const piece = chunk.subarray(start, start + PIECE_BYTES);
        await takeTurn(piece.length);
        if (!to.write(piece)) await once(to, 'drain');
      }
    }
    to.end();
  }

  async function relayToService(from: Socket, to: Socket): Promise<void> {
    for await (const chunk of from as AsyncIterable<Buffer>) {
      await sleep(delayMs);
      to.write(chunk);
    }
    to.end();
  }

  const server = createServer((near) => {
    const far = connect(Number(port), hostname);
    const drop = () => {
      near.destroy();
      far.destroy();
      sockets.delete(near);
      sockets.delete(far);
    };
    for (const socket of [near, far]) sockets.add(socket.once('close', drop).once('error', drop));
    relayToService(near, far).catch(drop);
    relayToBrowser(far, near).catch(drop);
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const origin = `http://localhost:${(server.address() as { port: number }).port}`;
  return {
    origin,
    reach(url) {
      const { pathname, search, hash } = new URL(url);
      return `${origin}${pathname}${search}${hash}`;
    },
    bytes: () => carried,
    close() {
      for (const socket of sockets) socket.destroy();
      server.close();
    },
  };
}
