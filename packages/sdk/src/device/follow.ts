// Follows a session live: by a stream of views, with polling as the fallback.

import type { DeviceView } from '@limen/contract';
import { readEvents } from '../http/event-stream.ts';
import { combineSignals, type Fetch } from '../http/exchange.ts';
import { isObject } from '../http/reply.ts';
import { isTransient } from '../http/retry.ts';

export interface FollowOptions {
  /** Ends the loop, which then throws the signal's reason. */
  signal?: AbortSignal | undefined;
  /** Polling interval in milliseconds. Default: 2,000. */
  pollMs?: number | undefined;
  /** Idle timeout of the stream in milliseconds, heartbeats included. Default: 45,000. */
  idleMs?: number | undefined;
}

interface FollowParts {
  url: string;
  fetch: Fetch;
  signRead(): Promise<Record<string, string>>;
  readView(signal: AbortSignal | undefined): Promise<DeviceView>;
  sleep: (milliseconds: number, signal?: AbortSignal) => Promise<void>;
  random: () => number;
}

/** Maximum polling interval while the service is unreachable. */
const MAX_WAIT_MS = 30_000;
/** Timeout of the initial view. A delay means that a proxy buffers the stream. */
const FIRST_CHUNK_MS = 10_000;
/** Maximum number of polls before an unproductive stream is tried again. */
const MAX_SKIPS = 16;

/** Yields the current view and then every change. The last one has `end`. */
export async function* followSession(
  parts: FollowParts,
  { signal, pollMs = 2_000, idleMs = 45_000 }: FollowOptions = {},
): AsyncGenerator<DeviceView, void, undefined> {
  let seen = '';
  let fruitless = 0;
  let skips = 0;
  let unanswered = 0;
  const isNews = (view: DeviceView) => {
    const before = seen;
    seen = JSON.stringify({ ...view, serverTime: '' });
    return seen !== before;
  };

  for (;;) {
    signal?.throwIfAborted();
    if (skips > 0) {
      skips -= 1;
    } else {
      fruitless += 1;
      const onSteady = () => {
        fruitless = 0;
      };
      for await (const view of streamViews(parts, { signal, idleMs, onSteady })) {
        if (isNews(view)) yield view;
        if (view.end) return;
      }
      signal?.throwIfAborted();
      skips = fruitless < 2 ? 0 : Math.min(2 ** fruitless, MAX_SKIPS);
    }
    try {
      const view = await parts.readView(signal);
      unanswered = 0;
      if (isNews(view)) yield view;
      if (view.end) return;
    } catch (error) {
      if (!isTransient(error)) throw error;
      unanswered += 1;
    }
    const waitMs = Math.min(pollMs * 2 ** Math.min(unanswered, 10), MAX_WAIT_MS);
    // Up to 50% jitter, so that devices cut off together do not reconnect together.
    await parts.sleep(waitMs * (1 + parts.random() / 2), signal);
  }
}

interface StreamOptions {
  signal: AbortSignal | undefined;
  idleMs: number;
  /** Called after more than the initial view. Otherwise another tab may take the stream. */
  onSteady(): void;
}

/** Yields views as they arrive. Ends without an error if there is no stream or it breaks. */
async function* streamViews(
  { url, fetch, signRead }: FollowParts,
  { signal, idleMs, onSteady }: StreamOptions,
): AsyncGenerator<DeviceView, void, undefined> {
  const idle = createWatchdog(idleMs);
  let chunks = 0;
  const onChunk = () => {
    idle.feed();
    chunks += 1;
    if (chunks > 1) onSteady();
  };
  try {
    const response = await fetch(url, {
      headers: { accept: 'text/event-stream', ...(await signRead()) },
      redirect: 'manual',
      cache: 'no-store',
      signal: signal ? combineSignals(signal, idle.signal) : idle.signal,
    });
    const isStream = response.headers.get('content-type')?.startsWith('text/event-stream') === true;
    if (!response.ok || !isStream || !response.body) return await response.body?.cancel();
    for await (const { name, data } of readEvents(readChunks(response.body, onChunk))) {
      const view = name === 'view' ? parseView(data) : undefined;
      if (view) yield view;
    }
  } catch {
    // Lost, refused or idle. Polling the view reveals which.
  } finally {
    idle.stop();
  }
}

/** Uses a reader, because not every browser can iterate over a stream. */
async function* readChunks(body: ReadableStream<Uint8Array>, onChunk: () => void): AsyncGenerator<Uint8Array> {
  const reader = body.getReader();
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      onChunk();
      yield value;
    }
  } finally {
    await reader.cancel().catch(() => undefined);
  }
}

function createWatchdog(idleMs: number) {
  const controller = new AbortController();
  let timer = setTimeout(() => controller.abort(), Math.min(idleMs, FIRST_CHUNK_MS));
  return {
    signal: controller.signal,
    feed() {
      clearTimeout(timer);
      timer = setTimeout(() => controller.abort(), idleMs);
    },
    stop: () => clearTimeout(timer),
  };
}

function parseView(data: string): DeviceView | undefined {
  try {
    const view: unknown = JSON.parse(data);
    return isObject(view) && typeof view['state'] === 'string' ? (view as DeviceView) : undefined;
  } catch {
    return undefined;
  }
}
