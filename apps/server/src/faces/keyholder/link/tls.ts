// The key-holder in a process of its own, or several that share their state: one encrypted connection to one of them, made again by
// itself whenever it breaks, to the next one if there is one.
import { connect, type TLSSocket } from 'node:tls';
import type { Logger } from 'pino';
import { KeyHolderUnavailable } from './calls.ts';
import { createFrameReader, encodeFrame } from './frames.ts';
import { createBackoff, type FindProblem, type Link } from './link.ts';
import type { CallName } from './messages.ts';
import { createPendingCalls } from './pending-calls.ts';
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

export function createTlsLink({ urls, secrets, findProblem, log }: TlsLinkOptions): Link {
  const proofs = secrets.map(clientTls);
  const addresses = urls.map(addressOf);
  const hasOthers = addresses.length > 1;
  const backoff = createBackoff();
  const pending = createPendingCalls(() => connection?.destroy());
  let next = Math.floor(Math.random() * addresses.length);
  let connection: TLSSocket | undefined;
  let connecting: Promise<TLSSocket> | undefined;
  let again: NodeJS.Timeout | undefined;
  let state = 'connecting';
  /** Last answer of `findProblem`, which has been logged. */
  let verdict: string | undefined;
  let isClosed = false;

  function open(): void {
    again = undefined;
    connecting = dialAny();
    connecting.catch(() => {}); // its end sets the next try
  }

  /** The next that answers. */
  async function dialAny(): Promise<TLSSocket> {
    let problem = 'closed';
    for (let tries = 0; tries < addresses.length && !isClosed; tries += 1) {
      const index = next;
      next = (next + 1) % addresses.length;
      for (const proof of proofs) {
        const dialled = await dial(index, proof);
        if (typeof dialled === 'object') return take(dialled);
        problem = dialled;
        if (problem !== REFUSED) break;
      }
    }
    if (![state, verdict].includes(problem) && !isClosed) log.warn({ reason: problem }, 'no key-holder');
    state = isClosed ? 'closed' : problem;
    connecting = undefined;
    if (!isClosed) again = setTimeout(open, backoff.next()).unref();
    throw new KeyHolderUnavailable(state);
  }

  function take(made: TLSSocket): TLSSocket {
    connection = made;
    connecting = undefined;
    if (state !== 'connecting') log.info('the key-holder answers again');
    state = 'ready';
    backoff.reset();
    if (isClosed) made.destroy();
    return made;
  }

  function lose(problem: string): void {
    connection = undefined;
    if (!isClosed) log.warn({ reason: problem }, 'no key-holder');
    state = isClosed ? 'closed' : problem;
    if (!isClosed && hasOthers) open();
    else if (!isClosed) again = setTimeout(open, backoff.next()).unref();
    pending.failAll(state);
  }

  /** Returns what is wrong if it does not answer, does not know the secret, or is not to be called. */
  function dial(index: number, proof: ReturnType<typeof clientTls>): Promise<TLSSocket | string> {
    const socket = connect({ ...proof, ...addresses[index]!, timeout: CONNECT_TIMEOUT_MS });
    socket.setNoDelay(true).setKeepAlive(true, KEEP_ALIVE_MS);
    const read = createFrameReader(({ header, blobs }) => {
      if (!pending.take({ ...header, blobs })) socket.destroy();
    });
    let problem = 'the connection to the key-holder broke';
    let isTaken = false;
    let asking: NodeJS.Timeout | undefined;
    return new Promise((resolve) => {
      socket
        .on('secureConnect', async () => {
          const found = await examine(socket);
          if (socket.destroyed) return;
          if (found !== undefined) {
            problem = found;
            socket.destroy();
            return;
          }
          socket.setTimeout(0);
          isTaken = true;
          asking = setInterval(askWhetherThere, ASK_MS, socket, (reason: string) => (problem = reason)).unref();
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
          if (isTaken) lose(problem);
          else {
            pending.failAll(problem);
            resolve(problem);
          }
        });
    });
  }

  /** Before any other call, so that none reaches a key-holder that is not the one of this database. */
  async function examine(socket: TLSSocket): Promise<string | undefined> {
    try {
      const { blobs } = await send(socket, 'hello', {}, []);
      socket.setTimeout(0);
      verdict = await findProblem?.(blobs[0]!);
      return verdict;
    } catch (error) {
      return error instanceof KeyHolderUnavailable ? error.message : UNKNOWN_OWNER;
    }
  }

  /** A machine that lost its network says nothing; without this the calls would find out one by one, after half a minute. */
  function askWhetherThere(socket: TLSSocket, onProblem: (problem: string) => void): void {
    // As many calls as may wait do so already: no fault of the other side, whom the next question will reach.
    if (pending.isFull()) return;
    const giveUp = (problem: string) => {
      onProblem(problem);
      socket.destroy();
    };
    const silence = setTimeout(giveUp, SILENCE_MS, SILENT).unref();
    send(socket, 'hello', {}, [])
      .catch(({ message }: Error) => giveUp(message)) // one that has lost its database says so
      .finally(() => clearTimeout(silence));
  }

  const send: (socket: TLSSocket, ...message: Parameters<Link['call']>) => ReturnType<Link['call']> = (
    socket,
    call,
    ask,
    blobs = [],
  ) =>
    pending.open(call, (id) => {
      socket.write(encodeFrame({ header: { id, call, ask }, blobs: [...blobs] }));
    });

  async function callNow(...message: Parameters<Link['call']>): ReturnType<Link['call']> {
    if (!connection && !connecting) throw new KeyHolderUnavailable(state);
    return send(connection ?? (await connecting!), ...message);
  }

  open();
  return {
    call: (async (...message: Parameters<Link['call']>) => {
      try {
        return await callNow(...message);
      } catch (error) {
        const mayRepeat = hasOthers && REPEATABLE.includes(message[0]) && error instanceof KeyHolderUnavailable;
        if (!mayRepeat || (connection === undefined && connecting === undefined)) throw error;
        return callNow(...message);
      }
    }) as Link['call'],
    state: () => state,
    async close() {
      isClosed = true;
      clearTimeout(again);
      pending.failAll('closed');
      const open = connection ?? (await connecting?.catch(() => undefined));
      if (open && !open.closed) {
        const closed = new Promise((resolve) => open.once('close', resolve));
        open.destroy();
        await closed;
      }
      state = 'closed';
    },
  };
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
