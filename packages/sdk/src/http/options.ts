// Checks the client's options once, so that a mistake shows where it is made. No message quotes a value.

import type { CallOptions } from './exchange.ts';
import { DEFAULT_RETRIES, type RetryOptions, type RetryRules } from './retry.ts';

/** Calls whose answer can be signed. */
export interface SignedOptions extends CallOptions {
  /** The JWT instead of the object, for `verifyResult`; without `token`. */
  signed: true;
}

export interface ReceiptOptions extends CallOptions {
  /** A signed receipt, for `verifyReceipt`. After a lost answer it is lost as well: the repeated call rejects with 404. */
  receipt: true;
}

/** Reads a URL without throwing. URL.canParse and URL.parse would do it, but Safari has them only since 17 and 18. */
export function parseUrl(text: string, base?: string): URL | undefined {
  try {
    return new URL(text, base);
  } catch {
    return undefined;
  }
}

/** Longest delay that timers keep everywhere; beyond it they fire at once. */
const MAX_TIMER_MS = 2_147_483_647;

/** The base URL with a trailing slash. On a page it may be relative to the page's address. */
export function parseBaseUrl(baseUrl: string, name = 'baseUrl'): URL {
  const page = (globalThis as { location?: { href: string } }).location?.href;
  const url = parseUrl(baseUrl, page);
  if (!url) throw new TypeError(`${name} must be a URL, for example https://limen.example`);
  const plain = url.username === '' && url.password === '' && url.search === '' && url.hash === '';
  if (!plain || !['http:', 'https:'].includes(url.protocol)) {
    throw new TypeError(`${name} must be http or https, without credentials, query or fragment`);
  }
  if (!url.pathname.endsWith('/')) url.pathname += '/';
  return url;
}

export function parseTimeout(timeoutMs: number): number {
  return requireInteger('timeoutMs', timeoutMs, 1);
}

export function parseRetries(options: RetryOptions): RetryRules {
  const {
    attempts = DEFAULT_RETRIES.attempts,
    baseDelayMs = DEFAULT_RETRIES.baseDelayMs,
    maxDelayMs = DEFAULT_RETRIES.maxDelayMs,
    maxRetryAfterMs = DEFAULT_RETRIES.maxRetryAfterMs,
  } = options;
  return {
    attempts: requireInteger('retries.attempts', attempts, 1),
    baseDelayMs: requireInteger('retries.baseDelayMs', baseDelayMs, 0),
    maxDelayMs: requireInteger('retries.maxDelayMs', maxDelayMs, 0),
    maxRetryAfterMs: requireInteger('retries.maxRetryAfterMs', maxRetryAfterMs, 0),
  };
}

function requireInteger(name: string, value: number, min: number): number {
  if (Number.isInteger(value) && value >= min && value <= MAX_TIMER_MS) return value;
  throw new RangeError(`${name} must be a whole number from ${min} to ${MAX_TIMER_MS}`);
}
