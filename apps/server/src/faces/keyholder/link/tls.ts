// The key-holder in a process of its own, or several that share their state: one encrypted connection to one of them, made again by
// itself whenever it breaks, to the next one if there is one.
import { connect, type TLSSocket } from 'node:tls';
import type { Logger } from 'pino';
import { KeyHolderUnavailable } from './calls.ts';
import { createFrameReader, encodeFrame } from './frames.ts';
import { createBackoff, type FindProblem, type Link } from './link.ts';
import type { AskOf, CallName } from './messages.ts';
import { type CallAnswer, createPendingCalls } from './pending-calls.ts';
import { clientTls } from './tls-channel.ts';

const CONNECT_TIMEOUT_MS = 5_000;
const KEEP_ALIVE_MS = 10_000;
/** How often the key-holder is asked whether it is there and can work, and how long it has to answer. */
const ASK_MS = 2_000;
const SILENCE_MS = 5_000;
/** Of these, one that got no answer has done nothing that matters, and is made again at the next one. */
const REPEATABLE: readonly CallName[] = ['hello', 'openChallenge'];

interface TlsLinkOptions {
  /** As the configuration has them: tls://host:port. The first is chosen at random, so that processes spread over them. */
  urls: readonly string[];
  /** Each is tried in turn where a key-holder refuses the one before it. */
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
  /** Last answer of `findProblem`, which has been logged. */
  #verdict: string | undefined;
  #isClosed = false;

  constructor(options: TlsLinkOptions) {
    this.#options = options;
    this.#proofs = options.secrets.map(clientTls);
    this.#addresses = options.urls.map(addressOf);
    this.#hasOthers = this.#addresses.length > 1;
    this.#next = Math.floor(Math.random() * this.#addresses.length);
    this.#open();
  }

