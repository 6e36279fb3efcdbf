// Outbound calls that cannot be turned against the machine's own network: every address is checked, and the connection
// goes to the checked address, so a name that resolves differently a moment later changes nothing.
import { lookup as resolveHost } from 'node:dns';
import { isIP, type LookupFunction } from 'node:net';
import type { Agent, Dispatcher } from 'undici';
import { Limiter } from '../async/limiter.ts';
import { VERSION } from '../base/version.ts';
import { nextAddress, parseAddress } from './address.ts';
import { classifyAddress } from './classify-address.ts';
import { OutboundError, toOutboundError } from './error.ts';

export interface OutboundOptions {
  /** Loopback and private addresses may be called: the operator chose the address. */
  allowPrivate: boolean;
  /** Calls at the same time; further ones wait. */
  maxConcurrent: number;
  /** Until the connection stands, and from then until the reply's headers are there. */
  headersTimeoutMs: number;
  /** Longest silence within a reply's body. */
  idleTimeoutMs: number;
  /** From the start to the last byte, redirects included. */
  totalTimeoutMs: number;
  /** Each is checked like the first address, and none leads from https to http. */
  maxRedirects: number;
}

export interface OutboundReply {
  status: number;
  /** First value of a header. */
  header(name: string): string | undefined;
  /** Fails with `too_large` as soon as more than `maxBytes` arrive. */
  body(maxBytes: number): AsyncGenerator<Uint8Array>;
}

export interface Outbound {
  /** The reply is only there while `read` runs; a body that it leaves unread is dropped. */
  get<T>(url: string, call: GetOptions, read: (reply: OutboundReply) => Promise<T>): Promise<T>;
  /** As `get`, but a redirect is a reply like any other: what was meant for one address goes to no second one. */
  post<T>(url: string, call: PostOptions, read: (reply: OutboundReply) => Promise<T>): Promise<T>;
  close(): Promise<void>;
}

export interface GetOptions {
  headers?: Record<string, string>;
  signal?: AbortSignal | undefined;
}

export interface PostOptions extends GetOptions {
  body: Uint8Array;
}

/** One request as it goes out, the redirects it is led through aside. */
interface Sending {
  method: 'GET' | 'POST';
  headers: Record<string, string>;
  body?: Uint8Array;
  signal: AbortSignal;
}

const REDIRECTS = [301, 302, 303, 307, 308];

export function createOutbound(options: OutboundOptions): Outbound {
  const { allowPrivate, maxConcurrent, headersTimeoutMs, idleTimeoutMs, totalTimeoutMs, maxRedirects } = options;
  const calls = new Limiter({ maxRunning: maxConcurrent });
  let opened: Promise<Agent> | undefined;

  /** Loaded with the first call: it takes a tenth of a second, and most processes never call anybody. */
  async function openAgent(): Promise<Agent> {
    const undici = await import('undici');
    return new undici.Agent({
      connect: { lookup: createGuardedLookup(allowPrivate), timeout: headersTimeoutMs },
      headersTimeout: headersTimeoutMs,
      bodyTimeout: idleTimeoutMs,
      maxHeaderSize: 64 * 2 ** 10,
    });
  }

  async function request(url: URL, { headers, ...sending }: Sending) {
    // A literal address is never looked up, so it is checked here.
    const literal = url.hostname.replace(/^\[|\]$/g, '');
    if (isIP(literal)) requireAllowed(literal, url.hostname, allowPrivate);
    const path = `${url.pathname}${url.search}`;
    // Bytes as they are: a checksum is of the file, and nothing small unpacks into something huge.
    const sent = { 'user-agent': `limen/${VERSION}`, 'accept-encoding': 'identity', ...headers };
    opened ??= openAgent();
    return (await opened).request({ origin: url.origin, path, headers: sent, ...sending });
  }

  async function follow(start: URL, sending: Sending) {
    let url = start;
    for (let hops = 0; ; hops += 1) {
      const reply = await request(url, sending).catch((error) => {
        throw toOutboundError(error, url.host);
      });
      const location = sending.method === 'GET' ? single(reply.headers['location']) : undefined;
      if (!REDIRECTS.includes(reply.statusCode) || location === undefined) return { reply, host: url.host };
      drop(reply);
      if (hops === maxRedirects) {
        throw new OutboundError('redirect_refused', `${start.host} redirects more than ${maxRedirects} times.`);
      }
      url = nextAddress(url, location);
    }
  }

  async function call<T>(
    address: string,
    { signal, ...rest }: Omit<Sending, 'signal'> & { signal: AbortSignal | undefined },
    read: (reply: OutboundReply) => Promise<T>,
  ): Promise<T> {
    const url = parseAddress(address);
    const deadline = setDeadline(signal, totalTimeoutMs);
    try {
      const send = async () => {
        const { reply, host } = await follow(url, { ...rest, signal: deadline.signal });
        try {
          return await read(present(reply, host));
        } finally {
          drop(reply);
        }
      };
      return await calls.run(send, { signal: deadline.signal });
    } catch (error) {
      signal?.throwIfAborted();
      if (deadline.signal.aborted)
        throw new OutboundError('timeout', `${url.host} took too long; the call was given up.`);
      throw error;
    } finally {
      deadline.release();
    }
  }

  return {
    get: (address, { headers = {}, signal }, read) => call(address, { method: 'GET', headers, signal }, read),
    post: (address, { headers = {}, body, signal }, read) =>
      call(address, { method: 'POST', headers, body, signal }, read),
    close: async () => (await opened)?.destroy(),
  };
}

