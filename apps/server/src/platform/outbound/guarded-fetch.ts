// Outbound calls that cannot reach the machine's own network. Every address is checked, and the connection goes to the checked
// address: a name that resolves differently a moment later changes nothing.
import { lookup as resolveHost } from 'node:dns';
import { isIP, type LookupFunction } from 'node:net';
import type { Agent, Dispatcher } from 'undici';
import { Limiter } from '../async/limiter.ts';
import { VERSION } from '../base/version.ts';
import { nextAddress, parseAddress } from './address.ts';
import { classifyAddress } from './classify-address.ts';
import { OutboundError, toOutboundError } from './error.ts';

export interface OutboundOptions {
  /** Whether loopback and private addresses may be called, because the operator chose the address */
  allowPrivate: boolean;
  /** Maximum number of calls at the same time; further ones wait */
  maxConcurrent: number;
  /** Time limit for the connection, and again for the headers of the reply */
  headersTimeoutMs: number;
  /** Longest silence within a reply's body */
  idleTimeoutMs: number;
  /** Time limit for the whole call, redirects included */
  totalTimeoutMs: number;
  /** Maximum number of redirects. Each is checked like the first address, and none leads from https to http. */
  maxRedirects: number;
}

export interface GetOptions {
  headers?: Record<string, string>;
  signal?: AbortSignal | undefined;
}

/** One request, redirects included */
interface OutboundRequest {
  method: 'GET' | 'POST';
  headers: Record<string, string>;
  body?: Uint8Array;
  signal: AbortSignal;
}

const REDIRECTS = [301, 302, 303, 307, 308];

export type Outbound = ReturnType<typeof createOutbound>;

export function createOutbound(options: OutboundOptions) {
  const { allowPrivate, maxConcurrent, headersTimeoutMs, idleTimeoutMs, totalTimeoutMs, maxRedirects } = options;
  const calls = new Limiter({ maxRunning: maxConcurrent });
  let opened: Promise<Agent> | undefined;

  /** Loads the library at the first call: it takes a tenth of a second, and most processes never need it. */
  async function openAgent(): Promise<Agent> {
    const undici = await import('undici');
    return new undici.Agent({
      connect: { lookup: createGuardedLookup(allowPrivate), timeout: headersTimeoutMs },
      headersTimeout: headersTimeoutMs,
      bodyTimeout: idleTimeoutMs,
      maxHeaderSize: 64 * 2 ** 10,
    });
  }

  async function request(url: URL, { headers, ...sending }: OutboundRequest) {
    requireAllowedLiteral(url, allowPrivate);
    const path = `${url.pathname}${url.search}`;
    // Uncompressed: checksums are of the file, and nothing small unpacks into something huge.
    const sent = { 'user-agent': `limen/${VERSION}`, 'accept-encoding': 'identity', ...headers };
    opened ??= openAgent();
    return (await opened).request({ origin: url.origin, path, headers: sent, ...sending });
  }

  async function follow(start: URL, sending: OutboundRequest) {
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
    { signal, ...rest }: Omit<OutboundRequest, 'signal'> & { signal: AbortSignal | undefined },
    read: (reply: OutboundReply) => Promise<T>,
  ): Promise<T> {
    const url = parseAddress(address);
    const deadline = setDeadline(signal, totalTimeoutMs);
    const send = async () => {
      const { reply, host } = await follow(url, { ...rest, signal: deadline.signal });
      try {
        return await read(present(reply, host));
      } finally {
        drop(reply);
      }
    };
    try {
      return await calls.run(send, { signal: deadline.signal });
    } catch (error) {
      signal?.throwIfAborted();
      const isLate = deadline.signal.aborted;
      throw isLate ? new OutboundError('timeout', `${url.host} took too long; the call was given up.`) : error;
    } finally {
      deadline.release();
    }
  }

  return {
    /** The reply lasts while `read` runs; the unread rest of its body is dropped. */
    get: <T>(address: string, { headers = {}, signal }: GetOptions, read: (reply: OutboundReply) => Promise<T>) =>
      call(address, { method: 'GET', headers, signal }, read),
    /** Like `get`, but returns a redirect instead of following it: the body is meant for one address. */
    post: <T>(
      address: string,
      { headers = {}, body, signal }: GetOptions & { body: Uint8Array },
      read: (reply: OutboundReply) => Promise<T>,
    ) => call(address, { method: 'POST', headers, body, signal }, read),
    close: async (): Promise<void> => (await opened)?.destroy(),
  };
}

/**
 * Creates a signal that aborts with `signal` or after `ms`. `AbortSignal.any` and `timeout` would keep each call in memory until its
 * time limit, which a busy sender of webhooks would feel.
 */
function setDeadline(signal: AbortSignal | undefined, ms: number) {
  const controller = new AbortController();
  const follow = () => controller.abort(signal?.reason);
  if (signal?.aborted) follow();
  signal?.addEventListener('abort', follow, { once: true });
  const timer = setTimeout(() => controller.abort(), ms).unref();
  return {
    signal: controller.signal,
    release(): void {
      clearTimeout(timer);
      signal?.removeEventListener('abort', follow);
    },
  };
}

export type OutboundReply = ReturnType<typeof present>;

function present(reply: Dispatcher.ResponseData, host: string) {
  return {
    status: reply.statusCode,
    /** Returns the first value of a header. */
    header: (name: string): string | undefined => single(reply.headers[name]),
    /** Fails with `too_large` as soon as more than `maxBytes` arrive. */
    async *body(maxBytes: number): AsyncGenerator<Uint8Array> {
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

/** Refuses a name if any of its addresses is refused: the one that is used would be a matter of luck. */
export function createGuardedLookup(allowPrivate: boolean): LookupFunction {
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

/** Throws if the host of the URL is a forbidden address. A literal address is never looked up, so it is checked here. */
export function requireAllowedLiteral({ hostname }: URL, allowPrivate: boolean): void {
  const literal = hostname.replace(/^\[|\]$/g, '');
  if (isIP(literal)) requireAllowed(literal, hostname, allowPrivate);
}

function requireAllowed(address: string, host: string, allowPrivate: boolean): void {
  const kind = classifyAddress(address);
  if (kind === 'public' || (kind === 'private' && allowPrivate)) return;
  const which = kind === 'private' ? 'a private address' : 'a link-local, metadata or unusable address';
  throw new OutboundError('address_refused', `${host} is ${which}, which is never called from here.`);
}

function drop({ body }: Dispatcher.ResponseData): void {
  body.on('error', () => {});
  body.destroy();
}

function single(value: string | string[] | undefined): string | undefined {
  return Array.isArray(value) ? value[0] : value;
}

/** Fails with `too_large` as soon as more than `maxBytes` arrive. */
export async function readBytes(reply: OutboundReply, maxBytes: number): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of reply.body(maxBytes)) chunks.push(chunk);
  return Buffer.concat(chunks);
}

export async function readText(reply: OutboundReply, maxBytes: number): Promise<string> {
  return (await readBytes(reply, maxBytes)).toString('utf8');
}
