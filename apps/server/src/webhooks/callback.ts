// Checks the callback that a session names, and chooses which of its headers are sent with the webhook.
import { isIP } from 'node:net';
import { invalid } from '../platform/base/errors.ts';
import { parseAddress } from '../platform/outbound/address.ts';
import { classifyAddress } from '../platform/outbound/classify-address.ts';
import { OutboundError } from '../platform/outbound/error.ts';
import { MAX_CALLBACK_HEADER_BYTES, MAX_CALLBACK_HEADERS, MAX_CALLBACK_URL_LENGTH } from './limits.ts';

export type CallbackHeaders = Readonly<Record<string, string>>;

export interface Callback {
  url: string;
  headers: Record<string, string>;
}

/** RFC 9110, 5.6.2. */
const TOKEN = /^[!#$%&'*+\-.^_`|~0-9a-z]+$/i;
/** RFC 9110, 5.5: visible characters, spaces, tabs and the upper half of Latin-1. */
const FIELD_VALUE = /^[\t\x20-\x7e\x80-\xff]*$/;

const DROPPED = new Set([
  // Headers of the connection (RFC 9110, 7.6.1).
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
  'x-service-timestamp',
  'x-service-signature',
  'x-service-attempt',
  'webhook-id',
]);

export function readCallback({ url, headers = {} }: { url: string; headers?: Record<string, string> }): Callback {
  checkCallback(url, headers);
  return { url, headers };
}

/** Throws a 400 for a callback that could never be called. Its host name is resolved and checked at each call. */
export function checkCallback(url: string, headers: CallbackHeaders = {}): void {
  const refuse = (problem: string) => invalid('body.callback.url', problem);
  if (url.length > MAX_CALLBACK_URL_LENGTH) throw refuse(`must have at most ${MAX_CALLBACK_URL_LENGTH} characters`);
  let address: URL;
  try {
    address = parseAddress(url);
  } catch (error) {
    if (!(error instanceof OutboundError)) throw error;
    throw refuse('must be an http or https address without a user name or password');
  }
  const host = address.hostname.replace(/^\[|\]$/g, '');
  if (isIP(host) !== 0 && classifyAddress(host) === 'forbidden')
    throw refuse('must not be a link-local, multicast or metadata address: those are never called');
  checkHeaders(Object.entries(headers));
}

function checkHeaders(entries: [string, string][]): void {
  const path = 'body.callback.headers';
  if (entries.length > MAX_CALLBACK_HEADERS) throw invalid(path, `must have at most ${MAX_CALLBACK_HEADERS} entries`);
  let bytes = 0;
  const names = new Set<string>();
  // A refusal does not repeat a name, which may be a misplaced secret.
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

export function keepCallbackHeaders(headers: CallbackHeaders): Record<string, string> {
  const entries = Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value] as const);
  // Headers named by `Connection` belong to the connection as well.
  const ofConnection = entries
    .filter(([name]) => name === 'connection')
    .flatMap(([, value]) => value.split(',').map((name) => name.trim().toLowerCase()));
  // Headers that describe the body (`content-…`) are set by the service, which writes the body.
  const isOurs = (name: string) => DROPPED.has(name) || name.startsWith('content-') || ofConnection.includes(name);
  return Object.fromEntries(entries.filter(([name]) => !isOurs(name)));
}