/**
 * A signal that is aborted with another, or once the time is up. `AbortSignal.any` and `timeout` leave it to the garbage collector
 * to find out that a call is over, which every webhook would pay for.
 */
function setDeadline(signal: AbortSignal | undefined, ms: number): { signal: AbortSignal; release: () => void } {
  const controller = new AbortController();
  const follow = () => controller.abort(signal?.reason);
  if (signal?.aborted) follow();
  signal?.addEventListener('abort', follow, { once: true });
  const timer = setTimeout(() => controller.abort(), ms).unref();
  return {
    signal: controller.signal,
    release() {
      clearTimeout(timer);
      signal?.removeEventListener('abort', follow);
    },
  };
}

function present(reply: Dispatcher.ResponseData, host: string): OutboundReply {
  return {
    status: reply.statusCode,
    header: (name) => single(reply.headers[name]),
    async *body(maxBytes) {
      const tooLarge = () => new OutboundError('too_large', `${host} sends more than ${maxBytes} bytes.`);
      if (Number(single(reply.headers['content-length']) ?? 0) > maxBytes) throw tooLarge();
      let bytes = 0;
      try {
        for await (const chunk of reply.body as AsyncIterable<Uint8Array>) {
          bytes += chunk.length;
          if (bytes > maxBytes) throw tooLarge();
          yield chunk;
        }
      } catch (error) {
        throw toOutboundError(error, host);
      }
    },
  };
}

/** Refuses a name when any of its addresses is refused: which one is taken would be a matter of luck. */
function createGuardedLookup(allowPrivate: boolean): LookupFunction {
  return (hostname, options, done) => {
    resolveHost(hostname, { ...options, all: true }, (error, addresses) => {
      if (error) return done(error, '');
      try {
        for (const { address } of addresses) requireAllowed(address, hostname, allowPrivate);
      } catch (refusal) {
        return done(refusal as Error, '');
      }
      if (options.all) return done(null, addresses);
      const [first] = addresses;
      return done(null, first?.address ?? '', first?.family ?? 0);
    });
  };
}

function requireAllowed(address: string, host: string, allowPrivate: boolean): void {
  const kind = classifyAddress(address);
  if (kind === 'public' || (kind === 'private' && allowPrivate)) return;
  const which = kind === 'private' ? 'a private address' : 'a link-local, metadata or unusable address';
  throw new OutboundError('address_refused', `${host} is ${which}, which is never called from here.`);
}

function drop({ body }: Dispatcher.ResponseData): void {
  body.on('error', () => {}); // it is of no interest any more
  body.destroy();
}

function single(value: string | string[] | undefined): string | undefined {
  return Array.isArray(value) ? value[0] : value;
}

/** Fails with `too_large` as soon as more than `maxBytes` arrive. */
export async function readText(reply: OutboundReply, maxBytes: number): Promise<string> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of reply.body(maxBytes)) chunks.push(chunk);
  return Buffer.concat(chunks).toString('utf8');
}
