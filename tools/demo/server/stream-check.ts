// A check as server-sent events: once at the start, then at every change.
import { Readable } from 'node:stream';
import type { CheckView } from './check-view.ts';

/** Well below the server's own limit for a connection that stands still. */
const HEARTBEAT_MS = 15_000;
/** A reader that has left this much lying does not read. */
const MAX_UNREAD_BYTES = 2 * 1024 * 1024;

interface CheckStream {
  /** Throws where there is no such check. */
  view(): CheckView;
  watch(changed: () => void): () => void;
}

export interface LiveCheck {
  stream: Readable;
  /** Nothing more comes. */
  end(): void;
}

export function streamCheck({ view, watch }: CheckStream): LiveCheck {
  const stream = new Readable({ read() {} });
  let ended = false;
  const first = view();
  const unwatch = watch(() => write(() => `data: ${JSON.stringify(view())}\n\n`));
  const heartbeat = setInterval(() => write(() => ':\n\n'), HEARTBEAT_MS);
  stream.once('close', () => {
    clearInterval(heartbeat);
    unwatch();
  });
  stream.push(`retry: 1000\ndata: ${JSON.stringify(first)}\n\n`);
  return {
    stream,
    end() {
      if (!ended) stream.push(null);
      ended = true;
    },
  };

  function write(text: () => string): void {
    if (ended || stream.destroyed) return;
    try {
      stream.push(text());
      if (stream.readableLength > MAX_UNREAD_BYTES) stream.destroy();
    } catch {
      stream.destroy(); // the check was forgotten meanwhile
    }
  }
}
