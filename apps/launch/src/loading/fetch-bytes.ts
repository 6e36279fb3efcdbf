// Fetches one file into memory: with progress, tried again for a while, and used only if its hash is the expected one.
import { ModelLoadError } from './load-error.ts';
import { type After, startTimer } from './start-timer.ts';

export interface FetchOptions {
  signal?: AbortSignal;
  /** How many bytes of the file are there; falls back when a try begins anew. */
  onBytes?(received: number): void;
  /** For tests, where nobody wants to wait. */
  wait?(ms: number, signal?: AbortSignal): Promise<void>;
  /** The same. */
  after?: After;
}

interface Fetched extends FetchOptions {
  url: string;
  /** A longer reply is not read to its end. */
  maxBytes: number;
  cache?: RequestCache;
}

/** Between one try and the next; after the last of them it is given up. */
const PAUSES_MS = [500, 1500, 4000, 8000];
/**
 * A try that brings nothing for longer has failed. Counted in seconds that passed: a device that slept is not to blame. Later
 * tries are more patient: a service that is slow to begin would else be asked in vain each time.
 */
const STALL_SECONDS = [15, 15, 20, 25, 30];
/** Counts what came, of any file: over a slow link one waits while another comes. */
let arrivals = 0;
/** A server that asks for more patience than this is asked again sooner. */
const MAX_PAUSE_MS = 10_000;
/** Busy, or behind a proxy that does not reach it just now. */
const PASSING = new Set([408, 425, 429, 500, 502, 503, 504]);

export async function fetchVerified(
  url: string,
  { sha256, maxBytes }: { sha256: string; maxBytes: number },
  options: FetchOptions,
): Promise<Uint8Array<ArrayBuffer>> {
  if (!globalThis.crypto?.subtle) throw new ModelLoadError('unsupported');
  const first = await fetchBytes({ ...options, url, maxBytes });
  if ((await hashOf(first)) === sha256) return first;
  // What the browser kept may be damaged or old: once more, past it.
  const second = await fetchBytes({ ...options, url, maxBytes, cache: 'reload' });
  if ((await hashOf(second)) === sha256) return second;
  throw new ModelLoadError('mismatch');
}

export async function fetchBytes(request: Fetched): Promise<Uint8Array<ArrayBuffer>> {
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

interface Setback {
  problem: 'offline' | 'unready';
  waitMs?: number | undefined;
  cause?: unknown;
}

async function fetchOnce(request: Fetched, stallSeconds: number): Promise<Uint8Array<ArrayBuffer> | Setback> {
  const { url, signal, cache = 'default', after = startTimer } = request;
  // Ends with the signal, or where nothing comes. AbortSignal.any would say it shorter, but Safari has it only since 17.4.
  const over = new AbortController();
  const leave = () => over.abort();
  signal?.addEventListener('abort', leave);
  if (signal?.aborted) leave();
  const stopWatching = watchForStall(leave, stallSeconds, after);
  try {
    const response = await fetch(url, { cache, credentials: 'same-origin', signal: over.signal });
    if (response.ok) return await readBody(response, request);
    await response.body?.cancel();
    if (!PASSING.has(response.status)) throw new ModelLoadError('failed');
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

async function readBody(response: Response, { maxBytes, onBytes }: Fetched): Promise<Uint8Array<ArrayBuffer>> {
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

export async function hashOf(bytes: Uint8Array<ArrayBuffer>): Promise<string> {
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
