// Listens for services that know the secret, and answers their calls; bounded in connections, bytes and calls.
import type { AddressInfo, Socket } from 'node:net';
import { createServer, type Server, type TLSSocket } from 'node:tls';
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

interface TlsServerOptions {
  host: string;
  port: number;
  secrets: readonly string[];
  answer: AnswerCall;
  log: Logger;
}

/** Resolves once it listens. */
export async function listenForService(options: TlsServerOptions): Promise<TlsServer> {
  const server = new TlsServer(options);
  await server.listen(options);
  return server;
}

export class TlsServer {
  /** Connections that were refused, by reason. */
  readonly refused = new Map<ConnectionRefusal, number>([
    ['secret', 0],
    ['unproven', 0],
    ['full', 0],
  ]);
  port = 0;
  readonly #answer;
  readonly #log;
  readonly #server: Server;
  /** Connections that proved the secret. */
  readonly #sockets = new Set<TLSSocket>();
  readonly #underWay = new Set<Promise<void>>();
  /** Peers that proved the secret or were refused. The fate of all others is known only when they are gone. */
  readonly #decided = new Set<string>();
  readonly #unproven = countUnproven();
  #loggedAt = Number.NEGATIVE_INFINITY;
  #refusedSinceLogged = 0;

  constructor({ secrets, answer, log }: Pick<TlsServerOptions, 'secrets' | 'answer' | 'log'>) {
    this.#answer = answer;
    this.#log = log;
    this.#server = createServer({ ...serverTls(secrets), handshakeTimeout: HANDSHAKE_MS })
      .on('connection', (socket: Socket) => this.#enter(socket))
      .on('secureConnection', (socket) => this.#take(socket))
      .on('tlsClientError', ({ code }: NodeJS.ErrnoException, socket) => {
        if (code === CLOSED_BY_PEER) return; // nothing is known of such a socket any more
        this.#decided.add(peerOf(socket));
        this.#refuse(code);
      });
  }

  listen({ host, port }: Pick<TlsServerOptions, 'host' | 'port'>): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#server.once('error', reject);
      this.#server.listen(port, host, () => {
        this.#server.off('error', reject);
        this.port = (this.#server.address() as AddressInfo).port;
        resolve();
      });
    });
  }

  /** Returns how many connections proved the secret. */
  connections(): number {
    return this.#sockets.size;
  }

  /** Takes no more calls, and resolves when those under way are answered. */
  async close(): Promise<void> {
    const closed = new Promise((resolve) => this.#server.close(resolve));
    for (const socket of this.#sockets) socket.pause();
    await Promise.allSettled(this.#underWay);
    for (const socket of this.#sockets) socket.destroySoon();
    await closed;
  }

  #enter(socket: Socket): void {
    const peer = peerOf(socket);
    if (!this.#unproven.enter(socket)) {
      this.#refuse(TOO_MANY);
      socket.destroy();
      return;
    }
    socket.once('close', () => {
      // A peer that leaves without a byte has asked whether the port is open, as supervisors do every few seconds.
      if (!this.#decided.delete(peer) && socket.bytesRead > 0) this.#refuse(CLOSED_BY_PEER);
    });
  }

  #refuse(errorCode: string | undefined): void {
    this.#refusedSinceLogged += 1;
    this.#count(errorCode === TOO_MANY ? 'unproven' : 'secret');
    // Strangers must not be able to fill the log.
    if (performance.now() - this.#loggedAt < TELL_EVERY_MS) return;
    const facts = { errorCode, refused: this.#refusedSinceLogged };
    this.#log.warn(facts, 'connections were refused: they did not prove that they know the secret');
    this.#loggedAt = performance.now();
    this.#refusedSinceLogged = 0;
  }

  #count(reason: ConnectionRefusal): void {
    this.refused.set(reason, this.refused.get(reason)! + 1);
  }

  #take(socket: TLSSocket): void {
    this.#decided.add(peerOf(socket));
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
      const done = answered.then((reply) => {
        if (--calls < MAX_CALLS) socket.resume();
        send(socket, reply);
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
