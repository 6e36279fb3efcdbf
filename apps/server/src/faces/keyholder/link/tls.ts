// The key-holder in separate processes: a connection to one of them, restored to the next one whenever it breaks.
import { connect, type TLSSocket } from 'node:tls';
import type { Logger } from 'pino';
import { KeyHolderUnavailableError } from './calls.ts';
import { createFrameReader, encodeFrame } from './frames.ts';
import { type CallAnswer, createBackoff, createPendingCalls, type FindProblem, type Link } from './link.ts';
import type { CallName, CallRequest } from './messages.ts';
import { clientTls } from './tls-channel.ts';

const CONNECT_TIMEOUT_MS = 5_000;
const KEEP_ALIVE_MS = 10_000;
const HEALTH_CHECK_MS = 2_000;
const SILENCE_MS = 5_000;
/** Calls that may be repeated at the next key-holder: without an answer, they had no effect that matters. */
const REPEATABLE: readonly CallName[] = ['hello', 'openChallenge'];

const REFUSED = 'the key-holder refused the connection: is KEYHOLDER_SECRET the same on both sides?';
const SILENT = 'the key-holder is connected and does not answer';
const UNKNOWN_OWNER = 'the key-holder answers, and the database cannot say whether it is the right one';

interface TlsLinkOptions {
  urls: readonly string[];
  secrets: readonly string[];
  /** Without it, any key-holder that proves a secret is called. */
  findProblem?: FindProblem | undefined;
  log: Logger;
}

export class TlsLink implements Link {
  readonly #options: TlsLinkOptions;
  readonly #proofs;
  readonly #addresses;
  readonly #hasOthers;
  readonly #backoff = createBackoff();
  readonly #pending = createPendingCalls(() => this.#connection?.destroy());
  #next;
  #connection: TLSSocket | undefined;
  #connecting: Promise<TLSSocket> | undefined;
  #again: NodeJS.Timeout | undefined;
  #state = 'connecting';
  #verdict: string | undefined;
  #isClosed = false;

