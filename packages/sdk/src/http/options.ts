// Validates the client's options once, so that mistakes are reported immediately. No message quotes
// a value.

import type { CallOptions } from './exchange.ts';
import { DEFAULT_RETRIES, type RetryOptions, type RetryRules } from './retry.ts';

/** Calls with an optionally signed reply. */
export interface SignedOptions extends CallOptions {
  /** Returns the JWT instead of the object, without `token`. For `verifyResult`. */
  signed: true;
}

export interface ReceiptOptions extends CallOptions {
  /** Returns a signed receipt for `verifyReceipt`. It is lost with a lost reply. */
  receipt: true;
}

/** Parses a URL without throwing. Safari has URL.canParse and URL.parse only since 17 and 18. */
export function parseUrl(text: string, base?: string): URL | undefined {
  try {
    return new URL(text, base);
  } catch {
    return undefined;
  }
}

/** Maximum delay of timers. Longer ones fire immediately. */
const MAX_TIMER_MS = 2_147_483_647;

/** Returns the base URL with a trailing slash. On a page it may be relative. */
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
