// Which callback a session may name, and which of its headers go out with the webhook.
import { isIP } from 'node:net';
import { invalid } from '../platform/base/errors.ts';
import { parseAddress } from '../platform/outbound/address.ts';
import { classifyAddress } from '../platform/outbound/classify-address.ts';
import { OutboundError } from '../platform/outbound/error.ts';
import { MAX_CALLBACK_HEADER_BYTES, MAX_CALLBACK_HEADERS, MAX_CALLBACK_URL_LENGTH } from './limits.ts';

export type CallbackHeaders = Readonly<Record<string, string>>;

/** What a session keeps of the callback that it was created with. */
export interface Callback {
  url: string;
  headers: Record<string, string>;
}

/** RFC 9110, 5.6.2. */
const TOKEN = /^[!#$%&'*+\-.^_`|~0-9a-z]+$/i;
/** RFC 9110, 5.5: visible characters, spaces, tabs and the upper half of Latin-1. */
const FIELD_VALUE = /^[\t\x20-\x7e\x80-\xff]*$/;

const DROPPED = new Set([
  // Headers of the connection, which is ours to manage (RFC 9110, 7.6.1).
  'host',
  'connection',
  'expect',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  // What a receiver trusts, which nobody but us may set.
  'x-service-timestamp',
  'x-service-signature',
  'x-service-attempt',
  'webhook-id',
]);

/** Refuses a callback like `checkCallback`. */
export function readCallback({ url, headers = {} }: { url: string; headers?: Record<string, string> }): Callback {
  checkCallback(url, headers);
  return { url, headers };
}

/** Throws the 400 of a callback that could never be called; the addresses behind its name are checked at each call. */
export function checkCallback(url: string, headers: CallbackHeaders = {}): void {
  if (url.length > MAX_CALLBACK_URL_LENGTH) {
    throw invalid('body.callback.url', `must have at most ${MAX_CALLBACK_URL_LENGTH} characters`);
  }
  let address: URL;
  try {
    address = parseAddress(url);
  } catch (error) {
    if (!(error instanceof OutboundError)) throw error;
    throw invalid('body.callback.url', 'must be an http or https address without a user name or password');
  }
  const host = address.hostname.replace(/^\[|\]$/g, '');
  if (isIP(host) !== 0 && classifyAddress(host) === 'forbidden') {
    throw invalid(
      'body.callback.url',
      'must not be a link-local, multicast or metadata address: those are never called',
    );
  }
  checkHeaders(Object.entries(headers));
}

function checkHeaders(entries: [string, string][]): void {
  const path = 'body.callback.headers';
  if (entries.length > MAX_CALLBACK_HEADERS) throw invalid(path, `must have at most ${MAX_CALLBACK_HEADERS} entries`);
  let bytes = 0;
  const names = new Set<string>();
  // A name is not repeated in a refusal: it may be anything, a secret in the wrong place included.
  for (const [name, value] of entries) {
    const lower = name.toLowerCase();
    if (!TOKEN.test(name)) throw invalid(path, 'must have names of letters, digits and -, without spaces');
    if (names.has(lower)) throw invalid(path, 'must not have two names that differ only in case');
    if (typeof value !== 'string' || !FIELD_VALUE.test(value)) {
      throw invalid(path, 'must have values of Latin text without line breaks or control characters');
    }
    names.add(lower);
    bytes += name.length + value.length;
  }
  if (bytes > MAX_CALLBACK_HEADER_BYTES) throw invalid(path, `must have at most ${MAX_CALLBACK_HEADER_BYTES} bytes`);
}

/** What says how the body is to be read (`content-…`) is ours as well: we write the body. */
function isOurs(name: string): boolean {
  return DROPPED.has(name) || name.startsWith('content-');
}

/** The headers that are sent, with names in lower case. */
export function keepCallbackHeaders(headers: CallbackHeaders): Record<string, string> {
  const entries = Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value] as const);
  // A header that `Connection` names belongs to the connection as well.
  const named = entries.filter(([name]) => name === 'connection').flatMap(([, value]) => value.split(','));
  const ofConnection = new Set(named.map((name) => name.trim().toLowerCase()));
  return Object.fromEntries(entries.filter(([name]) => !isOurs(name) && !ofConnection.has(name)));
}
