// The key-holder in a process of its own, or several that share their state: one encrypted connection to one of them, made again by
// itself whenever it breaks, to the next one if there is one.
import { connect, type TLSSocket } from 'node:tls';
import type { Logger } from 'pino';
import { createBackoff } from './backoff.ts';
import { createFrameReader, encodeFrame } from './frames.ts';
import { KeyHolderUnavailable } from './keyholder.ts';
import type { Link } from './link.ts';
import type { CallName } from './messages.ts';
import { createPendingCalls } from './pending-calls.ts';
import { clientTls } from './tls-channel.ts';

const CONNECT_TIMEOUT_MS = 5_000;
const KEEP_ALIVE_MS = 10_000;
/** Where there is another one to go to: how often the present one is asked whether it is there, and how long it has to answer. */
const ASK_MS = 2_000;
const SILENCE_MS = 5_000;
/** One that ended sooner was not welcome, and would not be at once. */
const STAYED_MS = 1_000;
/** Of these, one that got no answer has done nothing that matters, and is made again at the next one. */
const REPEATABLE: readonly CallName[] = ['hello', 'openChallenge'];

interface Connection {
  socket: TLSSocket;
  /** Which of the addresses. */
  index: number;
  since: number;
}

/** `urls` as the configuration has them: tls://host:port. One is begun with at random, so that processes spread over them. */
export function createTlsLink(urls: readonly string[], secret: string, log: Logger): Link {
  const addresses = urls.map(addressOf);
  const hasOthers = addresses.length > 1;
  const backoff = createBackoff();
  const pending = createPendingCalls(() => connection?.socket.destroy());
  let next = Math.floor(Math.random() * addresses.length);
  let connection: Connection | undefined;
  let connecting: Promise<Connection> | undefined;
  let again: NodeJS.Timeout | undefined;
  let state = 'connecting';
  let isClosed = false;

  function open(): void {
    again = undefined;
    connecting = dialAny();
    connecting.catch(() => {}); // its end sets the next try
  }

  /** The next that answers. */
  async function dialAny(): Promise<Connection> {
    const problems: string[] = [];
    for (let tries = 0; tries < addresses.length && !isClosed; tries += 1) {
      const index = next;
      next = (next + 1) % addresses.length;
      const dialled = await dial(index, (problem) => problems.push(problem));
      if (dialled) return take(dialled);
    }
    if (state === 'connecting') log.warn({ reason: problems.at(-1) }, 'no key-holder');
    state = isClosed ? 'closed' : (problems.at(-1) ?? 'closed');
    connecting = undefined;
    if (!isClosed) again = setTimeout(open, backoff.next()).unref();
    throw new KeyHolderUnavailable(state);
  }

  function take(made: Connection): Connection {
    connection = made;
    connecting = undefined;
    if (state !== 'connecting') log.info('the key-holder answers again');
    state = 'ready';
    backoff.reset();
    if (isClosed) made.socket.destroy();
    return made;
  }

  function lose({ since }: Connection, problem: string): void {
    connection = undefined;
    if (!isClosed) log.warn({ reason: problem }, 'no key-holder');
    state = isClosed ? 'closed' : problem;
    if (!isClosed && hasOthers && performance.now() - since > STAYED_MS) open();
    else if (!isClosed) again = setTimeout(open, backoff.next()).unref();
    pending.failAll(state);
  }

  /** Undefined where it does not answer, or does not know the secret. */
  function dial(index: number, onProblem: (problem: string) => void): Promise<Connection | undefined> {
    const socket = connect({ ...clientTls(secret), ...addresses[index]!, timeout: CONNECT_TIMEOUT_MS });
    socket.setNoDelay(true).setKeepAlive(true, KEEP_ALIVE_MS);
    const read = createFrameReader(({ header, blobs }) => {
      if (!pending.take({ ...header, blobs })) socket.destroy();
    });
    let problem = 'the connection to the key-holder broke';
    let made: Connection | undefined;
    let asking: NodeJS.Timeout | undefined;
    return new Promise((resolve) => {
      socket
        .on('secureConnect', () => {
          socket.setTimeout(0);
          made = { socket, index, since: performance.now() };
          if (hasOthers) asking = setInterval(askWhetherThere, ASK_MS, socket).unref();
          resolve(made);
        })
        .on('data', (chunk) => {
          try {
            read(chunk);
          } catch {
            socket.destroy(); // what it says cannot be read
          }
        })
        .on('timeout', () => socket.destroy())
        .on('error', (error: NodeJS.ErrnoException) => {
          problem = describe(error);
        })
        .on('close', () => {
          clearInterval(asking);
          if (made) return lose(made, problem);
          onProblem(problem);
          resolve(undefined);
        });
    });
  }

  /** A machine that lost its network says nothing; without this the calls would find out one by one, after half a minute. */
  function askWhetherThere(socket: TLSSocket): void {
    // As many calls as may wait do so already: no fault of the other side, whom the next question will reach.
    if (pending.isFull()) return;
    const silence = setTimeout(() => socket.destroy(), SILENCE_MS).unref();
    send(socket, 'hello', {}, [])
      .catch(() => socket.destroy()) // one that has lost its database says so
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
    const { socket } = connection ?? (await connecting!);
    return send(socket, ...message);
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
      if (open && !open.socket.closed) {
        const closed = new Promise((resolve) => open.socket.once('close', resolve));
        open.socket.destroy();
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

/** For an operator; the address is in their configuration. */
function describe({ code }: NodeJS.ErrnoException): string {
  if (code === 'ECONNREFUSED') return 'nothing answers at KEYHOLDER_URL';
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN') return 'the host of KEYHOLDER_URL is not known';
  if (code?.startsWith('ERR_SSL') || code === 'ECONNRESET' || code === 'EPROTO') {
    return 'the key-holder refused the connection: is KEYHOLDER_SECRET the same on both sides?';
  }
  return 'the key-holder cannot be reached';
}