  async call<C extends CallName>(call: C, ask: AskOf<C>, blobs: readonly Uint8Array[] = []): Promise<CallAnswer<C>> {
    try {
      return await this.#callNow(call, ask, blobs);
    } catch (error) {
      const mayRepeat = this.#hasOthers && REPEATABLE.includes(call) && error instanceof KeyHolderUnavailable;
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
    this.#connecting.catch(() => {}); // its end sets the next try
  }

  /** The next that answers. */
  async #dialAny(): Promise<TLSSocket> {
    let problem = 'closed';
    for (let tries = 0; tries < this.#addresses.length && !this.#isClosed; tries += 1) {
      const index = this.#next;
      this.#next = (this.#next + 1) % this.#addresses.length;
      for (const proof of this.#proofs) {
        const dialled = await this.#dial(index, proof);
        if (typeof dialled === 'object') return this.#take(dialled);
        problem = dialled;
        if (problem !== REFUSED) break;
      }
    }
    if (![this.#state, this.#verdict].includes(problem) && !this.#isClosed)
      this.#options.log.warn({ reason: problem }, 'no key-holder');
    this.#state = this.#isClosed ? 'closed' : problem;
    this.#connecting = undefined;
    if (!this.#isClosed) this.#again = setTimeout(() => this.#open(), this.#backoff.next()).unref();
    throw new KeyHolderUnavailable(this.#state);
  }

  #take(made: TLSSocket): TLSSocket {
    this.#connection = made;
    this.#connecting = undefined;
    if (this.#state !== 'connecting') this.#options.log.info('the key-holder answers again');
    this.#state = 'ready';
    this.#backoff.reset();
    if (this.#isClosed) made.destroy();
    return made;
  }

  #lose(problem: string): void {
    this.#connection = undefined;
    if (!this.#isClosed) this.#options.log.warn({ reason: problem }, 'no key-holder');
    this.#state = this.#isClosed ? 'closed' : problem;
    if (!this.#isClosed && this.#hasOthers) this.#open();
    else if (!this.#isClosed) this.#again = setTimeout(() => this.#open(), this.#backoff.next()).unref();
    this.#pending.failAll(this.#state);
  }

  /** Returns what is wrong if it does not answer, does not know the secret, or is not to be called. */
  #dial(index: number, proof: ReturnType<typeof clientTls>): Promise<TLSSocket | string> {
    const socket = connect({ ...proof, ...this.#addresses[index]!, timeout: CONNECT_TIMEOUT_MS });
    socket.setNoDelay(true).setKeepAlive(true, KEEP_ALIVE_MS);
    const read = createFrameReader(({ header, blobs }) => {
      if (!this.#pending.take({ ...header, blobs })) socket.destroy();
    });
    let problem = 'the connection to the key-holder broke';
    let isTaken = false;
    let asking: NodeJS.Timeout | undefined;
    return new Promise((resolve) => {
      socket
        .on('secureConnect', async () => {
          const found = await this.#examine(socket);
          if (socket.destroyed) return;
          if (found !== undefined) {
            problem = found;
            socket.destroy();
            return;
          }
          socket.setTimeout(0);
          isTaken = true;
          asking = setInterval(
            (socket, onProblem) => this.#askWhetherThere(socket, onProblem),
            ASK_MS,
            socket,
            (reason: string) => (problem = reason),
          ).unref();
          resolve(socket);
        })
        .on('data', (chunk) => {
          try {
            read(chunk);
          } catch {
            socket.destroy(); // what it says cannot be read
          }
        })
        .on('timeout', () => {
          problem = SILENT;
          socket.destroy();
        })
        .on('error', (error: NodeJS.ErrnoException) => {
          problem = describe(error);
        })
        .on('close', () => {
          clearInterval(asking);
          if (isTaken) this.#lose(problem);
          else {
            this.#pending.failAll(problem);
            resolve(problem);
          }
        });
    });
  }

  /** Before any other call, so that none reaches a key-holder that is not the one of this database. */
  async #examine(socket: TLSSocket): Promise<string | undefined> {
    try {
      const { blobs } = await this.#send(socket, 'hello', {}, []);
      socket.setTimeout(0);
      this.#verdict = await this.#options.findProblem?.(blobs[0]!);
      return this.#verdict;
    } catch (error) {
      return error instanceof KeyHolderUnavailable ? error.message : UNKNOWN_OWNER;
    }
  }

  /** A machine that lost its network says nothing; without this the calls would find out one by one, after half a minute. */
  #askWhetherThere(socket: TLSSocket, onProblem: (problem: string) => void): void {
    // As many calls as may wait do so already: no fault of the other side, whom the next question will reach.
    if (this.#pending.isFull()) return;
    const giveUp = (problem: string) => {
      onProblem(problem);
      socket.destroy();
    };
    const silence = setTimeout(giveUp, SILENCE_MS, SILENT).unref();
    this.#send(socket, 'hello', {}, [])
      .catch(({ message }: Error) => giveUp(message)) // one that has lost its database says so
      .finally(() => clearTimeout(silence));
  }

  async #callNow<C extends CallName>(call: C, ask: AskOf<C>, blobs: readonly Uint8Array[]): Promise<CallAnswer<C>> {
    if (!this.#connection && !this.#connecting) throw new KeyHolderUnavailable(this.#state);
    return this.#send(this.#connection ?? (await this.#connecting!), call, ask, blobs);
  }

  #send<C extends CallName>(
    socket: TLSSocket,
    call: C,
    ask: AskOf<C>,
    blobs: readonly Uint8Array[],
  ): Promise<CallAnswer<C>> {
    return this.#pending.open(call, (id) => {
      socket.write(encodeFrame({ header: { id, call, ask }, blobs: [...blobs] }));
    });
  }
}

function addressOf(url: string): { host: string; port: number } {
  const { hostname, port } = new URL(url);
  return { host: hostname.replace(/^\[|\]$/g, ''), port: Number(port) };
}

const REFUSED = 'the key-holder refused the connection: is KEYHOLDER_SECRET the same on both sides?';
const SILENT = 'the key-holder is connected and does not answer';
const UNKNOWN_OWNER = 'the key-holder answers, and the database cannot say whether it is the right one';

/** For an operator; the address is in their configuration. */
function describe({ code }: NodeJS.ErrnoException): string {
  if (code === 'ECONNREFUSED') return 'nothing answers at KEYHOLDER_URL';
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN') return 'the host of KEYHOLDER_URL is not known';
  if (code?.startsWith('ERR_SSL') || code === 'ECONNRESET' || code === 'EPROTO') {
    return REFUSED;
  }
  return 'the key-holder cannot be reached';
}
