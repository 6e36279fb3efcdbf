// The key-holder in a process of its own: one encrypted connection that is made again by itself whenever it breaks.
import { connect, type TLSSocket } from 'node:tls';
import type { Logger } from 'pino';
import { createBackoff } from './backoff.ts';
import { createFrameReader, encodeFrame } from './frames.ts';
import { KeyHolderUnavailable } from './keyholder.ts';
import type { Link } from './link.ts';
import { createPendingCalls } from './pending-calls.ts';
import { clientTls } from './tls-channel.ts';

const CONNECT_TIMEOUT_MS = 5_000;
const KEEP_ALIVE_MS = 10_000;

/** `url` as the configuration has it: tls://host:port */
export function createTlsLink(url: string, secret: string, log: Logger): Link {
  const { hostname, port } = new URL(url);
  const address = { host: hostname.replace(/^\[|\]$/g, ''), port: Number(port) };
  const backoff = createBackoff();
  const pending = createPendingCalls(() => socket?.destroy());
  let socket: TLSSocket | undefined;
  let connecting: Promise<TLSSocket> | undefined;
  let again: NodeJS.Timeout | undefined;
  let state = 'connecting';
  let isClosed = false;

  function open(): void {
    again = undefined;
    connecting = dial();
    connecting.catch(() => {}); // its end sets the next try
  }

  function dial(): Promise<TLSSocket> {
    const dialled = connect({ ...clientTls(secret), ...address, timeout: CONNECT_TIMEOUT_MS });
    dialled.setNoDelay(true).setKeepAlive(true, KEEP_ALIVE_MS);
    const read = createFrameReader(({ header, blobs }) => {
      if (!pending.take({ ...header, blobs })) dialled.destroy();
    });
    let problem = 'the connection to the key-holder broke';
    return new Promise((resolve, reject) => {
      dialled
        .on('secureConnect', () => {
          dialled.setTimeout(0);
          socket = dialled;
          connecting = undefined;
          if (state !== 'connecting') log.info('the key-holder answers again');
          state = 'ready';
          backoff.reset();
          resolve(dialled);
        })
        .on('data', (chunk) => {
          try {
            read(chunk);
          } catch {
            dialled.destroy(); // what it says cannot be read
          }
        })
        .on('timeout', () => dialled.destroy())
        .on('error', (error: NodeJS.ErrnoException) => {
          problem = describe(error);
        })
        .on('close', () => {
          if (!isClosed && (socket === dialled || state === 'connecting'))
            log.warn({ reason: problem }, 'no key-holder');
          socket = undefined;
          connecting = undefined;
          state = isClosed ? 'closed' : problem;
          if (!isClosed) again = setTimeout(open, backoff.next()).unref();
          pending.failAll(state);
          reject(new KeyHolderUnavailable(state));
        });
    });
  }

  open();
  return {
    async call(call, ask, blobs = []) {
      if (!socket && !connecting) throw new KeyHolderUnavailable(state);
      const connection = socket ?? (await connecting!);
      return pending.open(call, (id) => {
        connection.write(encodeFrame({ header: { id, call, ask }, blobs: [...blobs] }));
      });
    },
    state: () => state,
    async close() {
      isClosed = true;
      clearTimeout(again);
      pending.failAll('closed');
      const open = socket ?? (await connecting?.catch(() => undefined));
      if (open && !open.closed) {
        const closed = new Promise((resolve) => open.once('close', resolve));
        open.destroy();
        await closed;
      }
      state = 'closed';
    },
  };
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
