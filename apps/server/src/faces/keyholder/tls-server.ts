// Listens for services that know the secret, and answers their calls; bounded in connections, bytes and calls.
import type { AddressInfo, Socket } from 'node:net';
import { createServer, type TLSSocket } from 'node:tls';
import type { Logger } from 'pino';
import type { AnswerCall } from './answer-call.ts';
import { createFrameReader, encodeFrame } from './link/frames.ts';
import type { ReplyMessage } from './link/messages.ts';
import { serverTls } from './link/tls-channel.ts';

/** Of those that proved the secret; one per process of the service. */
const MAX_CONNECTIONS = 32;
/** Sockets of one address that have not proved the secret yet, for which they have five seconds. */
const MAX_UNPROVEN_PER_ADDRESS = 32;
/** Unproven sockets of all addresses that never proved it. An address of a service keeps its own share. */
const MAX_STRANGERS = 192;
const HANDSHAKE_MS = 5_000;
/** While a connection has this many calls under way, no more of it is read. */
const MAX_CALLS = 64;
const KEEP_ALIVE_MS = 10_000;
const TELL_EVERY_MS = 10_000;
const CLOSED_BY_PEER = 'ECONNRESET';
const TOO_MANY = 'TOO_MANY_UNPROVEN';

/** `secret`: not proved. `unproven`: too many that have not proved it yet. `full`: too many that have. */
export type ConnectionRefusal = 'secret' | 'unproven' | 'full';

export type TlsServer = Awaited<ReturnType<typeof listenForService>>;

interface TlsServerOptions {
  host: string;
  port: number;
  secrets: readonly string[];
  answer: AnswerCall;
  log: Logger;
}

export async function listenForService({ host, port, secrets, answer, log }: TlsServerOptions) {
  const sockets = new Set<TLSSocket>();
  const refusedBy = new Map<ConnectionRefusal, number>([
    ['secret', 0],
    ['unproven', 0],
    ['full', 0],
  ]);
  const countRefused = (reason: ConnectionRefusal) => refusedBy.set(reason, refusedBy.get(reason)! + 1);
  const underWay = new Set<Promise<void>>();
  const server = createServer({ ...serverTls(secrets), handshakeTimeout: HANDSHAKE_MS }, (socket) => {
    if (sockets.size >= MAX_CONNECTIONS) {
      countRefused('full');
      log.warn('a connection was refused: there are too many');
      socket.destroy();
      return;
    }
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
    serve(socket);
  });
  let toldAt = Number.NEGATIVE_INFINITY;
  let refused = 0;
  function tellOfRefusal(errorCode: string | undefined): void {
    refused += 1;
    countRefused(errorCode === TOO_MANY ? 'unproven' : 'secret');
    // Anybody can knock; they shall not fill the log.
    if (performance.now() - toldAt < TELL_EVERY_MS) return;
    log.warn({ errorCode, refused }, 'connections were refused: they did not prove that they know the secret');
    toldAt = performance.now();
    refused = 0;
  }
  /** Peers who proved the secret or were refused: what became of the others is seen when they are gone. */
  const decided = new Set<string>();
  const unproven = countUnproven();
  server.on('secureConnection', (socket) => {
    decided.add(peerOf(socket));
    unproven.prove(socket);
  });
  server.on('tlsClientError', ({ code }: NodeJS.ErrnoException, socket) => {
    if (code === CLOSED_BY_PEER) return; // nothing is known of such a socket any more
    decided.add(peerOf(socket));
    tellOfRefusal(code);
  });
  server.on('connection', (socket: Socket) => {
    const peer = peerOf(socket);
    if (!unproven.enter(socket)) {
      tellOfRefusal(TOO_MANY);
      socket.destroy();
      return;
    }
    socket.once('close', () => {
      // Whoever leaves without a byte has asked whether somebody listens, as supervisors do every few seconds.
      if (!decided.delete(peer) && socket.bytesRead > 0) tellOfRefusal(CLOSED_BY_PEER);
    });
  });

  function serve(socket: TLSSocket): void {
    let calls = 0;
    const read = createFrameReader(({ header, blobs }) => {
      const answered = answer({ ...header, blobs });
      if (!answered) throw new Error('this is no call');
      if (++calls >= MAX_CALLS) socket.pause();
      const done = answered.then((reply) => {
        if (--calls < MAX_CALLS) socket.resume();
        send(socket, reply);
      });
      underWay.add(done);
      done.finally(() => underWay.delete(done)).catch(() => socket.destroy());
    });
    socket.setNoDelay(true).setKeepAlive(true, KEEP_ALIVE_MS);
    socket.on('error', () => {}); // `close` follows
    socket.on('data', (chunk) => {
      try {
        read(chunk);
      } catch {
        log.warn('a connection was closed: it sent something that is not a message');
        socket.destroy();
      }
    });
  }

  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, () => {
      server.off('error', reject);
      resolve();
    });
  });
  return {
    port: (server.address() as AddressInfo).port,
    /** Connections that were refused, by reason. */
    refused: refusedBy,
    /** Returns how many connections proved the secret. */
    connections: () => sockets.size,
    /** Takes no more calls, and resolves when those under way are answered. */
    async close(): Promise<void> {
      const closed = new Promise((resolve) => server.close(resolve));
      for (const socket of sockets) socket.pause();
      await Promise.allSettled(underWay);
      for (const socket of sockets) socket.destroySoon();
      await closed;
    },
  };
}

/** Counts sockets until they prove the secret or close. Only holders of the secret make the service remember their address. */
function countUnproven() {
  const known = new Set<string>();
  const waiting = new Map<string, { address: string; isStranger: boolean }>();
  const countOf = (isCounted: (entry: { address: string; isStranger: boolean }) => boolean) =>
    [...waiting.values()].filter(isCounted).length;
  return {
    /** Returns false if the address, or all strangers together, have too many. */
    enter(socket: Socket): boolean {
      const { remoteAddress: address = '' } = socket;
      const isStranger = !known.has(address);
      if (isStranger && countOf((entry) => entry.isStranger) >= MAX_STRANGERS) return false;
      if (countOf((entry) => entry.address === address) >= MAX_UNPROVEN_PER_ADDRESS) return false;
      const peer = peerOf(socket);
      waiting.set(peer, { address, isStranger });
      socket.once('close', () => waiting.delete(peer));
      return true;
    },
    prove(socket: Socket): void {
      waiting.delete(peerOf(socket));
      known.add(socket.remoteAddress ?? '');
    },
  };
}

function peerOf({ remoteAddress, remotePort }: Socket): string {
  return `${remoteAddress} ${remotePort}`;
}

function send(socket: TLSSocket, { id, blobs, ...rest }: ReplyMessage): void {
  if (!socket.destroyed) socket.write(encodeFrame({ header: { id, ...rest }, blobs }));
}
