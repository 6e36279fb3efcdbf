// One attempt of a call: sends a request and returns the reply or throws a connection error.

import { LimenConnectionError, type LimenError } from '../errors.ts';
import { writeJson } from '../text/json-text.ts';
import type { Reply } from './reply.ts';

/** Combines signals, because `AbortSignal.any` is missing before Safari 17.4. */
export function combineSignals(...signals: AbortSignal[]): AbortSignal {
  if ('any' in AbortSignal) return AbortSignal.any(signals);
  const controller = new AbortController();
  for (const signal of signals) {
    if (signal.aborted) controller.abort(signal.reason);
    else signal.addEventListener('abort', () => controller.abort(signal.reason), { signal: controller.signal });
  }
  return controller.signal;
}

export interface CallOptions {
  /** Cancels the call, even during a wait. Rejects with the signal's reason. */
  signal?: AbortSignal | undefined;
}

/** Credentials of an API key that was created with them. */
export interface ClientCredentials {
  clientId: string;
  clientSecret: string;
}

export interface Call extends CallOptions {
  method: 'GET' | 'POST' | 'DELETE';
  /** Path segments below the base URL, not yet percent-encoded. */
  path: readonly string[];
  query?: Readonly<Record<string, string | number | undefined>>;
  /** JSON body. May contain BigInts and `jsonText` values. */
  json?: unknown;
  /** Raw body with its media type. */
  body?: { type: string; content: string | Uint8Array<ArrayBuffer> } | undefined;
  /** Form body. The platform sets its content type. */
  form?: FormData;
  idempotencyKey?: string | undefined;
  /** Sent as `Authorization: Bearer`. */
  bearerToken?: string | undefined;
  /** Sent as `Authorization: Basic`. */
  clientCredentials?: ClientCredentials | undefined;
  /** Requests a JWT instead of JSON. The result is its text. */
  asJwt?: boolean | undefined;
  /** Additional headers. Values must be visible ASCII. */
  headers?: Readonly<Record<string, string | undefined>>;
  /** Timeout for calls that inherently take longer, unless the client's own is longer. */
  atLeastMs?: number;
  /** A POST that is idempotent and may be retried like a GET. */
  isIdempotent?: true;
  /** Returns the body as received, such as a page. */
  isText?: true;
  /** Adds values to a successful result that only its text contains. */
  complete?: (result: object, text: string) => object;
  /** Returns whether a refusal means "nothing to delete". Default: 404 on a DELETE. */
  saysGone?: (error: LimenError) => boolean;
}

export type Exchange = (call: Call) => Promise<Reply>;

/** The used part of the platform's `fetch`. */
export type Fetch = (url: string, init: RequestInit) => Promise<Response>;

interface ExchangeOptions {
  /** Ends with a slash. */
  baseUrl: URL;
  apiKey: string | undefined;
  fetch: Fetch;
  timeoutMs: number;
}

const VISIBLE_ASCII = /^[\x21-\x7e]+$/;

export function createExchange({ baseUrl, apiKey, fetch, timeoutMs }: ExchangeOptions): Exchange {
  if (apiKey !== undefined) requireHeaderValue('apiKey', apiKey);
  return async (call) => {
    const { signal } = call;
    signal?.throwIfAborted();
    const url = buildUrl(baseUrl, call);
    const limitMs = Math.max(timeoutMs, call.atLeastMs ?? 0);
    const timeout = AbortSignal.timeout(limitMs);
    const init: RequestInit = {
      method: call.method,
      headers: buildHeaders(call, apiKey),
      body: call.body?.content ?? call.form ?? (call.json === undefined ? null : writeJson(call.json)),
      // Following a redirect would send the API key to another address, and turn a POST into a GET.
      redirect: 'manual',
      signal: signal ? combineSignals(signal, timeout) : timeout,
    };
    try {
      const response = await fetch(url, init);
      const text = await response.text();
      return { status: response.status, headers: response.headers, text, json: parseJson(text) };
    } catch (cause) {
      signal?.throwIfAborted();
      throw timeout.aborted
        ? new LimenConnectionError('timeout', `No complete reply within ${limitMs} ms.`, cause)
        : new LimenConnectionError(
            'connection_failed',
            'The connection to the service failed or was interrupted.',
            cause,
          );
    }
  };
}

export function buildUrl(baseUrl: URL, { path, query = {} }: Pick<Call, 'path' | 'query'>): string {
  const url = new URL(path.map(encodeSegment).join('/'), baseUrl);
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined) url.searchParams.set(name, String(value));
  }
  return url.href;
}

/** URLs cannot contain these segments in any encoding: the call would reach another path. */
function encodeSegment(segment: string): string {
  if (['', '.', '..'].includes(segment)) throw new TypeError('An id must not be empty, "." or "..".');
  return encodeURIComponent(segment);
}

function buildHeaders(call: Call, apiKey: string | undefined) {
  const { json, body, idempotencyKey, bearerToken, clientCredentials, headers = {} } = call;
  if (idempotencyKey !== undefined) requireHeaderValue('idempotencyKey', idempotencyKey);
  if (bearerToken !== undefined) requireHeaderValue('bearerToken', bearerToken);
  const more: Record<string, string> = {};
  for (const [name, value] of Object.entries(headers)) {
    if (value === undefined) continue;
    requireHeaderValue(`the header ${name}`, value);
    more[name] = value;
  }
  return {
    accept: call.asJwt ? 'application/jwt' : 'application/json',
    ...(apiKey === undefined ? {} : { 'x-api-key': apiKey }),
    ...(json === undefined ? {} : { 'content-type': 'application/json' }),
    ...(body === undefined ? {} : { 'content-type': body.type }),
    ...(idempotencyKey === undefined ? {} : { 'idempotency-key': idempotencyKey }),
    ...(bearerToken === undefined ? {} : { authorization: `Bearer ${bearerToken}` }),
    ...(clientCredentials === undefined ? {} : { authorization: `Basic ${encodeCredentials(clientCredentials)}` }),
    ...more,
  };
}

function encodeCredentials({ clientId, clientSecret }: ClientCredentials): string {
  requireHeaderValue('clientId', clientId);
  requireHeaderValue('clientSecret', clientSecret);
  if (clientId.includes(':')) throw new TypeError('clientId must not contain a colon');
  return btoa(`${clientId}:${clientSecret}`);
}

/** Checked here, because `fetch` quotes rejected header values, and this one may be secret. */
function requireHeaderValue(name: string, value: string): void {
  if (!VISIBLE_ASCII.test(value)) throw new TypeError(`${name} must contain visible ASCII characters only`);
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // The parser's error quotes the text. The caller interprets it by status.
    return undefined;
  }
}
