// Fetches a file into memory, with progress and retries, and verifies its hash.
import { ModelLoadError } from './load-error.ts';
import { type After, startTimer } from './start-timer.ts';

export interface FetchOptions {
  signal?: AbortSignal;
  /** Reports the bytes received so far. The count drops when a retry starts. */
  onBytes?(received: number): void;
  wait?(ms: number, signal?: AbortSignal): Promise<void>;
  after?: After;
}

interface ByteRequest extends FetchOptions {
  url: string;
  /** A longer reply is aborted. */
  maxBytes: number;
  cache?: RequestCache;
}

/** Delays between retries. After the last one the fetch fails. */
const PAUSES_MS = [500, 1500, 4000, 8000];
/**
 * Seconds without data after which a try fails. Counted in timer ticks, so that sleep does not
 * count. Later tries wait longer, because a slow service would otherwise never succeed.
 */
const STALL_SECONDS = [15, 15, 20, 25, 30];
/** Counts chunks of all files: on a slow network a file may wait while another one loads. */
let arrivals = 0;
/** Upper bound for the server's Retry-After. */
const MAX_PAUSE_MS = 10_000;
/** Statuses of a busy server or an interrupted proxy. */
const TRANSIENT_STATUSES = new Set([408, 425, 429, 500, 502, 503, 504]);

export async function fetchVerified(
  url: string,
  { sha256, maxBytes }: { sha256: string; maxBytes: number },
  options: FetchOptions,
): Promise<Uint8Array<ArrayBuffer>> {
  if (!globalThis.crypto?.subtle) throw new ModelLoadError('unsupported');
  const first = await fetchBytes({ ...options, url, maxBytes });
  if ((await hashBytes(first)) === sha256) return first;
  // The cached copy may be damaged or outdated, so bypass the cache once.
  const second = await fetchBytes({ ...options, url, maxBytes, cache: 'reload' });
  if ((await hashBytes(second)) === sha256) return second;
  throw new ModelLoadError('mismatch');
}

export async function fetchBytes(request: ByteRequest): Promise<Uint8Array<ArrayBuffer>> {
  const { signal, wait = waitFor } = request;
  for (let failures = 0; ; failures += 1) {
    request.onBytes?.(0);
    const result = await fetchOnce(request, STALL_SECONDS[failures] ?? STALL_SECONDS.at(-1)!);
    if (result instanceof Uint8Array) return result;
    const pauseMs = PAUSES_MS[failures];
    if (pauseMs === undefined) throw new ModelLoadError(result.problem, { cause: result.cause });
    await wait(Math.min(result.waitMs ?? pauseMs, MAX_PAUSE_MS), signal);
    signal?.throwIfAborted();
  }
}

interface FetchFailure {
  problem: 'offline' | 'unready';
  waitMs?: number | undefined;
  cause?: unknown;
}

async function fetchOnce(request: ByteRequest, stallSeconds: number): Promise<Uint8Array<ArrayBuffer> | FetchFailure> {
  const { url, signal, cache = 'default', after = startTimer } = request;
  // Aborts with the signal or on a stall. AbortSignal.any would be shorter, but Safari supports it
  // only since 17.4.
  const over = new AbortController();
  const leave = () => over.abort();
  signal?.addEventListener('abort', leave);
  if (signal?.aborted) leave();
  const stopWatching = watchForStall(leave, stallSeconds, after);
  try {
    const response = await fetch(url, { cache, credentials: 'same-origin', signal: over.signal });
    if (response.ok) return await readBody(response, request);
    await response.body?.cancel();
    if (!TRANSIENT_STATUSES.has(response.status)) throw new ModelLoadError('failed');
    return { problem: 'unready', waitMs: readRetryAfter(response.headers.get('retry-after')) };
  } catch (cause) {
    signal?.throwIfAborted();
    if (cause instanceof ModelLoadError) throw cause;
    return { problem: 'offline', cause };
  } finally {
    stopWatching();
    signal?.removeEventListener('abort', leave);
  }
}

function watchForStall(onStall: () => void, seconds: number, after: After): () => void {
  let seen = arrivals;
  let left = seconds;
  let stop = after(1_000, tick);
  function tick() {
    left = seen === arrivals ? left - 1 : seconds;
    seen = arrivals;
    if (left > 0) stop = after(1_000, tick);
    else onStall();
  }
  return () => stop();
}

async function readBody(response: Response, { maxBytes, onBytes }: ByteRequest): Promise<Uint8Array<ArrayBuffer>> {
  const bytes = new Uint8Array(maxBytes);
  let received = 0;
  const reader = response.body?.getReader();
  for (;;) {
    const { value, done } = (await reader?.read()) ?? { value: undefined, done: true };
    if (done || !value) return received === maxBytes ? bytes : bytes.slice(0, received);
    if (received + value.length > maxBytes) {
      await reader?.cancel();
      throw new ModelLoadError('mismatch');
    }
    bytes.set(value, received);
    received += value.length;
    arrivals += 1;
    onBytes?.(received);
  }
}

function readRetryAfter(value: string | null): number | undefined {
  return value && /^\d{1,6}$/.test(value) ? Number(value) * 1000 : undefined;
}

export async function hashBytes(bytes: Uint8Array<ArrayBuffer>): Promise<string> {
  const hash = new Uint8Array(await crypto.subtle.digest('SHA-256', bytes));
  return Array.from(hash, (byte) => byte.toString(16).padStart(2, '0')).join('');
}

function waitFor(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    signal?.addEventListener('abort', () => {
      clearTimeout(timer);
      resolve();
    });
  });
}
