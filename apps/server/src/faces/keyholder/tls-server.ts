// Listens for services that know the secret and answers their calls. Connections, bytes and concurrent calls are limited.
import { once } from 'node:events';
import type { AddressInfo, Socket } from 'node:net';
import { createServer, type Server, type TLSSocket } from 'node:tls';
import type { Logger } from 'pino';
import type { AnswerCall } from './answer-call.ts';
import { createFrameReader, encodeFrame } from './link/frames.ts';
import { serverTls } from './link/tls-channel.ts';

/** Connections that proved the secret; each process of the service has one. */
const MAX_CONNECTIONS = 32;
/** Sockets of one address that have not proved the secret yet, for which they have five seconds. */
const MAX_UNPROVEN_PER_ADDRESS = 32;
/** Unproven sockets of all addresses that never proved it. An address of a service keeps its own share. */
const MAX_STRANGERS = 192;
const HANDSHAKE_MS = 5_000;
/** Concurrent calls of a connection. At the limit, no more is read from it. */
const MAX_CALLS = 64;
const KEEP_ALIVE_MS = 10_000;
/** Strangers must not be able to fill the log. */
const LOG_EVERY_MS = 10_000;
const CLOSED_BY_PEER = 'ECONNRESET';
const TOO_MANY = 'TOO_MANY_UNPROVEN';

interface TlsServerOptions {
  host: string;
  port: number;
  secrets: readonly string[];
  answer: AnswerCall;
  log: Logger;
}

export async function listenForService(options: TlsServerOptions): Promise<TlsServer> {
  const server = new TlsServer(options);
  await server.listen(options);
  return server;
}

export class TlsServer {
  /** Refused connections. `secret`: not proved. `unproven`: too many that have not proved it. `full`: too many that have. */
  readonly refused = new Map([
    ['secret', 0],
    ['unproven', 0],
    ['full', 0],
  ]);
  port = 0;
  readonly #answer;
  readonly #log;
  readonly #server: Server;
  readonly #sockets = new Set<TLSSocket>();
  readonly #underWay = new Set<Promise<void>>();
  /** Peers that proved the secret or were refused. For all others, the outcome is known when they close. */
  readonly #decided = new Set<string>();
  readonly #unproven = countUnproven();
  #loggedAt = Number.NEGATIVE_INFINITY;
  #refusedSinceLogged = 0;

  constructor({ secrets, answer, log }: TlsServerOptions) {
    this.#answer = answer;
    this.#log = log;
    this.#server = createServer({ ...serverTls(secrets), handshakeTimeout: HANDSHAKE_MS })
      .on('connection', (socket: Socket) => this.#enter(socket))
      .on('secureConnection', (socket) => this.#take(socket))
      .on('tlsClientError', ({ code }: NodeJS.ErrnoException, socket) => {
        if (code === CLOSED_BY_PEER) return; // the address of such a socket is gone
        this.#decided.add(formatPeer(socket));
        this.#refuse(code);
      });
  }

  async listen({ host, port }: TlsServerOptions): Promise<void> {
    this.#server.listen(port, host);
    await once(this.#server, 'listening');
    this.port = (this.#server.address() as AddressInfo).port;
  }

  connections(): number {
    return this.#sockets.size;
  }

  async close(): Promise<void> {
    const closed = new Promise((resolve) => this.#server.close(resolve));
    for (const socket of this.#sockets) socket.pause();
    await Promise.allSettled(this.#underWay);
    for (const socket of this.#sockets) socket.destroySoon();
    await closed;
  }

  #enter(socket: Socket): void {
    const peer = formatPeer(socket);
    if (!this.#unproven.enter(socket)) {
      this.#refuse(TOO_MANY);
      socket.destroy();
      return;
    }
    socket.once('close', () => {
      // A peer that leaves without a byte only checked whether the port is open, as supervisors do every few seconds.
      if (!this.#decided.delete(peer) && socket.bytesRead > 0) this.#refuse(CLOSED_BY_PEER);
    });
  }

  #refuse(errorCode: string | undefined): void {
    this.#refusedSinceLogged += 1;
    this.#count(errorCode === TOO_MANY ? 'unproven' : 'secret');
    if (performance.now() - this.#loggedAt < LOG_EVERY_MS) return;
    const facts = { errorCode, refused: this.#refusedSinceLogged };
    this.#log.warn(facts, 'connections were refused: they did not prove that they know the secret');
    this.#loggedAt = performance.now();
    this.#refusedSinceLogged = 0;
  }

  #count(reason: string): void {
    this.refused.set(reason, this.refused.get(reason)! + 1);
  }

  #take(socket: TLSSocket): void {
    this.#decided.add(formatPeer(socket));
    this.#unproven.prove(socket);
    if (this.#sockets.size >= MAX_CONNECTIONS) {
      this.#count('full');
      this.#log.warn('a connection was refused: there are too many');
      socket.destroy();
      return;
    }
    this.#sockets.add(socket);
    socket.on('close', () => this.#sockets.delete(socket));
    this.#serve(socket);
  }

  #serve(socket: TLSSocket): void {
    let calls = 0;
    const read = createFrameReader(({ header, blobs }) => {
      const answered = this.#answer({ ...header, blobs });
      if (!answered) throw new Error('this is no call');
      if (++calls >= MAX_CALLS) socket.pause();
      const done = answered.then(({ blobs: made, ...reply }) => {
        if (--calls < MAX_CALLS) socket.resume();
        if (!socket.destroyed) socket.write(encodeFrame({ header: reply, blobs: made }));
      });
      this.#underWay.add(done);
      done.finally(() => this.#underWay.delete(done)).catch(() => socket.destroy());
    });
    socket.setNoDelay(true).setKeepAlive(true, KEEP_ALIVE_MS);
    socket.on('error', () => {}); // `close` follows
    socket.on('data', (chunk) => {
      try {
        read(chunk);
      } catch {
        this.#log.warn('a connection was closed: it sent something that is not a message');
        socket.destroy();
      }
    });
  }
}

/** Counts sockets until they prove the secret or close. Only addresses that proved the secret are remembered. */
function countUnproven() {
  const known = new Set<string>();
  const waiting = new Map<string, { address: string; isStranger: boolean }>();
  return {
    enter(socket: Socket): boolean {
      const { remoteAddress: address = '' } = socket;
      const isStranger = !known.has(address);
      const sockets = [...waiting.values()];
      if (isStranger && sockets.filter((entry) => entry.isStranger).length >= MAX_STRANGERS) return false;
      if (sockets.filter((entry) => entry.address === address).length >= MAX_UNPROVEN_PER_ADDRESS) return false;
      const peer = formatPeer(socket);
      waiting.set(peer, { address, isStranger });
      socket.once('close', () => waiting.delete(peer));
      return true;
    },
    prove(socket: Socket): void {
      waiting.delete(formatPeer(socket));
      known.add(socket.remoteAddress ?? '');
    },
  };
}

function formatPeer({ remoteAddress, remotePort }: Socket): string {
  return `${remoteAddress} ${remotePort}`;
}