  constructor(options: TlsLinkOptions) {
    this.#options = options;
    this.#proofs = options.secrets.map(clientTls);
    this.#addresses = options.urls.map((url) => {
      const { hostname, port } = new URL(url);
      return { host: hostname.replace(/^\[|\]$/g, ''), port: Number(port) };
    });
    this.#hasOthers = this.#addresses.length > 1;
    this.#next = Math.floor(Math.random() * this.#addresses.length);
    this.#open();
  }

  async call<C extends CallName>(
    call: C,
    ask: CallRequest<C>,
    blobs: readonly Uint8Array[] = [],
  ): Promise<CallAnswer<C>> {
    try {
      return await this.#callNow(call, ask, blobs);
    } catch (error) {
      const mayRepeat = this.#hasOthers && REPEATABLE.includes(call) && error instanceof KeyHolderUnavailableError;
      if (!mayRepeat || (this.#connection === undefined && this.#connecting === undefined)) throw error;
      return this.#callNow(call, ask, blobs);
    }
  }

  readonly state = () => this.#state;

  async close() {
    this.#isClosed = true;
    clearTimeout(this.#again);
    this.#pending.failAll('closed');
    const open = this.#connection ?? (await this.#connecting?.catch(() => undefined));
    if (open && !open.closed) {
      const closed = new Promise((resolve) => open.once('close', resolve));
      open.destroy();
      await closed;
    }
    this.#state = 'closed';
  }

  #open(): void {
    this.#again = undefined;
    this.#connecting = this.#dialAny();
    this.#connecting.catch(() => {}); // it has set the next try
  }

  #openLater(): void {
    this.#again = setTimeout(() => this.#open(), this.#backoff.next()).unref();
  }

  async #dialAny(): Promise<TLSSocket> {
    const { log } = this.#options;
    let problem = 'closed';
    for (let tries = 0; tries < this.#addresses.length && !this.#isClosed; tries += 1) {
      const index = this.#next;
      this.#next = (this.#next + 1) % this.#addresses.length;
      for (const proof of this.#proofs) {
        const dialed = await this.#dial(index, proof);
        if (typeof dialed === 'object') return this.#take(dialed);
        problem = dialed;
        if (problem !== REFUSED) break;
      }
    }
    const isNew = ![this.#state, this.#verdict].includes(problem);
    if (isNew && !this.#isClosed) log.warn({ reason: problem }, 'no key-holder');
    this.#state = this.#isClosed ? 'closed' : problem;
    this.#connecting = undefined;
    if (!this.#isClosed) this.#openLater();
    throw new KeyHolderUnavailableError(this.#state);
  }

  #take(socket: TLSSocket): TLSSocket {
    this.#connection = socket;
    this.#connecting = undefined;
    if (this.#state !== 'connecting') this.#options.log.info('the key-holder answers again');
    this.#state = 'ready';
    this.#backoff.reset();
    if (this.#isClosed) socket.destroy();
    return socket;
  }

  #lose(problem: string): void {
    this.#connection = undefined;
    this.#state = 'closed';
    if (!this.#isClosed) {
      this.#options.log.warn({ reason: problem }, 'no key-holder');
      this.#state = problem;
      if (this.#hasOthers) this.#open();
      else this.#openLater();
    }
    this.#pending.failAll(this.#state);
  }

  /** Returns the problem if the key-holder does not answer, does not know the secret, or must not be called. */
  #dial(index: number, proof: ReturnType<typeof clientTls>): Promise<TLSSocket | string> {
    const socket = connect({ ...proof, ...this.#addresses[index]!, timeout: CONNECT_TIMEOUT_MS });
    socket.setNoDelay(true).setKeepAlive(true, KEEP_ALIVE_MS);
    const read = createFrameReader(({ header, blobs }) => {
      if (!this.#pending.take({ ...header, blobs })) socket.destroy();
    });
    let problem = 'the connection to the key-holder broke';
    let isTaken = false;
    let healthChecks: NodeJS.Timeout | undefined;
    const giveUp = (reason: string) => {
      problem = reason;
      socket.destroy();
    };
    return new Promise((resolve) => {
      socket
        .on('secureConnect', async () => {
          const found = await this.#examine(socket);
          if (socket.destroyed) return;
          if (found !== undefined) return giveUp(found);
          socket.setTimeout(0);
          isTaken = true;
          healthChecks = setInterval(() => this.#checkHealth(socket, giveUp), HEALTH_CHECK_MS).unref();
          resolve(socket);
        })
        .on('data', (chunk) => {
          try {
            read(chunk);
          } catch {
            socket.destroy(); // not a frame
          }
        })
        .on('timeout', () => giveUp(SILENT))
        .on('error', (error: NodeJS.ErrnoException) => {
          problem = describe(error);
        })
        .on('close', () => {
          clearInterval(healthChecks);
          if (isTaken) return this.#lose(problem);
          this.#pending.failAll(problem);
          resolve(problem);
        });
    });
  }

  /** Comes before any other call, so that none reaches a key-holder of another database. */
  async #examine(socket: TLSSocket): Promise<string | undefined> {
    try {
      const { blobs } = await this.#send(socket, 'hello', {}, []);
      socket.setTimeout(0);
      this.#verdict = await this.#options.findProblem?.(blobs[0]!);
      return this.#verdict;
    } catch (error) {
      return error instanceof KeyHolderUnavailableError ? error.message : UNKNOWN_OWNER;
    }
  }

  /** Detects a machine that lost its network. Without this, each call would wait for half a minute. */
  #checkHealth(socket: TLSSocket, giveUp: (problem: string) => void): void {
    // With all calls waiting, there is no place for this one. That is no fault of the key-holder.
    if (this.#pending.isFull()) return;
    const silence = setTimeout(giveUp, SILENCE_MS, SILENT).unref();
    this.#send(socket, 'hello', {}, [])
      .catch(({ message }: Error) => giveUp(message)) // for example, it has lost its database
      .finally(() => clearTimeout(silence));
  }

  async #callNow<C extends CallName>(
    call: C,
    ask: CallRequest<C>,
    blobs: readonly Uint8Array[],
  ): Promise<CallAnswer<C>> {
    if (!this.#connection && !this.#connecting) throw new KeyHolderUnavailableError(this.#state);
    return this.#send(this.#connection ?? (await this.#connecting!), call, ask, blobs);
  }

  #send<C extends CallName>(
    socket: TLSSocket,
    call: C,
    ask: CallRequest<C>,
    blobs: readonly Uint8Array[],
  ): Promise<CallAnswer<C>> {
    return this.#pending.open(call, (id) => {
      socket.write(encodeFrame({ header: { id, call, ask }, blobs: [...blobs] }));
    });
  }
}

/** For an operator, without the address, which is in the configuration. */
function describe({ code }: NodeJS.ErrnoException): string {
  if (code === 'ECONNREFUSED') return 'nothing answers at KEYHOLDER_URL';
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN') return 'the host of KEYHOLDER_URL is not known';
  if (code?.startsWith('ERR_SSL') || code === 'ECONNRESET' || code === 'EPROTO') return REFUSED;
  return 'the key-holder cannot be reached';
}
